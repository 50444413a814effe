"""Whatever is judged, a run with the same proposals comes to what the review came to, unless judgements contradict."""

from __future__ import annotations

from functools import partial
from typing import Any

from django.contrib.auth.models import User
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from campaigns.actions import decisions, history, reviews
from campaigns.actions.drafts import Reviewed
from campaigns.adapters.documents import load_document
from campaigns.errors import ActionError
from campaigns.models import ArtifactVersion, Decision, Transcript
from extraction.dnd.artifacts.reading import records_of
from extraction.dnd.npcs.identity import identify
from extraction.dnd.shared.reconcile import ReconcileReply, apply_groups
from extraction.lanes.job import Judgement
from extraction.lanes.lane import Scope
from extraction.source.index import DocumentIndex
from tests import factories
from tests.campaigns.reviews.acting import cited, group_of, on

FOUND = {
    "Harbourmaster Dell": ((44, 46),),
    "Wick": ((50, 52),),
    "Mother Quillon": ((11, 14), (21, 21)),
    "Captain Voss": ((18, 18),),
    "Aurelio Voss": ((204, 209),),
    "The Captain": ((202, 202),),
}
GROUP = {name: FOUND[name] for name in ("Captain Voss", "Aurelio Voss", "The Captain")}
UNITED = {
    **{name: refs for name, refs in FOUND.items() if name not in GROUP},
    "Captain Voss": ((18, 18), (204, 209), (202, 202)),
}
STEP = st.tuples(
    st.sampled_from(
        ["accept", "explode", "canonical", "merge", "same", "not_same", "part", "rename", "remove", "undo", "redo"]
    ),
    st.integers(0, 5),
    st.integers(0, 5),
)


def _step(version: ArtifactVersion, step: tuple[str, int, int], by: User) -> ArtifactVersion:
    kind, one, other = step
    acts: dict[str, partial[Reviewed]] = {
        "accept": partial(reviews.accept, record=one),
        "explode": partial(reviews.undo_consolidation, record=one),
        "canonical": partial(reviews.choose_canonical, record=one, member=other),
        "merge": partial(reviews.merge, records=(one, other), canonical=other),
        "same": partial(reviews.mark_same, one=one, other=other),
        "not_same": partial(reviews.mark_not_same, one=one, other=other),
        "part": partial(reviews.mark_not_same, one=one, members=[other]),
        "rename": partial(reviews.rename, record=one, name=f"Somebody {other}"),
        "remove": partial(reviews.remove, record=one),
        "undo": partial(history.undo),
        "redo": partial(history.redo),
    }
    try:
        return acts[kind](**on(version), by=by).version
    except ActionError:
        return version


def _run_again(transcript: Transcript, verdicts: tuple[Judgement, ...]) -> Any:
    """Return what the application makes of the same records and the same reply under these decisions."""
    index = DocumentIndex(load_document(transcript))
    scope = Scope(index, {}, {}, 0, lambda prompt, materials: 0, verdicts=verdicts)
    extracted: Any = factories.npcs_payload(transcript, FOUND)["npcs"]
    members = [{"name": name, "source_refs": []} for name in GROUP]
    reply = ReconcileReply.model_validate({"duplicate_groups": [{"members": members, "canonical": members[0]}]})
    return apply_groups(records_of("npcs", extracted), reply, scope, identify).value


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(steps=st.lists(STEP, max_size=6))
def test_run_after_any_judgements_comes_to_what_the_review_came_to(
    transcript: Transcript, gm: User, steps: list[tuple[str, int, int]]
) -> None:
    Decision.objects.all()._raw_delete("default")
    transcript.session.artifacts.all().delete()
    version = factories.make_version(transcript, UNITED, consolidations=group_of(transcript, GROUP))
    for step in steps:
        version = _step(version, step, gm)
    session = transcript.session
    again = _run_again(transcript, decisions.verdicts_for(session, "dnd/npcs"))
    outcomes = {said["outcome"] for said in again.consolidations.get("decisions", ())}

    if wrong := decisions.contradictions(session, "dnd/npcs"):
        # A new name takes the place of the old one; only what parts and what unites can contradict each other.
        assert all({row.kind for row in rows} & {"explode", "not_same", "remove"} for rows in wrong)
        assert "contradicted" in outcomes
        return
    assert {
        record.name: [(ref.start_unit_id, ref.end_unit_id) for ref in record.source_refs] for record in again.records
    } == cited(version)
    assert "contradicted" not in outcomes
