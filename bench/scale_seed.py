"""Archives of one campaign and of many: `python -m bench.scale_seed 1` makes one, a larger number adds copies of it.

The first campaign is stored row by row, its registries rebuilt as an approval does it. Copies are made inside
PostgreSQL: every row again under other keys, so that each campaign is as large as the first. That needs the right to
switch off triggers (a superuser, or the owner of a server for measurements).
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from bench.processes import print_result
from bench.transcripts import SPEAKERS, generated, npc_names
from extraction.canonical import canonical_json, digest
from extraction.identity import comparison_key, item_id, location_id, npc_id

if TYPE_CHECKING:
    from django.contrib.auth.models import User
    from django.db.backends.utils import CursorWrapper
    from django.db.models import Field, Model

    from campaigns.models import GameSession, Transcript

SESSIONS, UNITS = 20, 250
PEOPLE, THINGS, PLACES = 60, 30, 30
A_SESSION = 15
FIRST = "table-0"
Record = dict[str, Any]


def slug_of(campaign: int) -> str:
    return f"table-{campaign}"


def first() -> dict[str, object]:
    """Store the first campaign; return its reader's token and the key of their web session."""
    from django.core.management import call_command

    call_command("migrate", verbosity=0)

    from django.contrib.auth.models import User

    from campaigns.actions import registry, tokens
    from campaigns.library.sources import KINDS
    from campaigns.models import Campaign, GameSession, Membership, RosterEntry

    campaign = Campaign.objects.create(slug=FIRST, name="Table 0")
    user = User.objects.create_user("reader")
    Membership.objects.create(campaign=campaign, user=user)
    gm, *players = SPEAKERS
    RosterEntry.objects.create(campaign=campaign, kind="gm", player=gm, speaker_labels=[gm])
    RosterEntry.objects.bulk_create(
        RosterEntry(campaign=campaign, kind="party", position=at, player=each, character=each, speaker_labels=[each])
        for at, each in enumerate(players)
    )
    for number in range(1, SESSIONS + 1):
        fill(GameSession.objects.create(campaign=campaign, number=number, title=f"Evening {number}"), UNITS)
    for kind in KINDS:
        registry.rebuild(campaign=campaign, kind=kind)
    _, raw = tokens.create(user=user, name="bench", scope="read")
    return {"token": raw, "web_session": web_session(user)}


def web_session(user: User) -> str | None:
    """Sign the user in; return the key of their session."""
    from django.test import Client

    client = Client()
    client.force_login(user)
    return client.session.session_key


def fill(session: GameSession, size: int) -> None:
    """Store a transcript of that many units, indexed, with approved records of six families."""
    from campaigns.models import Transcript, Unit
    from campaigns.search.index import index

    units = generated(size, names=PEOPLE, seed=session.number)
    scope = f"{FIRST}.s{session.number}"
    transcript = Transcript.objects.create(
        session=session, revision=1, source_id=f"{scope}.t1", digest=digest(scope), unit_count=size
    )
    Unit.objects.bulk_create(
        Unit(transcript=transcript, position=at, unit_id=unit.unit_id, speaker=unit.speaker, text=unit.text)
        for at, unit in enumerate(units)
    )
    index(transcript, ((unit.speaker, unit.text) for unit in units))
    names = npc_names(PEOPLE + THINGS + PLACES)
    people, things, places = names[:PEOPLE], names[PEOPLE : PEOPLE + THINGS], names[PEOPLE + THINGS :]
    approve(transcript, "npcs", "npcs", _entities(transcript, people, npc_id))
    approve(transcript, "items", "items", _entities(transcript, things, item_id))
    approve(
        transcript,
        "locations",
        "locations",
        _entities(transcript, places, lambda key: location_id(key, scope, units[0].unit_id)),
    )
    approve(transcript, "scenes", "scenes", _scenes(size // 10))
    approve(transcript, "spells", "spells", [_spell(transcript, at, people) for at in range(6)])
    approve(transcript, "combat-turns", "turns", [_turn(transcript, at, people) for at in range(12)])


def _entities(transcript: Transcript, names: Sequence[str], id_of: Callable[[str], str]) -> list[Record]:
    """Return the records of a session: A_SESSION of the names, others in each session."""
    start = transcript.session.number * 7
    return [
        {
            "id": id_of(comparison_key(name)),
            "name": name,
            "source_refs": [_ref(transcript, start + at * 11 + more) for more in range(0, 90, 30)],
        }
        for at, name in enumerate([*names, *names][start % len(names) :][:A_SESSION])
    ]


def _scenes(size: int) -> list[Record]:
    return [
        {"title": f"Scene {at}", "primary_mode": mode, "start_unit_id": at * size + 1, "end_unit_id": (at + 1) * size}
        for at, mode in enumerate(("social", "exploration", "combat", "social", "downtime") * 2)
    ]


def _spell(transcript: Transcript, at: int, people: Sequence[str]) -> Record:
    cast = {"caster": people[at], "spell": "Lantern of the weir", "level": 2, "targets": [people[at + 1]]}
    return {**cast, "outcome": "The water glows.", "source_refs": [_ref(transcript, at * 20)]}


def _turn(transcript: Transcript, at: int, people: Sequence[str]) -> Record:
    action = {"category": "attack", "declaration": "swings the hook", "targets": ["the mate"], "resolution": "hits"}
    turn = {"actor": people[at % 4], "turn_kind": "turn", "round": 1 + at // 4, "actions": [action]}
    return {**turn, "summary": "Keeps the rail.", "source_refs": [_ref(transcript, 60 + at)]}


def _ref(transcript: Transcript, at: int) -> Record:
    unit = 1 + at % (transcript.unit_count - 1)
    return {"source_id": transcript.source_id, "start_unit_id": unit, "end_unit_id": unit + 1}


def approve(transcript: Transcript, family: str, key: str, records: list[Record]) -> None:
    """Store the records as the approved version of the transcript's artifact."""
    from django.utils import timezone

    from campaigns.models import Artifact, ArtifactVersion

    source = {"source_id": transcript.source_id, "digest": transcript.digest, "unit_count": transcript.unit_count}
    payload: Any = {"schema": f"notarius.dnd.{family}.v1", "source": source, key: records}
    ArtifactVersion.objects.create(
        artifact=Artifact.objects.create(session=transcript.session, lane=f"dnd/{family}"),
        number=1,
        state=ArtifactVersion.State.APPROVED,
        origin=ArtifactVersion.Origin.EXTRACTION,
        transcript=transcript,
        payload=canonical_json(payload).decode(),
        digest=digest(payload),
        record_count=len(records),
        decided_at=timezone.now(),
    )


def multiply(campaigns: int) -> dict[str, object]:
    """Copy the first campaign until there are that many; return how many units there are then."""
    from django.db import connection

    from campaigns.models import Unit

    models = _copied()
    with connection.cursor() as cursor:
        # Foreign keys are right by construction, and asking for each of millions takes longer than the rest.
        cursor.execute("SET session_replication_role = replica")
        cursor.execute("SET maintenance_work_mem = '1GB'")
        cursor.execute("SET synchronous_commit = off")
        most = {model: _most(cursor, model) for model in models}
        cursor.execute("DROP INDEX campaigns_search_words")
        for copy in range(1, campaigns):
            for model in models:
                cursor.execute(_copy(model, most, copy))
            cursor.execute(SEARCH_COPY, {"copy": copy})
        cursor.execute("CREATE INDEX campaigns_search_words ON campaigns_search USING gin (words)")
        for model in models:
            table, key = model._meta.db_table, model._meta.pk.column
            cursor.execute(f"SELECT setval(pg_get_serial_sequence('{table}', '{key}'), max({key})) FROM {table}")  # noqa: S608
        cursor.execute("VACUUM ANALYZE")
    return {"units": Unit.objects.count()}


# A campaign's stretch of the index begins at its key times 2 to the power of the bits below it (search/places.py), and
# its rows have the key as a word (search/postgres.py).
SEARCH_COPY = (
    "INSERT INTO campaigns_search (place, words)"
    " SELECT place + (%(copy)s::bigint << 42), ts_delete(words, '#1') || quote_literal('#' || 1 + %(copy)s)::tsvector"
    " FROM campaigns_search WHERE place < (2::bigint << 42) ORDER BY place"
)


def _copied() -> tuple[type[Model], ...]:
    from campaigns import models as m

    return (
        m.Campaign,
        m.Membership,
        m.RosterEntry,
        m.GameSession,
        m.Transcript,
        m.Unit,
        m.Artifact,
        m.ArtifactVersion,
        m.RegistryEntry,
        m.EntryEvidence,
        m.EntryAlias,
        m.RegistryState,
        m.Change,
    )


def _most(cursor: CursorWrapper, model: type[Model]) -> int:
    cursor.execute(f"SELECT coalesce(max(id), 0) FROM {model._meta.db_table}")  # noqa: S608 - our own table
    return int(cursor.fetchone()[0])


def _copy(model: type[Model], most: dict[type[Model], int], copy: int) -> str:
    """Return the statement that makes the copy: keys move by as many as the first campaign has, names by number."""
    table, fields = model._meta.db_table, model._meta.concrete_fields
    columns = ", ".join(f'"{field.column}"' for field in fields)
    values = ", ".join(_value(field, model, most, copy) for field in fields)
    return f"INSERT INTO {table} ({columns}) SELECT {values} FROM {table} WHERE id <= {most[model]} ORDER BY id"  # noqa: S608


def _value(field: Field[Any, Any], model: type[Model], most: dict[type[Model], int], copy: int) -> str:
    of = model if field.primary_key else field.related_model
    if of in most:
        return f'"{field.column}" + {copy * most[of]}'
    if field.name in ("slug", "source_id", "payload"):
        return f"replace(\"{field.column}\", '{FIRST}', '{slug_of(copy)}')"
    return f'"{field.column}"'


def main(campaigns: int) -> None:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "notarius_site.settings")
    import django

    django.setup()
    print_result(first() if campaigns == 1 else multiply(campaigns))


if __name__ == "__main__":
    main(int(sys.argv[1]))
