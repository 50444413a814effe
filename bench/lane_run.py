"""One run of the NPC lane in this process, measured: `python -m bench.lane_run '<Plan as JSON>'`."""

from __future__ import annotations

import json
import sqlite3
import sys
from dataclasses import asdict, dataclass, field
from pathlib import Path

from bench.processes import Stopwatch, peak_mib, print_result
from bench.transcripts import ROOT, SPEAKERS, document
from extraction.canonical import JsonValue
from extraction.lanes.job import LaneJob, Retries
from extraction.lanes.ports import CheckpointStore, FixedSeats, LanePorts, MemoryCheckpoints
from extraction.lanes.run import run_lane
from extraction.llm.openai_client import preload
from extraction.llm.profiles import Profile, ProviderKind
from extraction.llm.providers import client_for
from extraction.prompts.catalog import Catalog
from extraction.registry import LANES

TABLE: dict[str, JsonValue] = {
    "gm": {"player": SPEAKERS[0], "speaker_labels": [SPEAKERS[0]]},
    "party": [
        {"character": f"Wayfarer {label}", "player": label, "speaker_labels": [label], "other_names": []}
        for label in SPEAKERS[1:]
    ],
    "glossary": [],
}


@dataclass(frozen=True, slots=True)
class Plan:
    """`source` as in `transcripts.document`; without `url` the rules answer. `store` is a SQLite file, else memory.

    `timeout` is the profile's, in seconds; `retries` how often an unusable answer is asked for again.
    """

    source: str
    url: str | None = None
    workers: int = 10
    chunk_units: int = 60
    chunk_words: int = 1_200
    store: str | None = None
    timeout: float = 120.0
    retries: int = 0

    def arguments(self) -> str:
        return json.dumps(asdict(self))

    def profile(self) -> Profile:
        given: dict[str, object] = {"chunk_units": self.chunk_units, "chunk_words": self.chunk_words}
        if self.url is not None:
            given |= {"provider": ProviderKind.OPENAI, "base_url": self.url, "model": "bench", "tries": 20}
        return Profile.model_validate(given | {"concurrency": self.workers, "timeout_s": self.timeout})


@dataclass
class SqliteCheckpoints:
    """A CheckpointStore in one file; a value is on the disk when `put` returns."""

    file: Path
    _rows: sqlite3.Connection = field(init=False)

    def __post_init__(self) -> None:
        self._rows = sqlite3.connect(self.file, isolation_level=None)
        self._rows.execute("PRAGMA journal_mode = WAL")
        self._rows.execute("PRAGMA synchronous = FULL")
        self._rows.execute("CREATE TABLE IF NOT EXISTS checkpoints (key TEXT PRIMARY KEY, value BLOB NOT NULL)")

    def get(self, key: str) -> bytes | None:
        found = self._rows.execute("SELECT value FROM checkpoints WHERE key = ?", (key,)).fetchone()
        return None if found is None else bytes(found[0])

    def put(self, key: str, value: bytes) -> None:
        self._rows.execute("INSERT OR REPLACE INTO checkpoints VALUES (?, ?)", (key, value))


def run(plan: Plan) -> dict[str, object]:
    """Return the figures of one run; reading the transcript and importing the SDK stand apart from the lane."""
    imports: dict[str, float] = {}
    profile = plan.profile()
    if plan.url is not None:
        watch = Stopwatch()
        preload()
        imports = {f"import_{name}": value for name, value in watch.figures().items()}
    catalog, retries = Catalog.load(ROOT / "assets" / "dnd"), Retries(plan.retries, plan.retries)
    job = LaneJob(document(plan.source), catalog, client_for(profile), profile, TABLE, retries=retries)
    store: CheckpointStore = SqliteCheckpoints(Path(plan.store)) if plan.store else MemoryCheckpoints()
    ports = LanePorts(checkpoints=store, seats=FixedSeats(plan.workers))
    before = peak_mib()
    watch = Stopwatch()
    result = run_lane(LANES["dnd/npcs"], job, ports)
    figures: dict[str, object] = {**watch.figures(), **imports}
    extract = result.manifest["extract"]
    chunks = extract["chunks"] if isinstance(extract, dict) else None
    return figures | {
        "turns": len(job.document.units),
        "words": sum(len(unit.text.split()) for unit in job.document.units),
        "chunks": chunks,
        "records": result.record_count,
        "digest": result.digest,
        "peak_before_mib": before,
        "peak_mib": peak_mib(),
    }


if __name__ == "__main__":
    print_result(run(Plan(**json.loads(sys.argv[1]))))
