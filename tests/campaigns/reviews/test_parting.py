"""Units that go from a record to another: out of the middle of a range, whole ranges, and what is refused."""

from __future__ import annotations

import random

import pytest
from django.contrib.auth.models import User

from campaigns.actions import editing, reviews
from campaigns.actions.drafts import Draft, open_draft
from campaigns.actions.nodes import Record
from campaigns.actions.parting import part_evidence
from campaigns.errors import Invalid, NotFound
from campaigns.models import ArtifactVersion
from tests.campaigns.reviews.acting import DELL, QUILLON, VOSS, WICK, cited, head, on

pytestmark = pytest.mark.django_db
DELLS, QUILLONS = "Harbourmaster Dell", "Mother Quillon"


def test_units_move_out_of_a_range_which_is_cut(registry: ArtifactVersion, gm: User) -> None:
    made = editing.move_evidence(**on(registry), record=DELL, refs=[], ranges=[(45, 45), (210, 208)], to=QUILLON, by=gm)
    found = cited(made.version)

    assert found[DELLS] == [(44, 44), (46, 46), (55, 55)]
    assert found[QUILLONS] == [(45, 45), (55, 55), (11, 14), (21, 21), (210, 208)]


def test_whole_references_and_units_move_together(registry: ArtifactVersion, gm: User) -> None:
    made = editing.move_evidence(**on(registry), record=DELL, refs=[2], ranges=[(46, 46)], to=WICK, by=gm)

    assert cited(made.version)[DELLS] == [(44, 45), (55, 55)]


def test_units_split_off_to_a_new_record(registry: ArtifactVersion, gm: User) -> None:
    made = reviews.split_evidence(**on(registry), record=DELL, refs=[], ranges=[(44, 45)], name="The clerk", by=gm)
    found = cited(made.version)

    assert (found["The clerk"], found[DELLS][0]) == ([(44, 45)], (46, 46))


def test_member_keeps_what_is_left_of_its_own_range(registry: ArtifactVersion, gm: User) -> None:
    made = editing.move_evidence(**on(registry), record=VOSS, refs=[], ranges=[(20, 20)], to=WICK, by=gm).version
    (group,) = made.consolidations["applied"]
    members = {
        one["name"]: [(ref["start_unit_id"], ref["end_unit_id"]) for ref in one["source_refs"]]
        for one in group["members"]
    }

    assert members == {"Aurelio Voss": [(18, 18), (204, 209)], "Captain Voss": [(18, 18)]}


@pytest.mark.parametrize(
    ("ranges", "error"),
    [
        pytest.param([(50, 50)], Invalid, id="not-cited"),
        pytest.param([(44, 47)], Invalid, id="partly-cited"),
        pytest.param([(44, 99_999)], Invalid, id="no-such-unit"),
        pytest.param([(44, 46), (55, 55), (210, 208)], Invalid, id="nothing-left"),
        pytest.param([], NotFound, id="nothing-named"),
    ],
)
def test_move_is_refused_and_changes_nothing(
    ranges: list[tuple[int, int]], error: type[Exception], registry: ArtifactVersion, gm: User
) -> None:
    with pytest.raises(error):
        editing.move_evidence(**on(registry), record=DELL, refs=[], ranges=ranges, to=QUILLON, by=gm)

    assert head(registry) == registry


def units_of(draft: Draft, refs: list[Record]) -> set[int]:
    places = [
        (draft.scope.index.position(ref["start_unit_id"]), draft.scope.index.position(ref["end_unit_id"]))
        for ref in refs
    ]
    return {at for start, end in places for at in range(start, end + 1)}


@pytest.mark.parametrize("seed", range(40))
def test_parts_have_every_unit_that_was_cited_and_only_what_was_asked_for_goes(
    seed: int, registry: ArtifactVersion
) -> None:
    dice = random.Random(seed)  # noqa: S311 - which units, not a secret
    draft = open_draft(registry)
    refs = draft.node(DELL).record["source_refs"]
    cited_units = units_of(draft, refs)
    wanted = set(dice.sample(sorted(cited_units), dice.randint(1, len(cited_units))))
    ids = [draft.scope.index.unit_at(at).unit_id for at in wanted]
    kept, going = part_evidence(draft, DELL, [], [(unit, unit) for unit in ids])

    assert units_of(draft, going) == wanted
    assert units_of(draft, kept) == cited_units - wanted
    assert draft.node(DELL).record["source_refs"] == refs
