"""`import`: how long reading a transcript takes, and how much memory."""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from bench.processes import Stopwatch, measured, peak_mib, print_result
from bench.report import Row
from bench.transcripts import REAL, as_notarius_json, as_srt, generated

UNITS = 100_000


def rows() -> Iterator[Row]:
    with tempfile.TemporaryDirectory() as folder:
        units = generated(UNITS)
        for name, data in (("generated.json", as_notarius_json(units)), ("generated.srt", as_srt(units))):
            file = Path(folder) / name
            file.write_bytes(data)
            yield _row(file, f"{UNITS} units, {file.suffix[1:]}")
    if REAL.is_file():
        yield _row(REAL, REAL.name)


def _row(file: Path, setting: str) -> Row:
    figures = measured("bench.imports", str(file))
    seconds = float(figures["seconds"])
    return Row(
        "import",
        setting,
        f"python -m bench.imports {file.name}",
        {
            "units": figures["units"],
            "seconds": seconds,
            "cpu_s": figures["cpu_s"],
            "peak_mib": figures["peak_mib"],
            "before_mib": figures["peak_before_mib"],
            "file_mib": file.stat().st_size / 2**20,
            "units_per_s": figures["units"] / seconds,
        },
    )


def read(file: Path) -> dict[str, object]:
    """Return what reading the file costs in this process, the reader's own import apart."""
    from extraction.ingest import read_transcript

    data, before = file.read_bytes(), peak_mib()
    watch = Stopwatch()
    units = len(read_transcript(data, filename=file.name).units)
    return {**watch.figures(), "units": units, "peak_before_mib": before, "peak_mib": peak_mib()}


if __name__ == "__main__":
    print_result(read(Path(sys.argv[1])))
