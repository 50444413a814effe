"""Undo and redo go back and forth exactly, whatever was done; every act is whole or not done."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from functools import partial

import pytest
from django.contrib.auth.models import User
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from campaigns.actions import audit, decisions, editing, history, reviews
from campaigns.actions.drafts import Reviewed
from campaigns.errors import ActionError, Conflict, NotFound
from campaigns.models import ArtifactVersion, Decision, Transcript
from extraction.canonical import digest
from extraction.codes import Code
from tests import factories
from tests.campaigns.reviews.acting import (
    DELL,
    GROUP,
    PEOPLE,
    QUILLON,
    VOSS,
    WICK,
    atoms,
    cited,
    fails,
    group_of,
    head,
    names,
    on,
    ranges,
    records,
)

Doing = Callable[..., Reviewed]
ACTS: dict[str, Doing] = {
    "accept": partial(reviews.accept, record=VOSS),
    "undo_consolidation": partial(reviews.undo_consolidation, record=VOSS),
    "choose_canonical": partial(reviews.choose_canonical, record=VOSS, member=1),
    "merge": partial(reviews.merge, records=(DELL, WICK), canonical=WICK),
    "split_evidence": partial(reviews.split_evidence, record=DELL, refs=[0], name="The Woman"),
    "rename": partial(reviews.rename, record=WICK, name="Old Wick"),
    "remove": partial(reviews.remove, record=WICK),
    "mark_same": partial(reviews.mark_same, one=DELL, other=WICK),
    "mark_not_same": partial(reviews.mark_not_same, one=DELL, other=WICK),
    "part": partial(reviews.mark_not_same, one=VOSS, members=[1]),
    "mark_unsure": partial(reviews.mark_unsure, one=DELL, other=WICK),
    "edit_record": partial(editing.edit_record, record=WICK, fields={"name": "Old Wick"}),
    "set_evidence": partial(editing.set_evidence, record=WICK, ranges=[(50, 50)]),
    "move_evidence": partial(editing.move_evidence, record=DELL, refs=[1], to=WICK),
    "add_record": partial(editing.add_record, fields={"name": "The Bell"}, ranges=[(203, 203)]),
    "delete_record": partial(editing.delete_record, record=QUILLON),
}


def content(version: ArtifactVersion) -> tuple[str, str]:
    version.refresh_from_db()
    return version.digest, digest(version.consolidations)


@pytest.mark.parametrize("act", ACTS.values(), ids=ACTS)
def test_undo_and_redo_of_each_act(registry: ArtifactVersion, gm: User, act: Doing) -> None:
    before = content(registry)
    after = act(**on(registry), by=gm)
    undone = history.undo(**on(after.version), by=gm)
    redone = history.redo(**on(undone.version), by=gm)

    assert content(undone.version) == before
    assert content(redone.version) == content(after.version)
    assert (undone.decision.about, redone.decision.about) == (after.decision, after.decision)
    assert redone.version.number == 4


@pytest.mark.parametrize("act", ACTS.values(), ids=ACTS)
def test_act_writes_nothing_when_its_audit_cannot_be_written(
    registry: ArtifactVersion, gm: User, act: Doing, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(audit, "record", fails)

    with pytest.raises(RuntimeError):
        act(**on(registry), by=gm)

    registry.refresh_from_db()
    assert (registry.state, registry.artifact.versions.count()) == ("pending", 1)
    assert not Decision.objects.exists()


@pytest.mark.parametrize("act", ACTS.values(), ids=ACTS)
def test_act_on_a_version_that_is_no_longer_the_head(registry: ArtifactVersion, gm: User, act: Doing) -> None:
    reviews.mark_unsure(**on(registry), one=DELL, other=QUILLON, by=gm)

    with pytest.raises(Conflict) as refused:
        act(**on(registry), by=gm)

    assert refused.value.code is Code.VERSION_STALE
    assert registry.artifact.versions.count() == 2


@pytest.mark.parametrize("act", [history.undo, history.redo])
def test_nothing_to_go_back_to(registry: ArtifactVersion, gm: User, act: Doing) -> None:
    with pytest.raises(Conflict) as refused:
        act(**on(registry), by=gm)

    assert refused.value.code is Code.REVIEW_NOTHING


def test_redo_is_gone_once_something_else_was_done(registry: ArtifactVersion, gm: User) -> None:
    first = ACTS["rename"](**on(registry), by=gm).version
    undone = history.undo(**on(first), by=gm).version
    other = ACTS["remove"](**on(undone), by=gm).version

    assert history.stack_of(other).next_redo is None
    with pytest.raises(Conflict):
        history.redo(**on(other), by=gm)


@pytest.mark.parametrize("act", [history.undo, history.redo])
def test_undo_and_redo_are_whole_or_not_done(
    registry: ArtifactVersion, gm: User, act: Doing, monkeypatch: pytest.MonkeyPatch
) -> None:
    version = ACTS["rename"](**on(registry), by=gm).version
    if act is history.redo:
        version = history.undo(**on(version), by=gm).version
    monkeypatch.setattr(audit, "record", fails)

    with pytest.raises(RuntimeError):
        act(**on(version), by=gm)

    assert head(registry) == version
    assert Decision.objects.count() == version.number - 1


def test_decision_stands_until_it_is_undone(registry: ArtifactVersion, gm: User) -> None:
    session = registry.artifact.session
    made = ACTS["remove"](**on(registry), by=gm)
    assert decisions.live(session, "dnd/npcs") == [made.decision]

    undone = history.undo(**on(made.version), by=gm)
    assert decisions.live(session, "dnd/npcs") == []

    history.redo(**on(undone.version), by=gm)
    assert decisions.live(session, "dnd/npcs") == [made.decision]


def test_roll_back_equals_the_old_version_and_its_standing_decisions(registry: ArtifactVersion, gm: User) -> None:
    session = registry.artifact.session
    first = ACTS["rename"](**on(registry), by=gm)
    second = ACTS["remove"](**on(first.version), by=gm)
    back = history.roll_back(version_id=registry.pk, expected_version=3, by=gm)

    assert content(back.version) == content(registry)
    assert decisions.live(session, "dnd/npcs") == [back.decision]

    undone = history.undo(**on(back.version), by=gm)

    assert content(undone.version) == content(second.version)
    assert decisions.live(session, "dnd/npcs") == [first.decision, second.decision]


def test_roll_back_refuses_a_stale_view_and_an_unknown_version(registry: ArtifactVersion, gm: User) -> None:
    ACTS["rename"](**on(registry), by=gm)

    with pytest.raises(Conflict):
        history.roll_back(version_id=registry.pk, expected_version=1, by=gm)
    with pytest.raises(NotFound):
        history.roll_back(version_id=0, expected_version=2, by=gm)


def test_withdraw_has_a_decision_bind_no_more(registry: ArtifactVersion, gm: User) -> None:
    made = ACTS["mark_not_same"](**on(registry), by=gm)
    row = history.withdraw(decision_id=made.decision.pk, reason="It was him.", by=gm)

    assert decisions.verdicts_for(registry.artifact.session, "dnd/npcs") == ()
    assert (row.about, row.made, head(registry)) == (made.decision, None, made.version)
    with pytest.raises(Conflict):
        history.withdraw(decision_id=made.decision.pk, by=gm)


def test_withdraw_is_whole_or_not_done(registry: ArtifactVersion, gm: User, monkeypatch: pytest.MonkeyPatch) -> None:
    made = ACTS["mark_not_same"](**on(registry), by=gm)
    monkeypatch.setattr(audit, "record", fails)

    with pytest.raises(RuntimeError):
        history.withdraw(decision_id=made.decision.pk, by=gm)

    assert Decision.objects.count() == 1


def test_history_of_a_record_tells_every_act_about_it_newest_first(registry: ArtifactVersion, gm: User) -> None:
    renamed = ACTS["rename"](**on(registry), by=gm).version
    undone = history.undo(**on(renamed), by=gm).version
    version = ACTS["accept"](**on(undone), by=gm).version
    rows = decisions.history(registry.artifact.session, "dnd/npcs")

    assert [row.kind for row in history.of_record(rows, records(version)[WICK], "dnd/npcs")] == ["undo", "rename"]
    assert [row.kind for row in history.of_record(rows, records(version)[VOSS], "dnd/npcs")] == ["accept"]


def test_decision_is_written_once(registry: ArtifactVersion, gm: User) -> None:
    row = ACTS["rename"](**on(registry), by=gm).decision

    with pytest.raises(ValueError, match="once"):
        row.save()
    with pytest.raises(ValueError, match="never"):
        row.delete()


# What parts and joins members anew; none of these adds evidence or takes any away.
REGROUPING = ("accept", "undo_consolidation", "choose_canonical", "merge", "mark_same", "rename", "part")
STEP = st.tuples(
    st.sampled_from([*REGROUPING, "undo", "redo", "mark_not_same", "split_evidence", "move_evidence", "remove"]),
    st.integers(0, 5),
    st.integers(0, 5),
)


def _step(version: ArtifactVersion, step: tuple[str, int, int], by: User) -> Reviewed | None:
    """Do the step if it can be done; None where it was refused."""
    kind, one, other = step
    arguments: dict[str, Doing] = {
        "accept": partial(reviews.accept, record=one),
        "undo_consolidation": partial(reviews.undo_consolidation, record=one),
        "choose_canonical": partial(reviews.choose_canonical, record=one, member=other),
        "merge": partial(reviews.merge, records=(one, other), canonical=other),
        "mark_same": partial(reviews.mark_same, one=one, other=other),
        "mark_not_same": partial(reviews.mark_not_same, one=one, other=other),
        "rename": partial(reviews.rename, record=one, name=f"Somebody {other}"),
        "part": partial(reviews.mark_not_same, one=one, members=[other]),
        "split_evidence": partial(reviews.split_evidence, record=one, refs=[0], name=f"Somebody {other}"),
        "move_evidence": partial(editing.move_evidence, record=one, refs=[0], to=other),
        "remove": partial(reviews.remove, record=one),
        "undo": history.undo,
        "redo": history.redo,
    }
    try:
        return arguments[kind](**on(version), by=by)
    except ActionError:
        return None


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(steps=st.lists(STEP, max_size=8))
def test_any_acts_keep_evidence_and_as_many_undos_restore_the_digest(
    transcript: Transcript, gm: User, steps: list[tuple[str, int, int]]
) -> None:
    transcript.session.artifacts.all().delete()
    start = factories.make_version(transcript, PEOPLE, consolidations=group_of(transcript, GROUP))
    units = _lines(start)
    whole = atoms(start)
    versions, current = [start], start
    for step in steps:
        made = _step(current, step, gm)
        if made is None:
            assert head(start) == current
            continue
        if step[0] in REGROUPING:
            assert atoms(made.version) == atoms(current)
        if step[0] not in ("remove", "undo", "redo"):
            assert _lines(made.version) == _lines(current)
        current = made.version
        versions.append(current)
    done = history.stack_of(current).done
    expected = [content(row.made.parent) for row in done if row.made and row.made.parent]
    for wanted in reversed(expected):
        current = history.undo(**on(current), by=gm).version

        assert content(current) == wanted
    assert (content(current), _lines(current), atoms(current)) == (content(start), units, whole)


def _lines(version: ArtifactVersion) -> Counter[tuple[int, int]]:
    """Return every line that is cited. Two records may cite one, and uniting them says it once."""
    return Counter({one for record in records(version) for one in ranges(record)})


def test_three_undos_go_back_three_acts(registry: ArtifactVersion, gm: User) -> None:
    before = [content(registry)]
    version = registry
    for name in ("merge", "rename", "undo_consolidation"):
        act = ACTS[name] if name != "undo_consolidation" else partial(reviews.undo_consolidation, record=0)
        version = act(**on(version), by=gm).version
        before.append(content(version))
    for wanted in reversed(before[:-1]):
        version = history.undo(**on(version), by=gm).version

        assert content(version) == wanted
    assert names(version) == list(PEOPLE)
    assert cited(version) == {name: list(refs) for name, refs in PEOPLE.items()}
