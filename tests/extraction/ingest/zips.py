"""Archives made by hand, the good ones and the bad ones."""

from __future__ import annotations

import io
import zipfile


def zipped(files: dict[str, str | bytes], *, method: int = zipfile.ZIP_DEFLATED) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", method) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return packed.getvalue()


def patched(data: bytes, field: int, value: bytes) -> bytes:
    """Return the archive with other bytes at an offset in the directory entry of its first file."""
    at = data.index(b"PK\x01\x02") + field
    return data[:at] + value + data[at + len(value) :]


def vtt(*cues: tuple[float, str]) -> str:
    """Return WebVTT with a cue of one second for each start in seconds and text."""
    blocks = ["WEBVTT\n"]
    for start, text in cues:
        minutes, seconds = divmod(start, 60)
        blocks.append(f"00:{int(minutes):02}:{seconds:06.3f} --> 00:{int(minutes):02}:{seconds + 1:06.3f}\n{text}\n")
    return "\n".join(blocks)
