"""What is told before an act is what the act does, and telling it writes nothing."""

from __future__ import annotations

import pytest
from django.contrib.auth.models import User

from campaigns.actions import decisions, impacts, reviews
from campaigns.errors import Conflict, Invalid
from campaigns.models import ArtifactVersion, Decision, Transcript
from extraction.canonical import JsonValue
from tests.campaigns.review import families
from tests.campaigns.reviews.acting import DELL, QUILLON, VOSS, WICK, id_of, on, records


@pytest.fixture
def elsewhere(transcript: Transcript) -> None:
    def seen(name: str, unit: int) -> dict[str, JsonValue]:
        refs = families.refs(transcript, ((unit, unit),))
        return {"npc_id": id_of(name), "name": name, "kind": "mention", "source_refs": refs}

    families.make_version(
        transcript, "npc-occurrences", [seen("Wick", 50), seen("Mother Quillon", 12), seen("Wick", 205)]
    )
    act = families.action("He throws it.", None, ["wick"])
    families.make_version(
        transcript,
        "combat-turns",
        [
            families.turn(transcript, "Mother Quillon", [act], "She throws.", ((12, 12),)),
            families.turn(transcript, "Captain Voss", [families.action("He asks.")], "He asks.", ((209, 209),)),
        ],
    )


def test_impact_of_merge_counts_what_would_change(registry: ArtifactVersion, elsewhere: None) -> None:
    impact = impacts.impact_of_merge(**on(registry), records=(WICK, DELL), canonical=DELL)

    assert impact.ids == ((id_of("Wick"), id_of("Harbourmaster Dell")),)
    assert impact.occurrences is not None
    assert impact.occurrences.positions == (0, 2)
    assert impact.combat_turns is not None
    assert impact.combat_turns.positions == (0,)
    assert (impact.spells, impact.enemy_events) == (None, None)


def test_impact_of_rename_and_remove(registry: ArtifactVersion, elsewhere: None) -> None:
    renamed = impacts.impact_of_rename(**on(registry), record=VOSS, name="The Captain")
    gone = impacts.impact_of_remove(**on(registry), record=QUILLON)

    assert renamed.ids == ((id_of("Aurelio Voss"), id_of("The Captain")),)
    assert renamed.combat_turns is not None
    assert renamed.combat_turns.positions == (1,)
    assert gone.ids == ((id_of("Mother Quillon"), None),)
    assert gone.occurrences is not None
    assert gone.occurrences.count == 1


def test_impact_writes_nothing_and_agrees_with_the_act(registry: ArtifactVersion, gm: User) -> None:
    impact = impacts.impact_of_merge(**on(registry), records=(WICK, DELL), canonical=DELL)
    assert (registry.artifact.versions.count(), Decision.objects.count()) == (1, 0)

    before = {record["id"] for record in records(registry)}
    made = reviews.merge(**on(registry), records=(WICK, DELL), canonical=DELL, by=gm).version

    assert {old for old, _ in impact.ids} == before - {record["id"] for record in records(made)}


def test_impact_refuses_what_the_act_would_refuse(registry: ArtifactVersion, gm: User) -> None:
    with pytest.raises(Invalid):
        impacts.impact_of_rename(**on(registry), record=WICK, name="mother quillon")
    reviews.remove(**on(registry), record=WICK, by=gm)
    with pytest.raises(Conflict):
        impacts.impact_of_remove(**on(registry), record=DELL)


def test_impact_of_another_canonical_name(registry: ArtifactVersion, elsewhere: None, gm: User) -> None:
    impact = impacts.impact_of_canonical(**on(registry), record=VOSS, member=1)

    assert impact.ids == ((id_of("Aurelio Voss"), id_of("Captain Voss")),)
    assert impact.combat_turns is not None
    assert impact.combat_turns.positions == ()
    assert registry.artifact.versions.count() == 1
    made = reviews.choose_canonical(**on(registry), record=VOSS, member=1, by=gm).version
    assert id_of("Captain Voss") in {record["id"] for record in records(made)}


def test_impact_of_parting_counts_what_may_belong_to_either_part(
    registry: ArtifactVersion, elsewhere: None, gm: User
) -> None:
    """The id stays with one member, and still a turn that was written with its name may be the other's."""
    named = reviews.choose_canonical(**on(registry), record=VOSS, member=1, by=gm).version
    apart = impacts.impact_of_undo(**on(named), record=VOSS)
    parted = impacts.impact_of_parting(**on(named), record=VOSS, members=[0])

    assert apart.ids == parted.ids == ()
    assert apart.combat_turns is not None
    assert parted.combat_turns is not None
    assert apart.combat_turns.positions == parted.combat_turns.positions == (1,)


def test_impact_of_merge_tells_what_it_would_contradict(registry: ArtifactVersion, gm: User) -> None:
    apart = reviews.mark_not_same(**on(registry), one=WICK, other=DELL, by=gm)
    quiet = impacts.impact_of_merge(**on(apart.version), records=(WICK, QUILLON), canonical=WICK)
    loud = impacts.impact_of_merge(**on(apart.version), records=(WICK, DELL), canonical=WICK)
    same = reviews.mark_same(**on(apart.version), one=WICK, other=DELL, by=gm)

    assert (quiet.against, loud.against) == ((), (apart.decision,))
    assert decisions.contradictions(registry.artifact.session, "dnd/npcs") == ((apart.decision, same.decision),)
