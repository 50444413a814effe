"""What each act on a registry makes of it, and what it refuses."""

from __future__ import annotations

import pytest
from django.contrib.auth.models import User

from campaigns.actions import entries, reviews, versions
from campaigns.errors import ActionError, Invalid, NotFound
from campaigns.models import ArtifactVersion, AuditEntry, Decision, EntryAlias, RegistryEntry, Transcript
from extraction.codes import Code
from tests.campaigns.review import families
from tests.campaigns.reviews.acting import (
    DELL,
    GROUP,
    PEOPLE,
    QUILLON,
    VOSS,
    WICK,
    cited,
    fails,
    id_of,
    names,
    on,
    ranges,
    records,
)
from tests.leaks import Leaks

State = ArtifactVersion.State


def test_accept_vouches_for_the_members_and_changes_no_record(registry: ArtifactVersion, gm: User) -> None:
    made = reviews.accept(**on(registry), record=VOSS, reason=" Told so at the table. ", by=gm)

    assert made.version.digest == registry.digest
    assert made.version.consolidations["applied"][0]["by"] == "review"
    assert (made.decision.kind, made.decision.reason) == ("accept", "Told so at the table.")
    assert [key["key"] for key in made.decision.keys] == ["aurelio voss", "captain voss"]


def test_act_makes_the_next_version_of_the_one_it_was_given(registry: ArtifactVersion, gm: User) -> None:
    made = reviews.rename(**on(registry), record=WICK, name="Old Wick", by=gm).version
    registry.refresh_from_db()

    assert (made.number, made.origin, made.parent, made.state) == (2, "review", registry, State.PENDING)
    assert (registry.state, made.created_by, made.lane_run) == (State.SUPERSEDED, gm, None)
    assert made.manifest["review"] == {"parent": 1, "act": "rename"}


def test_undo_consolidation_returns_members_as_they_were(registry: ArtifactVersion, gm: User) -> None:
    made = reviews.undo_consolidation(**on(registry), record=VOSS, by=gm).version

    assert cited(made) == {
        **{name: list(refs) for name, refs in PEOPLE.items() if name != "Aurelio Voss"},
        **{name: list(refs) for name, refs in GROUP.items()},
    }
    assert {record["name"]: record["id"] for record in records(made)} == {name: id_of(name) for name in cited(made)}
    assert made.consolidations["applied"] == []
    assert made.consolidations["proposals"][0]["verdict"] == Code.DECISION_OVERRULED


def test_choose_canonical_takes_the_members_name_and_id(registry: ArtifactVersion, gm: User) -> None:
    made = reviews.choose_canonical(**on(registry), record=VOSS, member=1, by=gm).version

    assert names(made)[-1] == "Captain Voss"
    assert records(made)[-1]["id"] == id_of("Captain Voss")
    assert cited(made)["Captain Voss"] == list(PEOPLE["Aurelio Voss"])


def test_merge_unites_evidence_under_the_chosen_name(registry: ArtifactVersion, gm: User) -> None:
    made = reviews.merge(**on(registry), records=(DELL, QUILLON), canonical=QUILLON, by=gm).version

    assert cited(made)["Mother Quillon"] == [(44, 46), (55, 55), (11, 14), (21, 21), (210, 208)]
    assert "Harbourmaster Dell" not in names(made)
    applied = {group["canonical"]: group for group in made.consolidations["applied"]}
    assert [member["name"] for member in applied["Mother Quillon"]["members"]] == [
        "Harbourmaster Dell",
        "Mother Quillon",
    ]


def test_merge_of_consolidations_keeps_every_member(registry: ArtifactVersion, gm: User) -> None:
    made = reviews.merge(**on(registry), records=(WICK, VOSS), canonical=WICK, by=gm).version
    (group,) = made.consolidations["applied"]

    assert [member["name"] for member in group["members"]] == ["Wick", "Aurelio Voss", "Captain Voss"]


@pytest.mark.parametrize(("given", "canonical"), [((DELL,), DELL), ((DELL, DELL), DELL), ((DELL, WICK), VOSS)])
def test_merge_refuses_what_is_no_group(
    registry: ArtifactVersion, gm: User, given: tuple[int, ...], canonical: int
) -> None:
    with pytest.raises(ActionError):
        reviews.merge(**on(registry), records=given, canonical=canonical, by=gm)

    assert registry.artifact.versions.count() == 1


def test_split_evidence_makes_a_record_of_its_own(registry: ArtifactVersion, gm: User) -> None:
    made = reviews.split_evidence(**on(registry), record=DELL, refs=[2], name="The  Lantern Woman", by=gm).version

    assert cited(made)["Harbourmaster Dell"] == [(44, 46), (55, 55)]
    assert cited(made)["The Lantern Woman"] == [(210, 208)]
    assert names(made)[-1] == "The Lantern Woman"


def test_split_evidence_gives_to_another_record(registry: ArtifactVersion, gm: User) -> None:
    made = reviews.split_evidence(**on(registry), record=DELL, refs=[0, 1], to=QUILLON, by=gm).version

    assert cited(made)["Mother Quillon"] == [(44, 46), (55, 55), (11, 14), (21, 21)]
    assert names(made)[0] == "Mother Quillon"


def test_split_evidence_takes_from_every_member_that_has_it(registry: ArtifactVersion, gm: User) -> None:
    made = reviews.split_evidence(**on(registry), record=VOSS, refs=[2], to=WICK, by=gm).version
    (group,) = made.consolidations["applied"]

    assert [ranges(member) for member in group["members"]] == [[(18, 18)], [(18, 20)]]
    assert cited(made)["Wick"] == [(50, 52), (204, 209), (206, 205)]


def test_split_evidence_leaves_no_member_without(registry: ArtifactVersion, gm: User) -> None:
    with pytest.raises(Invalid) as refused:
        reviews.split_evidence(**on(registry), record=VOSS, refs=[1], to=WICK, by=gm)

    (problem,) = refused.value.problems
    assert (problem.record, problem.field, problem.code) == (VOSS, "source_refs", Code.REVIEW_MEMBER_UNPROVEN)
    assert "Captain Voss" in problem.sentence
    assert registry.artifact.versions.count() == 1


def test_rename_derives_the_id_and_keeps_the_old_one_resolving(
    registry: ArtifactVersion, gm: User, transcript: Transcript
) -> None:
    made = reviews.rename(**on(registry), record=WICK, name="  Wick the\u00a0Eel-Catcher ", by=gm).version
    versions.approve(version_id=made.pk, note="", by=gm)

    assert records(made)[WICK]["id"] == id_of("Wick the Eel-Catcher")
    entry = RegistryEntry.objects.get(name="Wick the Eel-Catcher")
    assert EntryAlias.objects.get(entity_id=id_of("Wick")).entry == entry


@pytest.mark.parametrize(
    ("name", "code"),
    [
        pytest.param("  ", Code.RECORD_NAME_EMPTY, id="blank"),
        pytest.param("wick\x00", Code.RECORD_NAME_EMPTY, id="control"),
        pytest.param("MOTHER QUILLON", Code.IDENTITY_DUPLICATE, id="taken"),
        pytest.param("w" * 201, Code.RECORD_NAME_TOO_LONG, id="long"),
    ],
)
def test_rename_says_what_is_wrong_beside_the_field(registry: ArtifactVersion, gm: User, name: str, code: Code) -> None:
    with pytest.raises(Invalid) as refused:
        reviews.rename(**on(registry), record=WICK, name=name, by=gm)

    assert code in {problem.code for problem in refused.value.problems}
    assert any(problem.record == WICK for problem in refused.value.problems)
    assert all(problem.sentence for problem in refused.value.problems)
    assert not Decision.objects.exists()


def test_remove_takes_the_record_out_and_remembers_it(registry: ArtifactVersion, gm: User) -> None:
    made = reviews.remove(**on(registry), record=VOSS, by=gm).version

    assert names(made) == ["Harbourmaster Dell", "Wick", "Mother Quillon"]
    assert [record["name"] for record in made.consolidations["removed"]] == ["Aurelio Voss", "Captain Voss"]


def test_mark_same_unites_under_the_first_name(registry: ArtifactVersion, gm: User) -> None:
    made = reviews.mark_same(**on(registry), one=QUILLON, other=WICK, by=gm)

    assert "Wick" not in names(made.version)
    assert made.decision.kind == "same"


@pytest.mark.parametrize("mark", [reviews.mark_not_same, reviews.mark_unsure])
def test_mark_of_separate_records_changes_no_record(registry: ArtifactVersion, gm: User, mark: object) -> None:
    made = mark(**on(registry), one=DELL, other=WICK, by=gm)  # type: ignore[operator]  # both take these

    assert made.version.digest == registry.digest
    assert made.decision.data["sides"] == [
        [{"key": "harbourmaster dell", "anchor": None}],
        [{"key": "wick", "anchor": None}],
    ]


def test_mark_not_same_parts_a_consolidation(registry: ArtifactVersion, gm: User) -> None:
    whole = reviews.merge(**on(registry), records=(WICK, VOSS), canonical=VOSS, by=gm).version
    made = reviews.mark_not_same(**on(whole), one=WICK, members=[1, 2], by=gm).version

    assert cited(made)["Wick"] == list(PEOPLE["Wick"])
    assert cited(made)["Aurelio Voss"] == list(PEOPLE["Aurelio Voss"])


def test_places_of_one_name_are_told_apart_by_where_they_start(transcript: Transcript, gm: User) -> None:
    mills = [families.place(transcript, "The Mill", ((41, 41),)), families.place(transcript, "The Mill", ((9, 9),))]
    version = families.make_version(transcript, "locations", mills)
    made = reviews.mark_not_same(**on(version), one=0, other=1, by=gm)

    assert [key["anchor"] for key in made.decision.keys] == [41, 9]


@pytest.mark.parametrize("record", [-1, 4])
def test_act_on_a_record_that_is_not_there(registry: ArtifactVersion, gm: User, record: int) -> None:
    with pytest.raises(NotFound) as refused:
        reviews.remove(**on(registry), record=record, by=gm)

    assert refused.value.code is Code.REVIEW_RECORD_UNKNOWN


def test_registry_acts_are_for_registries(transcript: Transcript, gm: User) -> None:
    version = families.make_version(transcript, "spells", [])

    with pytest.raises(ActionError):
        reviews.merge(**on(version), records=(0, 1), canonical=0, by=gm)


def test_audit_of_an_act_holds_no_name(registry: ArtifactVersion, gm: User, leaks: Leaks) -> None:
    reviews.merge(**on(registry), records=(DELL, QUILLON), canonical=DELL, by=gm)
    row = AuditEntry.objects.get(act="review.merge")

    assert row.facts["number"] == 2
    assert leaks.found_in([row.facts, row.subject, row.act]) == []


def test_acts_touch_the_campaign_registry_only_at_approval(registry: ArtifactVersion, gm: User) -> None:
    versions.approve(version_id=registry.pk, note="", by=gm)
    before = sorted(RegistryEntry.objects.values_list("name", flat=True))
    made = reviews.rename(**on(registry), record=WICK, name="Old Wick", by=gm).version

    assert sorted(RegistryEntry.objects.values_list("name", flat=True)) == before
    assert registry.artifact.versions.approved().get() == registry

    versions.approve(version_id=made.pk, note="", by=gm)

    assert "Old Wick" in RegistryEntry.objects.values_list("name", flat=True)


def test_approval_is_undone_whole_where_the_registry_cannot_be_rebuilt(
    registry: ArtifactVersion, gm: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = reviews.rename(**on(registry), record=WICK, name="Old Wick", by=gm).version
    monkeypatch.setattr(entries, "_write", fails)

    with pytest.raises(RuntimeError):
        versions.approve(version_id=made.pk, note="", by=gm)

    made.refresh_from_db()
    assert made.state == State.PENDING
