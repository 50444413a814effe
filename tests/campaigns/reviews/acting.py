"""What the tests of reviews share: the standard people, and reading what a version came to."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any, TypedDict

import orjson

from campaigns.actions.drafts import Reviewed
from campaigns.models import ArtifactVersion, Transcript
from extraction.canonical import JsonValue
from extraction.identity import comparison_key, npc_id
from extraction.registry import LANES
from tests import factories

PEOPLE = {
    "Harbourmaster Dell": ((44, 46), (55, 55), (210, 208)),
    "Wick": ((50, 52), (206, 205)),
    "Mother Quillon": ((55, 55), (11, 14), (21, 21)),
    "Aurelio Voss": ((18, 20), (204, 209)),
}
GROUP = {"Aurelio Voss": ((18, 18), (204, 209)), "Captain Voss": ((18, 20),)}
# The union of what the two members cite.
PEOPLE["Aurelio Voss"] = ((18, 18), (18, 20), (204, 209))
DELL, WICK, QUILLON, VOSS = range(4)
Record = dict[str, Any]
Act = Callable[..., Reviewed]


def id_of(name: str) -> str:
    return npc_id(comparison_key(name))


def group_of(transcript: Transcript, members: factories.Ranges) -> dict[str, JsonValue]:
    """Return the review data of one applied proposal, under the name of its first member."""
    first = next(iter(members))
    payload = factories.npcs_payload(transcript, members)
    return {
        "applied": [{"id": id_of(first), "canonical": first, "members": payload["npcs"]}],
        "proposals": [{"members": list(members), "canonical": first, "verdict": "applied"}],
    }


def records(version: ArtifactVersion) -> list[Record]:
    version.refresh_from_db()
    found: list[Record] = orjson.loads(version.payload)[LANES[version.artifact.lane].records_key]
    return found


def names(version: ArtifactVersion) -> list[str]:
    return [record["name"] for record in records(version)]


def ranges(record: Record) -> list[tuple[int, int]]:
    return [(ref["start_unit_id"], ref["end_unit_id"]) for ref in record["source_refs"]]


def cited(version: ArtifactVersion) -> dict[str, list[tuple[int, int]]]:
    """Return what each record of a registry cites, by name."""
    return {record["name"]: ranges(record) for record in records(version)}


def atoms(version: ArtifactVersion) -> Counter[tuple[str, str, tuple[tuple[int, int], ...]]]:
    """Return what a registry is made of: id, name and evidence of each member, or of the record itself."""
    groups = {group["id"]: group["members"] for group in version.consolidations.get("applied", ())}
    found = [atom for record in records(version) for atom in groups.get(record["id"], [record])]
    return Counter((atom["id"], atom["name"], tuple(ranges(atom))) for atom in found)


def head(version: ArtifactVersion) -> ArtifactVersion:
    return version.artifact.versions.latest("number")


class On(TypedDict):
    artifact_id: int
    expected_version: int


def on(version: ArtifactVersion) -> On:
    """Return the arguments that name the version an act is done on."""
    return On(artifact_id=version.artifact_id, expected_version=version.number)


def fails(*args: object, **kwargs: object) -> None:
    raise RuntimeError("the second write fails")
