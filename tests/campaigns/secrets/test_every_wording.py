"""Whatever reviews and runs make of a kept record, no version tells it where players may read it: random histories."""

from __future__ import annotations

from typing import Any

import orjson
import pytest
from django.contrib.auth.models import User

from campaigns.actions import editing, secrets
from campaigns.actions.following import _page, _units
from campaigns.library.editions import records_of
from campaigns.library.kept import kept_in
from campaigns.library.veiled import bound_records
from campaigns.models import ArtifactVersion, GameSession, Secret, Transcript
from tests.campaigns.review import families
from tests.campaigns.secrets.test_replayed import Table, Told
from tests.campaigns.secrets.test_still_kept import gm, session

__all__ = ["gm", "session"]

pytestmark = pytest.mark.django_db
# Stands in each wording of what is kept, so that a test knows it again; nothing in the product looks at it.
MARK = "KEPT"
# The last two once showed what was kept.
HISTORIES = (*range(30), 37, 191)


class Reworded(Table):
    """A table of four turns at nearly the same lines, of which one is marked; other words come with every act."""

    wordings = 0

    def turns(self, page: Transcript) -> list[Told]:
        acts = [families.action("draws"), families.action("strikes")]
        told = [
            ("Pike", MARK, ((3, 3),)),
            ("Mira", "m", ((3, 3),)),
            ("Zed", "z", ((3, 4),)),
            ("Bram", "b", ((8, 8), (3, 4))),
        ]
        return [families.turn(page, actor, acts, summary, cited) for actor, summary, cited in told]

    def wording(self, record: Told) -> str:
        self.wordings += 1
        return f"{MARK} {self.wordings}" if MARK in record["summary"] else f"x{self.rng.randrange(4)}"

    def edit(self, told: list[Told], at_work: dict[str, Any]) -> None:
        at = self.rng.randrange(len(told))
        fields = {"summary": self.wording(told[at])}
        if self.rng.random() < 0.3:
            fields = {"actor": self.rng.choice(("Mira", "Pike", "Zed"))}
        editing.edit_record(**at_work, record=at, fields=fields)

    def split(self, told: list[Told], at_work: dict[str, Any]) -> None:
        at = self.rng.randrange(len(told))
        cited = [(ref["start_unit_id"], ref["end_unit_id"]) for ref in told[at]["source_refs"]]
        fields = {"summary": "The other half.", "actor": "Zed"}
        kept, half = cited[-1:], f"{MARK if MARK in told[at]['summary'] else 'One'} half."
        editing.split_turn(**at_work, record=at, actions=[0], kept=kept, ranges=cited, fields=fields, kept_summary=half)

    def run(self, told: list[Told], at_work: dict[str, Any]) -> None:
        """Tell the newest version again, each turn as likely in other words as in the same."""
        for record in told:
            if self.rng.random() < 0.5:
                record["summary"] = self.wording(record)
        self.made(told, 0)


def told_openly(secret: Secret, version: ArtifactVersion) -> list[str]:
    """Return what is marked and not bound."""
    (kept,) = kept_in([Secret.objects.get(pk=secret.pk)]).occurrences
    records = records_of(orjson.loads(version.payload))
    bound = bound_records(kept, records, _page(version.transcript, kept, _units(version.transcript)))
    return [record["summary"] for record in records if MARK in record["summary"] and record not in bound]


@pytest.mark.parametrize("seed", HISTORIES)
def test_no_wording_of_a_kept_record_is_open_in_any_version(seed: int, session: GameSession, gm: User) -> None:
    table = Reworded(session, gm, seed)
    steps = table.rng.randint(2, 6)
    hidden_at, secret = table.rng.randint(0, steps), None
    for step in range(steps + 1):
        if step == hidden_at:
            version = table.rng.choice(list(table.artifact.versions.order_by("number")))
            marked = [MARK in record["summary"] for record in records_of(orjson.loads(version.payload))]
            secret = secrets.hide_occurrence(version=version, record=marked.index(True), by=gm)
        if step < steps:
            table.happens()

    assert secret is not None
    for version in table.artifact.versions.order_by("number"):
        assert told_openly(secret, version) == []
