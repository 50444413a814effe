"""What the forms of a review ask for, filled from the version that is seen and from what came back."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, cast

import orjson
from django.http import QueryDict

from campaigns.actions import bindings
from campaigns.actions.bulk import undisputed
from campaigns.actions.nodes import Node, Record, heading, read_nodes
from campaigns.errors import ActionError, Invalid, Problem
from campaigns.library.places import positions_of
from campaigns.models import ArtifactVersion
from campaigns.presentation import shown
from campaigns.record_fields import UNITS_HELP, Field, Fieldset, Option, fieldsets, read_ranges, refusal, show_ranges
from campaigns.wording import sentence_for
from extraction.canonical import JsonValue
from extraction.codes import Code
from extraction.identity import comparison_key
from extraction.registry import LANES

MALFORMED = sentence_for({"code": Code.RECORD_SHAPE.value})
MOST_RANGES = 50_000
MOST_PROBLEMS = 20
NO_ACTION = "A turn has at least one action."
ONE_ACTION = "This turn has one action, so it cannot be split: add the other one first."
PLACED = "location-occurrences"
UNCITED = "Name at least one unit: a record stands on the lines that it cites."


@dataclass(frozen=True, slots=True)
class Seen:
    """The version that a form is about, as the reviewer sees it."""

    version: ArtifactVersion
    nodes: tuple[Node, ...]

    @classmethod
    def of(cls, version: ArtifactVersion) -> Seen:
        items = orjson.loads(version.payload)[LANES[version.artifact.lane].records_key]
        return cls(version, tuple(read_nodes(items, version.consolidations)))

    @property
    def lane(self) -> str:
        return self.version.artifact.lane

    @property
    def family(self) -> str:
        return LANES[self.lane].family

    def node(self, number: int | None) -> Node | None:
        return self.nodes[number] if number is not None and 0 <= number < len(self.nodes) else None

    def spelled(self) -> dict[str, str]:
        """Return the names as the records spell them, by comparison key: also of members and of what was removed."""
        atoms = [*self.version.consolidations.get("removed", ()), *(atom for node in self.nodes for atom in node.atoms)]
        return {comparison_key(heading(one)): heading(one) for one in atoms}

    def places(self) -> list[Record]:
        """Return the places that an occurrence may lead to: those of the registry that it was made with."""
        bound = bindings.as_made(self.version).get("locations")
        return [] if bound is None else list(cast("list[Record]", bound.payload["locations"]))

    def led(self, fields: Mapping[str, JsonValue]) -> dict[str, JsonValue]:
        """Return the fields with the name of the place that was chosen by its id."""
        if self.family != PLACED or "name" in fields or not fields.get("location_id"):
            return dict(fields)
        named = [str(place["name"]) for place in self.places() if place["id"] == fields["location_id"]]
        if not named:
            raise refusal("location_id", "Choose one of the places.")
        return {**fields, "name": named[0]}

    def name(self, number: int) -> str:
        return self.name_of(self.nodes[number].record)

    def name_of(self, record: Record) -> str:
        return shown(self.family, record).heading

    def options(self, chosen: Iterable[int] = (), *, without: int | None = None) -> tuple[Option, ...]:
        """Return all records to choose from, with what they cite."""
        picked = set(chosen)
        return tuple(
            Option(str(at), self.name(at), at in picked, cited_as(node.record))
            for at, node in enumerate(self.nodes)
            if at != without
        )


@dataclass(frozen=True, slots=True)
class Posted:
    """What a form said, or what a link asked for."""

    data: QueryDict

    def number(self, name: str) -> int | None:
        value = self.data.get(name, "")
        return int(value) if value.isascii() and value.isdigit() and len(value) <= 15 else None

    def numbers(self, name: str) -> list[int]:
        return [
            int(value) for value in self.data.getlist(name) if value.isascii() and value.isdigit() and len(value) <= 15
        ]

    def text(self, name: str) -> str:
        return self.data.get(name, "")

    def record(self) -> int:
        number = self.number("record")
        if number is None:
            raise ActionError("Choose a record first.")
        return number

    def chosen(self, name: str, sentence: str) -> int:
        """Return the choice; Invalid beside its field where there is none."""
        number = self.number(name)
        if number is None:
            raise refusal(name, sentence)
        return number


Ask = Callable[[Seen, Posted], Sequence[Fieldset]]


def cited_as(record: Mapping[str, Any]) -> str:
    """Return the units that a record cites, shortened; a scene's stretch."""
    refs = record.get("source_refs")
    if not isinstance(refs, list):
        return f"units {record.get('start_unit_id')} to {record.get('end_unit_id')}"
    more = f" and {len(refs) - 3} more" if len(refs) > 3 else ""
    return f"units {show_ranges(refs[:3])}{more}"


def cited_units(seen: Seen, posted: Posted, name: str = "ranges", *, needed: bool = False) -> list[tuple[int, int]]:
    """Return the ranges of a field; Invalid beside it for what is no range of the transcript, each thing told once."""
    ranges = read_ranges(posted.text(name), name)
    if needed and not ranges:
        raise Invalid([Problem(None, name, Code.EVIDENCE_MISSING.value, UNCITED)])
    if len(ranges) > MOST_RANGES:
        raise refusal(name, f"There are {len(ranges):,} units and ranges here: name at most {MOST_RANGES:,} at once.")
    transcript = seen.version.transcript_id
    found = positions_of({transcript: {unit for ends in ranges for unit in ends}})
    places = {unit: place for (_, unit), place in found.items()}
    absent = dict.fromkeys(unit for ends in ranges for unit in ends if unit not in places)
    problems = [
        Problem(None, name, Code.EVIDENCE_UNKNOWN_UNIT.value, f"There is no unit {unit} in this transcript.")
        for unit in absent
    ]
    for start, end in ranges:
        if absent.keys().isdisjoint((start, end)) and places[start] > places[end]:
            sentence = f"A range goes from the earlier unit to the later one: {start}-{end} is the other way round."
            problems.append(Problem(None, name, Code.EVIDENCE_RANGE_REVERSED.value, sentence))
    if len(problems) > MOST_PROBLEMS:
        more = replace(problems[MOST_PROBLEMS], sentence=f"And {len(problems) - MOST_PROBLEMS:,} more are wrong.")
        problems = [*problems[:MOST_PROBLEMS], more]
    if problems:
        raise Invalid(problems)
    return ranges


def with_problems(groups: Sequence[Fieldset], problems: Sequence[Problem]) -> tuple[list[Fieldset], list[str]]:
    """Put each problem beside its field; return also those of which there is no field."""
    left = list(problems)
    found = []
    for group in groups:
        fields = []
        for one in group.fields:
            own = [problem for problem in left if one.kind != "hidden" and _is_about(problem, one.name)]
            left = [problem for problem in left if problem not in own]
            fields.append(replace(one, problems=tuple(dict.fromkeys(_sentence(problem, one) for problem in own))))
        found.append(replace(group, fields=tuple(fields)))
    return found, list(dict.fromkeys(problem.sentence for problem in left))


def _sentence(problem: Problem, field: Field) -> str:
    if problem.sentence != MALFORMED:
        return problem.sentence
    return NO_ACTION if problem.field == "actions" else field.rule or problem.sentence


def _is_about(problem: Problem, name: str) -> bool:
    parts = problem.field.replace("[", ".").replace("]", "").split(".")
    if parts[0] == "source_refs":
        return name in ("ranges", "kept", "refs")
    if parts == ["actions"]:
        # Of none at all: the first one's place.
        return name in ("going", "action-0-declaration")
    if parts[0] == "actions" and len(parts) > 2:
        return name == f"action-{parts[1]}-{parts[2]}"
    return (
        name == parts[0]
        or (parts[0].endswith("_id") and name == "name")
        or (parts[0] == "name" and name == "location_id")
    )


def which_member(seen: Seen, posted: Posted) -> list[Fieldset]:
    node = seen.node(posted.number("record"))
    picked = posted.number("member")
    options = tuple(
        Option(str(at), str(member["name"]), at == picked, cited_as(member))
        for at, member in enumerate(node.members if node else ())
    )
    return [Fieldset((Field("member", "The name that it keeps", "radios", options=options),))]


def which_records(seen: Seen, posted: Posted) -> list[Fieldset]:
    record = posted.number("record")
    picked = posted.numbers("records") or ([] if record is None else [record])
    canonical = posted.number("canonical")
    keeps = seen.options([record if canonical is None and record is not None else canonical or 0])
    if canonical is None and record is None and picked:
        keeps = seen.options(picked[:1])
    return [
        Fieldset(
            (
                Field("canonical", "The name that stays", "select", options=keeps),
                Field("records", "Records that are one and the same", "checks", options=seen.options(picked)),
            )
        )
    ]


def which_merges(seen: Seen, posted: Posted) -> list[Fieldset]:
    """Return the merges that nobody disputes, all of them chosen until the form comes back."""
    came_back = "expected_version" in posted.data
    picked = posted.numbers("records")
    options = tuple(
        Option(
            str(at),
            seen.name(at),
            not came_back or at in picked,
            "from " + ", ".join(str(member["name"]) for member in seen.nodes[at].members),
        )
        for at in undisputed(seen.version)
    )
    return [Fieldset((Field("records", "Merges that nothing speaks against", "checks", options=options),))]


def which_turns(seen: Seen, posted: Posted) -> list[Fieldset]:
    record = posted.number("record")
    picked = posted.numbers("records") or ([] if record is None else [record, record + 1])
    return [Fieldset((Field("records", "Turns that are one", "checks", options=seen.options(picked)),))]


def _refs_of(seen: Seen, posted: Posted) -> tuple[Option, ...]:
    node = seen.node(posted.number("record"))
    refs = node.record.get("source_refs", ()) if node else ()
    picked = posted.numbers("refs")
    return tuple(Option(str(at), f"Units {show_ranges([ref])}", at in picked) for at, ref in enumerate(refs))


def _which_move(seen: Seen, posted: Posted) -> tuple[Field, Field]:
    return (
        Field("ranges", "Units that move", "units", posted.text("ranges"), help=UNITS_HELP),
        Field("refs", "Or all of", "checks", options=_refs_of(seen, posted)),
    )


def what_splits(seen: Seen, posted: Posted) -> list[Fieldset]:
    to = posted.number("to")
    options = seen.options([] if to is None else [to], without=posted.number("record"))
    return [
        Fieldset(
            (
                *_which_move(seen, posted),
                Field("to", "Moves to", "select", options=(Option("", "a new record"), *options)),
                Field("name", "Name of the new record", value=posted.text("name")),
            )
        )
    ]


def what_moves(seen: Seen, posted: Posted) -> list[Fieldset]:
    to = posted.number("to")
    options = seen.options([] if to is None else [to], without=posted.number("record"))
    return [
        Fieldset(
            (
                *_which_move(seen, posted),
                Field("to", "Moves to", "select", options=options),
            )
        )
    ]


def which_name(seen: Seen, posted: Posted) -> list[Fieldset]:
    node = seen.node(posted.number("record"))
    value = posted.text("name") if "name" in posted.data else (seen.name_of(node.record) if node else "")
    return [Fieldset((Field("name", "Name", value=value, help="The old id keeps resolving."),))]


def which_other(seen: Seen, posted: Posted) -> list[Fieldset]:
    other = posted.number("other")
    options = seen.options([] if other is None else [other], without=posted.number("record"))
    return [Fieldset((Field("other", "The other record", "select", options=(Option("", "choose"), *options)),))]


def which_apart(seen: Seen, posted: Posted) -> list[Fieldset]:
    node = seen.node(posted.number("record"))
    if node is None or not node.members:
        return which_other(seen, posted)
    picked = posted.numbers("members")
    members = tuple(
        Option(str(at), str(member["name"]), at in picked, cited_as(member)) for at, member in enumerate(node.members)
    )
    field = Field("members", "Members that are somebody or something else", "checks", options=members)
    return [Fieldset((field,)), *(replace(group, legend="Or another record") for group in which_other(seen, posted))]


def which_fields(seen: Seen, posted: Posted) -> list[Fieldset]:
    node = seen.node(posted.number("record"))
    came_back = (
        posted.data if any(name in posted.data for name in ("csrfmiddlewaretoken", "expected_version")) else None
    )
    groups = fieldsets(seen.family, node.record if node else None, came_back)
    return [_with_places(seen, group) for group in groups] if seen.family == PLACED else groups


def _with_places(seen: Seen, group: Fieldset) -> Fieldset:
    """Return the fields with the places to choose from in the place of name and id, where they are known."""
    places = seen.places()
    asked = next((one for one in group.fields if one.name == "location_id"), None)
    if asked is None or not places:
        return group
    options = tuple(
        Option(str(place["id"]), str(place["name"]), place["id"] == asked.value, _first_met(seen, place))
        for place in places
    )
    chosen = () if any(option.chosen for option in options) else (Option("", "choose"),)
    which = Field("location_id", "Which place", "select", options=(*chosen, *options))
    return Fieldset((which, *(one for one in group.fields if one.name not in ("name", "location_id"))))


def _first_met(seen: Seen, place: Record) -> str:
    refs = place.get("source_refs")
    session = seen.version.artifact.session
    return f"session {session.number}, from unit {refs[0]['start_unit_id']}" if refs else f"session {session.number}"


def which_units(seen: Seen, posted: Posted) -> list[Fieldset]:
    node = seen.node(posted.number("record"))
    refs = node.record.get("source_refs", ()) if node else ()
    value = posted.text("ranges") if "ranges" in posted.data else show_ranges(refs)
    return [Fieldset((Field("ranges", "Units that it cites", "units", value, help=UNITS_HELP),))]


def what_is_new(seen: Seen, posted: Posted) -> list[Fieldset]:
    blank = replace(posted, data=_without(posted.data, "record"))
    groups = which_fields(seen, blank)
    return groups if seen.family == "scenes" else [*groups, *which_units(seen, blank)]


def which_halves(seen: Seen, posted: Posted) -> list[Fieldset]:
    node = seen.node(posted.number("record"))
    actions = node.record.get("actions", ()) if node else ()
    picked = posted.numbers("going")
    cited = show_ranges(node.record["source_refs"]) if node else ""
    options = tuple(Option(str(at), str(one["declaration"]), at in picked) for at, one in enumerate(actions))
    alone = ONE_ACTION if len(actions) == 1 else ""
    summary = str(node.record["summary"]) if node else ""
    given = {"kept": cited, "ranges": cited, "kept_summary": summary, "summary": summary}
    value = {name: posted.text(name) if name in posted.data else text for name, text in given.items()}
    return [
        Fieldset(
            (
                Field("kept", "Units that it keeps", "units", value["kept"], help=UNITS_HELP),
                Field("kept_summary", "Its summary", "area", value["kept_summary"]),
            ),
            "The first turn",
        ),
        Fieldset(
            (
                Field("going", "Actions that it has", "checks", options=options, help=alone),
                Field("ranges", "Units that it cites", "units", value["ranges"], help=UNITS_HELP),
                Field("summary", "Its summary", "area", value["summary"]),
            ),
            "The second turn",
        ),
    ]


def as_asked(*names: str) -> Ask:
    def ask(seen: Seen, posted: Posted) -> list[Fieldset]:
        return [Fieldset(tuple(Field(name, "", "hidden", posted.text(name)) for name in names))]

    return ask


def _without(data: QueryDict, name: str) -> QueryDict:
    copied = data.copy()
    copied.pop(name, None)
    return copied
