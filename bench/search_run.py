"""An archive of many sessions and searches in it: `python -m bench.search_run SESSIONS TURNS`; a line of JSON each."""

from __future__ import annotations

import json
import os
import statistics
import sys
import time
from collections.abc import Callable
from typing import TYPE_CHECKING

from bench.transcripts import generated, npc_names

if TYPE_CHECKING:
    from campaigns.models import Campaign

NAMES = 3_000
TIMES = 15
# What is asked: rare and common words, alone and together, and everything that the grammar has.
QUERIES = (
    ("a name", "{name}"),
    ("half a name", "{first}"),
    ("the most common word", "the"),
    ("another form of a word", "doors"),
    ("two common words", "river lamp"),
    ("four common words", "the river lamp door"),
    ("a common phrase", '"the river"'),
    ("a rare phrase", '"behind the lamp over the door"'),
    ("a common and a rare word", "the {first}"),
    ("how words begin", "ri* la*"),
    ("nothing there", "absent"),
    ("a misheard name", "{misheard}"),
)


def main(sessions: int, turns: int) -> None:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "notarius_site.settings")
    import django
    from django.core.management import call_command

    django.setup()
    call_command("migrate", verbosity=0)

    from django.db import connection

    from campaigns.library.sight import Edition, Sight
    from campaigns.models import Campaign
    from campaigns.search.finding import Filters, search

    campaign = Campaign.objects.create(slug="bench", name="Bench")
    stored, indexed = _fill(campaign, sessions, turns)
    _say("store", stored=stored)
    _say("index", seconds=indexed, units_a_second=sessions * turns / indexed)
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute("VACUUM ANALYZE")
    name = npc_names(NAMES)[1_234]
    given = {"name": name, "first": name.split()[0], "misheard": name[:-2] + "x" + name[-1]}
    sight = Sight(campaign, Edition.GM, words=True)
    for what, text in QUERIES:
        query = text.format(**given)
        _time(what, lambda query=query: search(sight, query))  # type: ignore[misc]
    _time("a common word of one speaker", lambda: search(sight, "river", Filters(speaker="Petra")))
    _time("a common word in the last session", lambda: search(sight, "river", Filters(session=sessions)))
    page = search(sight, "river lamp").after
    _time("the second page", lambda: search(sight, "river lamp", after=page))


def _fill(campaign: Campaign, sessions: int, turns: int) -> tuple[float, float]:
    """Store the sessions and the registry; return the seconds that storing and indexing took."""
    from django.db import transaction

    from campaigns.models import GameSession, RegistryEntry, Transcript, Unit
    from campaigns.search.index import index
    from extraction.identity import comparison_key, npc_id

    keys = [(name, comparison_key(name)) for name in npc_names(NAMES)]
    RegistryEntry.objects.bulk_create(
        RegistryEntry(
            campaign=campaign, kind="npc", entity_id=npc_id(key), name=name, key=key, sessions=[1, 2], evidence_count=2
        )
        for name, key in keys
    )
    stored = indexed = 0.0
    for number in range(1, sessions + 1):
        units = generated(turns, names=NAMES, seed=number)
        start = time.perf_counter()
        with transaction.atomic():
            session = GameSession.objects.create(campaign=campaign, number=number)
            source_id = f"bench.s{number}.t1"
            transcript = Transcript.objects.create(
                session=session, revision=1, source_id=source_id, digest=source_id, unit_count=turns
            )
            Unit.objects.bulk_create(
                Unit(transcript=transcript, position=at, unit_id=unit.unit_id, speaker=unit.speaker, text=unit.text)
                for at, unit in enumerate(units)
            )
        stored += time.perf_counter() - start
        start = time.perf_counter()
        index(transcript, ((unit.speaker, unit.text) for unit in units))
        indexed += time.perf_counter() - start
    return stored, indexed


def _time(what: str, ask: Callable[[], object]) -> None:
    """Ask several times. `best_ms` is what it takes on an idle machine, `cpu_ms` is this process' share."""
    spent = []
    before = time.process_time()
    for _ in range(TIMES):
        start = time.perf_counter()
        found = ask()
        spent.append((time.perf_counter() - start) * 1_000)
    cpu = (time.process_time() - before) * 1_000 / TIMES
    figures = {"first_ms": spent[0], "best_ms": min(spent), "median_ms": statistics.median(spent), "cpu_ms": cpu}
    _say(what, **figures, hits=len(getattr(found, "hits", ())))


def _say(what: str, **figures: float) -> None:
    sys.stdout.write(json.dumps({"what": what, **figures}) + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]))
