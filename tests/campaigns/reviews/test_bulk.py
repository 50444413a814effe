"""Accepting what nobody disputes: which merges those are, and that all of them go back together."""

from __future__ import annotations

import pytest
from django.contrib.auth.models import User

from campaigns.actions import audit, bulk, decisions, history, reviews
from campaigns.errors import ActionError
from campaigns.models import ArtifactVersion, Decision, Transcript
from extraction.codes import Code
from extraction.findings import warning
from tests import factories
from tests.campaigns.reviews.acting import DELL, GROUP, PEOPLE, VOSS, WICK, fails, group_of, on

FERRY = {"Mother Quillon": ((11, 14),), "the ferrywoman": ((55, 55), (21, 21))}
QUILLON = 2


@pytest.fixture
def merged(transcript: Transcript) -> ArtifactVersion:
    """Mother Quillon 2 and Aurelio Voss 3 are each made of two."""
    one, other = group_of(transcript, GROUP), group_of(transcript, FERRY)
    held = {name: [*one[name], *other[name]] for name in ("applied", "proposals")}  # type: ignore[misc]
    return factories.make_version(transcript, PEOPLE, consolidations=held)


def test_undisputed_are_the_merges_that_nobody_has_judged(merged: ArtifactVersion, gm: User) -> None:
    assert bulk.undisputed(merged) == [QUILLON, VOSS]

    made = reviews.accept(**on(merged), record=VOSS, by=gm).version
    assert bulk.undisputed(made) == [QUILLON]


@pytest.mark.parametrize("against", ["warning", "proposal", "decision"])
def test_merge_that_something_speaks_against_is_left_to_a_person(
    against: str, merged: ArtifactVersion, gm: User
) -> None:
    if against == "warning":
        merged.findings = [warning(Code.EVIDENCE_UNRELATED, f"record[{VOSS}]").as_json()]
    elif against == "proposal":
        conflict = {"members": ["Captain Voss", "Wick"], "canonical": "Wick", "verdict": Code.RECONCILE_CONFLICT.value}
        merged.consolidations["proposals"].append(conflict)
    else:
        apart = reviews.undo_consolidation(**on(merged), record=VOSS, by=gm).version
        merged = reviews.mark_unsure(
            **on(history.undo(**on(apart), by=gm).version), one=DELL, other=WICK, by=gm
        ).version
        Decision.objects.filter(kind="unsure").update(
            keys=[{"key": "aurelio voss", "anchor": None}, {"key": "captain voss", "anchor": None}]
        )

    assert bulk.undisputed(merged) == [QUILLON]


def test_merge_that_was_made_as_one_says_nothing_against_it(merged: ArtifactVersion) -> None:
    merged.findings = [warning(Code.RECONCILE_APPLIED, f"record[{VOSS}]").as_json()]

    assert bulk.undisputed(merged) == [QUILLON, VOSS]


def test_accept_all_makes_one_version_and_a_decision_a_merge(merged: ArtifactVersion, gm: User) -> None:
    made = bulk.accept_all(**on(merged), records=[QUILLON, VOSS], reason="Read them.", by=gm).version
    rows = Decision.objects.order_by("pk")

    assert (made.number, made.digest) == (2, merged.digest)
    assert all(group["by"] == "review" for group in made.consolidations["applied"])
    assert [(row.kind, row.made, row.reason) for row in rows] == [("accept", made, "Read them.")] * 2
    assert [{key["key"] for key in row.keys} for row in rows] == [
        {"mother quillon", "the ferrywoman"},
        {"aurelio voss", "captain voss"},
    ]


def test_one_undo_takes_all_back_and_one_redo_does_all_again(merged: ArtifactVersion, gm: User) -> None:
    session, lane = merged.artifact.session, merged.artifact.lane
    first = reviews.rename(**on(merged), record=WICK, name="Old Wick", by=gm).version
    made = bulk.accept_all(**on(first), records=bulk.undisputed(first), by=gm).version
    undone = history.undo(**on(made), by=gm).version

    assert (undone.digest, undone.consolidations) == (first.digest, first.consolidations)
    assert [row.kind for row in decisions.live(session, lane)] == ["rename"]

    again = history.redo(**on(undone), by=gm).version

    assert again.consolidations == made.consolidations
    assert [row.kind for row in decisions.live(session, lane)] == ["rename", "accept", "accept"]
    assert history.stack_of(again).next_redo is None

    back = history.undo(**on(history.undo(**on(again), by=gm).version), by=gm).version

    assert (back.digest, back.consolidations) == (merged.digest, merged.consolidations)


def test_accept_all_is_whole_or_not_done(merged: ArtifactVersion, gm: User, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(audit, "record", fails)
    with pytest.raises(RuntimeError):
        bulk.accept_all(**on(merged), records=[QUILLON, VOSS], by=gm)

    assert (merged.artifact.versions.count(), Decision.objects.count()) == (1, 0)


@pytest.mark.parametrize("records", [[], [WICK], [VOSS, WICK]])
def test_accept_all_refuses_what_is_no_merge(records: list[int], merged: ArtifactVersion, gm: User) -> None:
    with pytest.raises(ActionError):
        bulk.accept_all(**on(merged), records=records, by=gm)

    assert merged.artifact.versions.count() == 1
