"""The files inside a ZIP, unpacked in memory and never on disk.

Everything the archive claims is checked before anything is unpacked, and the sizes again while it is. Refused are
nested archives, links, passwords, unusual packing, names that lead out of the archive, and bombs. Folders, hidden
files, sound, pictures and tables are left alone and counted.
"""

from __future__ import annotations

import re
import stat
import struct
import zipfile
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from io import BytesIO
from pathlib import PurePosixPath

from extraction.codes import Code
from extraction.errors import IngestError
from extraction.ingest.limits import Limits

_MAGICS = (b"PK\x03\x04", b"PK\x05\x06")
_DIRECTORY_ENTRY = b"PK\x01\x02"
_OFFICE = frozenset({"[Content_Types].xml", "mimetype", "META-INF/manifest.xml"})
_ARCHIVES = frozenset({".zip", ".7z", ".rar", ".gz", ".tgz", ".bz2", ".xz", ".tar", ".zst", ".jar"})
_SOUND = {".flac", ".wav", ".mp3", ".ogg", ".oga", ".opus", ".m4a", ".aac", ".wma", ".aiff"}
_PICTURES = {".mp4", ".mkv", ".mov", ".webm", ".avi", ".png", ".jpg", ".jpeg", ".gif", ".webp", ".svg"}
_DATA = {
    ".dat",
    ".tsv",
    ".csv",
    ".log",
    ".aup",
    ".aup3",
    ".lof",
    ".exe",
    ".dll",
    ".bat",
    ".sh",
    ".command",
    ".ini",
    ".url",
}
_NO_TRANSCRIPTS = frozenset(_SOUND | _PICTURES | _DATA)
_DAMAGES = (zipfile.BadZipFile, zlib.error, EOFError, OSError, RuntimeError, ValueError, OverflowError, struct.error)
_DIGITS = re.compile(r"([0-9]{1,18})")
_DRIVE = re.compile(r"[A-Za-z]:")
_SMALL = 64 * 1024
"""Files up to this size may be packed as well as they can; no bomb is made of them."""
_CHUNK = 64 * 1024


@dataclass(frozen=True, slots=True)
class Entry:
    """A file of the archive. Its name orders the files and may name the speaker of a track; it goes nowhere else."""

    name: str
    data: bytes


def is_archive(data: bytes) -> bool:
    return data.startswith(_MAGICS)


class Archive:
    """A checked ZIP: `names` of the files that may be transcripts, in order, and `left`, the number of the others."""

    def __init__(self, data: bytes, limits: Limits) -> None:
        self._limits = limits
        if data.count(_DIRECTORY_ENTRY) > limits.max_archive_entries:
            raise IngestError(
                f"The archive has more than {limits.max_archive_entries:,} files; pack only the transcripts.",
                code=Code.INGEST_TOO_LARGE,
            )
        try:
            self._zip = zipfile.ZipFile(BytesIO(data))
        except _DAMAGES:
            raise _damaged() from None
        infos = self._zip.infolist()
        _refuse_unsafe(infos)
        self._infos = sorted(filter(_may_be_transcript, infos), key=lambda info: _natural(_name(info)))
        self.names = [_name(info) for info in self._infos]
        self.left = sum(not info.is_dir() for info in infos) - len(self._infos)
        self._refuse_sizes(len(data))

    def entries(self) -> Iterator[Entry]:
        """Yield the files that may be transcripts by name, numbers counted as numbers, one in memory at a time."""
        for info in self._infos:
            yield Entry(_name(info), self._unpacked(info))

    def _refuse_sizes(self, packed_bytes: int) -> None:
        limits = self._limits
        if sum(info.compress_size for info in self._infos) > packed_bytes:
            raise _damaged()
        if any(info.file_size > limits.max_bytes for info in self._infos):
            raise IngestError(
                f"A file in the archive has more than the {limits.max_bytes:,} bytes allowed.",
                code=Code.INGEST_TOO_LARGE,
            )
        if sum(info.file_size for info in self._infos) > limits.max_archive_bytes:
            raise IngestError(
                f"The files in the archive have more than the {limits.max_archive_bytes:,} bytes allowed together.",
                code=Code.INGEST_TOO_LARGE,
            )
        for info in self._infos:
            self._refuse_ratio(info, info.file_size)

    def _refuse_ratio(self, info: zipfile.ZipInfo, size: int) -> None:
        if size > max(_SMALL, info.compress_size * self._limits.max_archive_ratio):
            raise IngestError(
                f"A file in the archive is packed tighter than {self._limits.max_archive_ratio}:1; no transcript is.",
                code=Code.INGEST_TOO_LARGE,
            )

    def _unpacked(self, info: zipfile.ZipInfo) -> bytes:
        unpacked = bytearray()
        try:
            with self._zip.open(info) as stream:
                while chunk := stream.read(_CHUNK):
                    unpacked += chunk
                    if len(unpacked) > info.file_size:
                        raise _damaged()
                    self._refuse_ratio(info, len(unpacked))
        except _DAMAGES:
            raise _damaged() from None
        if is_archive(bytes(unpacked[:4])):
            raise _nested()
        return bytes(unpacked)


def _refuse_unsafe(infos: Sequence[zipfile.ZipInfo]) -> None:
    names = [info.filename for info in infos]
    if not _OFFICE.isdisjoint(names):
        raise IngestError(
            "The file is an office document, not a transcript; export it as text.", code=Code.INGEST_BINARY
        )
    if len(set(names)) < len(names):
        raise IngestError("Two files in the archive have the same name.", code=Code.INGEST_MALFORMED)
    for info in infos:
        path = info.filename.replace("\\", "/")
        if path.startswith("/") or _DRIVE.match(path) or ".." in path.split("/"):
            raise IngestError(
                "A file name in the archive leads out of the archive; pack the files anew.", code=Code.INGEST_MALFORMED
            )
        if info.flag_bits & 0x1:
            raise IngestError("The archive has a password; pack it without one.", code=Code.INGEST_MALFORMED)
        if stat.S_ISLNK(info.external_attr >> 16):
            raise IngestError(
                "The archive holds a link instead of a file; pack the files themselves.", code=Code.INGEST_MALFORMED
            )
        if PurePosixPath(path).suffix.lower() in _ARCHIVES:
            raise _nested()
        if info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
            raise IngestError(
                "The archive is packed in an unusual way; make an ordinary ZIP.", code=Code.INGEST_MALFORMED
            )


def _may_be_transcript(info: zipfile.ZipInfo) -> bool:
    path = PurePosixPath(info.filename.replace("\\", "/"))
    hidden = any(part.startswith(".") or part == "__MACOSX" for part in path.parts)
    return not info.is_dir() and not hidden and path.suffix.lower() not in _NO_TRANSCRIPTS


def _name(info: zipfile.ZipInfo) -> str:
    """Return the name with forward slashes; many programs write UTF-8 without saying so."""
    name = info.filename.replace("\\", "/")
    if info.flag_bits & 0x800:
        return name
    try:
        return name.encode("cp437").decode("utf-8")
    except UnicodeError:
        return name


def _natural(name: str) -> tuple[list[tuple[int, int, str]], str]:
    # The split puts the numbers at the odd places.
    split = enumerate(_DIGITS.split(name.casefold()))
    return [(0, int(piece), "") if at % 2 else (1, 0, piece) for at, piece in split], name


def _nested() -> IngestError:
    return IngestError(
        "The archive holds another archive or an office document; pack the transcripts themselves.",
        code=Code.INGEST_MALFORMED,
    )


def _damaged() -> IngestError:
    return IngestError("The file is an archive and damaged, or no ZIP at all; pack it anew.", code=Code.INGEST_BINARY)
