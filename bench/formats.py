"""`formats`: what each sample file of `../shared/data/formats` is read as, and how fast the large formats are read."""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from bench.processes import Stopwatch, measured, print_result
from bench.report import Figure, Row
from bench.transcripts import ROOT, as_notarius_json, as_srt, as_webvtt, generated

SAMPLES = ROOT.parent / "shared" / "data" / "formats"
UNITS = 100_000
NOT_TRANSCRIPTS = frozenset({"COPYING.txt", "LICENSE.txt", "SOURCE.txt", "LICENCE.md", "transcripts.md"})


def rows() -> Iterator[Row]:
    """Yield a row a sample, none where the samples are not there, and one a generated file of UNITS units."""
    for file in sorted(SAMPLES.rglob("*.*")):
        if file.name not in NOT_TRANSCRIPTS:
            yield _row(file, file.relative_to(SAMPLES).as_posix())
    units = generated(UNITS)
    written = {"srt": as_srt(units), "vtt": as_webvtt(units), "json": as_notarius_json(units)}
    with tempfile.TemporaryDirectory() as folder:
        for suffix, data in written.items():
            file = Path(folder) / f"generated.{suffix}"
            file.write_bytes(data)
            figures = measured("bench.imports", str(file))
            speed = {"units_per_s": figures["units"] / figures["seconds"], "peak_mib": figures["peak_mib"]}
            yield _as_row(f"{UNITS} units, {suffix}", file, {**_few(figures), **speed})


def _row(file: Path, setting: str) -> Row:
    return _as_row(setting, file, _few(measured("bench.formats", str(file))))


def _few(figures: dict[str, Figure]) -> dict[str, Figure]:
    names = ("format", "units", "speakers", "seconds", "message")
    return {name: figures[name] for name in names if name in figures}


def _as_row(setting: str, file: Path, figures: dict[str, Figure]) -> Row:
    return Row("formats", setting, f"python -m bench.formats {file.name}", figures)


def read(file: Path) -> dict[str, Figure]:
    """Return what the file is read as and the seconds that it took, or the sentence that it is refused with."""
    from extraction.errors import IngestError
    from extraction.ingest import read_transcript

    data = file.read_bytes()
    watch = Stopwatch()
    try:
        found = read_transcript(data, filename=file.name)
    except IngestError as error:
        return {"message": f"{error.code.value}: {error}"}
    seconds = watch.figures()["seconds"]
    speakers = len({unit.speaker for unit in found.units if unit.speaker is not None})
    return {"format": found.format.value, "units": len(found.units), "speakers": speakers, "seconds": seconds}


if __name__ == "__main__":
    print_result(read(Path(sys.argv[1])))
