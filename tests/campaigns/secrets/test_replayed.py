"""A secret that comes after a history binds what it would have bound from the first: random reviews and runs."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from copy import deepcopy
from typing import Any

import orjson
import pytest
from django.contrib.auth.models import User
from django.db import transaction

from campaigns.actions import editing, history, secrets
from campaigns.errors import ActionError
from campaigns.library.editions import records_of
from campaigns.models import ArtifactVersion, GameSession, Secret, Transcript
from tests.campaigns.review import families
from tests.campaigns.secrets.test_still_kept import approved, gm, session, upload

__all__ = ["gm", "session"]

pytestmark = pytest.mark.django_db
SAID = tuple(f"Line {at} says word{at}." for at in range(1, 17))
STEPS = 7
Told = dict[str, Any]  # Any: JSON


class Table:
    """One artifact of turns, and what may happen to it."""

    def __init__(self, session: GameSession, gm: User, seed: int) -> None:
        self.session, self.gm, self.rng, self.texts = session, gm, random.Random(seed), list(SAID)  # noqa: S311
        page = upload(session, SAID, gm)
        self.first = approved(page, "combat-turns", self.turns(page), gm)
        self.artifact = self.first.artifact

    def turns(self, page: Transcript) -> list[Told]:
        cited = {"Mira": ((1, 2), (4, 4)), "Pike": ((5, 6), (8, 8)), "Zed": ((10, 11),), "Bram": ((13, 14),)}
        acts = [families.action("draws"), families.action("strikes")]
        return [families.turn(page, actor, acts, f"{actor} acts.", ranges) for actor, ranges in cited.items()]

    @property
    def head(self) -> ArtifactVersion:
        return self.artifact.versions.latest("number")

    def happens(self) -> None:
        acts: Sequence[Callable[[list[Told], dict[str, Any]], None]] = (
            self.split,
            self.join,
            self.move,
            self.cite,
            self.edit,
            self.undo,
            self.run,
            self.correct,
        )
        told = records_of(orjson.loads(self.head.payload))
        at_work = {"artifact_id": self.artifact.pk, "expected_version": self.head.number, "by": self.gm}
        try:
            with transaction.atomic():
                self.rng.choice(acts)(told, at_work)
        except ActionError:
            pass

    def split(self, told: list[Told], at_work: dict[str, Any]) -> None:
        at = self.rng.randrange(len(told))
        cited = [(ref["start_unit_id"], ref["end_unit_id"]) for ref in told[at]["source_refs"]]
        editing.split_turn(
            **at_work,
            record=at,
            actions=[0],
            kept=cited[-1:],
            ranges=cited,
            fields={"summary": "Said of one.", "actor": self.rng.choice(("Mira", "Pike"))},
            kept_summary=self.rng.choice(("Said of one.", "Said of the other.")),
        )

    def join(self, told: list[Told], at_work: dict[str, Any]) -> None:
        if len(told) > 2:
            editing.join_turns(**at_work, records=self.rng.sample(range(len(told)), 2))

    def move(self, told: list[Told], at_work: dict[str, Any]) -> None:
        one, other = self.rng.sample(range(len(told)), 2)
        editing.move_evidence(**at_work, record=one, refs=[0], to=other)

    def cite(self, told: list[Told], at_work: dict[str, Any]) -> None:
        start = self.rng.randint(1, len(self.texts) - 2)
        editing.set_evidence(**at_work, record=self.rng.randrange(len(told)), ranges=[(start, start + 1)])

    def edit(self, told: list[Told], at_work: dict[str, Any]) -> None:
        fields = {"summary": self.rng.choice("xyz"), "actor": self.rng.choice(("Mira", "Pike", "Zed"))}
        editing.edit_record(**at_work, record=self.rng.randrange(len(told)), fields=fields)

    def undo(self, told: list[Told], at_work: dict[str, Any]) -> None:
        history.undo(**at_work)

    def run(self, told: list[Told], at_work: dict[str, Any]) -> None:
        """Tell the newest version again, one turn of it in other words."""
        told = deepcopy(told)
        self.rng.choice(told)["summary"] = "Said otherwise."
        self.made(told, 0)

    def correct(self, told: list[Told], at_work: dict[str, Any]) -> None:
        """Put a line in front, reword one, and tell the newest version again."""
        self.texts[self.rng.randrange(len(self.texts))] = f"Reworded {self.rng.random()}."
        self.texts.insert(0, f"A recap {self.rng.random()}.")
        upload(self.session, self.texts, self.gm)
        self.made(deepcopy(told), 1)

    def made(self, told: list[Told], more: int) -> None:
        page = self.session.transcripts.latest("revision") if more else self.head.transcript
        for record in told:
            cited = [(ref["start_unit_id"] + more, ref["end_unit_id"] + more) for ref in record["source_refs"]]
            record["source_refs"] = families.refs(page, cited)
        self.artifact.versions.filter(state="pending").update(state="superseded")
        families.make_version(page, "combat-turns", told)


def bound(secret: Secret) -> list[bytes]:
    """Return how it is told, in no order: nobody asks for one but the first."""
    told = Secret.objects.get(pk=secret.pk).binding["records"]
    return [orjson.dumps(told[0]), *sorted(map(orjson.dumps, told[1:]))]


@pytest.mark.parametrize("seed", range(6))
def test_a_secret_binds_the_same_whether_it_came_before_a_history_or_after_it(
    seed: int, session: GameSession, gm: User
) -> None:
    table = Table(session, gm, seed)
    first = secrets.hide_occurrence(version=table.first, record=1, by=gm)
    for _ in range(STEPS):
        table.happens()
    secrets.reveal(secret_id=first.pk, by=gm)
    second = secrets.hide_occurrence(version=table.first, record=1, by=gm)

    assert bound(second) == bound(first)
