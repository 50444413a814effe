"""The fields of a record of each family as a form has them: what is asked, how it is shown, how it is read back.

Ids are derived and evidence is set apart, so neither is a field here; but of several places of one name only the id
says which one an occurrence leads to.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from django.http import QueryDict

from campaigns.errors import ActionError, Invalid, Problem
from extraction.canonical import JsonValue
from extraction.codes import Code

Item = Mapping[str, JsonValue]
MOST_ACTIONS = 200
RANGE = re.compile(r"(\d{1,15})(?:\s*(?:-|–|to)\s*(\d{1,15}))?")  # noqa: RUF001 - people type a dash
UNITS_HELP = "Unit numbers and ranges, such as 44-46, 55."


@dataclass(frozen=True, slots=True)
class Option:
    value: str
    label: str
    chosen: bool = False
    note: str = ""


@dataclass(frozen=True, slots=True)
class Field:
    """One control. `kind` names its markup: text, number, area, units, select, checks, radios, hidden.

    `rule` says what a value has to be, where the lane's rules only say that it is malformed.
    """

    name: str
    label: str
    kind: str = "text"
    value: str = ""
    options: tuple[Option, ...] = ()
    help: str = ""
    problems: tuple[str, ...] = ()
    rule: str = ""


@dataclass(frozen=True, slots=True)
class Fieldset:
    """Controls that belong together; without a legend they stand alone."""

    fields: tuple[Field, ...]
    legend: str = ""


@dataclass(frozen=True, slots=True)
class Spec:
    """`kind` is a Field's, or `lines` for a list with one entry a line; an optional one that is empty is null."""

    name: str
    label: str
    kind: str = "text"
    optional: bool = False
    choices: tuple[str, ...] = field(default=())
    help: str = ""
    rule: str = ""

    def show(self, value: JsonValue) -> str:
        if isinstance(value, list):
            return "\n".join(str(one) for one in value)
        return "" if value is None else str(value)

    def read(self, text: str) -> JsonValue:
        text = text.replace("\r\n", "\n")
        if self.kind == "lines":
            return [line.strip() for line in text.split("\n") if line.strip()]
        if not text.strip():
            return None if self.optional else ""
        if self.kind == "number":
            if not re.fullmatch(r"[0-9]{1,15}", text.strip()):
                raise refusal(self.name, "This is a whole number.")
            return int(text)
        return text

    def control(self, name: str, value: str) -> Field:
        if not self.choices:
            kind = "area" if self.kind == "lines" else self.kind
            rule = self.rule or ("" if self.optional else "This cannot be empty.")
            return Field(name, self.label, kind, value, help=self.help, rule=rule)
        options = tuple(Option(choice, choice.replace("_", " "), choice == value) for choice in self.choices)
        return Field(name, self.label, "select", value, options)


MODES = ("combat", "social", "exploration", "downtime", "table_talk", "other")
NPC_KINDS = ("appearance", "dialogue", "action", "mention")
ITEM_KINDS = ("acquired", "used", "transferred", "lost", "destroyed", "identified", "mentioned")
PLACE_KINDS = ("arrival", "presence", "departure", "mention")
EVENT_KINDS = ("appears", "damaged", "healed", "condition", "flees", "surrenders", "defeated", "other")
TURN_KINDS = ("turn", "reaction", "legendary_action", "lair_action", "other")
CATEGORIES = ("attack", "spell", "movement", "item", "ability_check", "saving_throw", "condition", "other")
NAME = Spec("name", "Name")
ENTRY = Spec("name", "Who or what", help="A name that the registry has.")
TARGETS = Spec("targets", "Targets", "lines", help="One a line.")
SPECS: Mapping[str, tuple[Spec, ...]] = {
    "npcs": (NAME,),
    "items": (NAME,),
    "locations": (NAME,),
    "scenes": (
        Spec("title", "Title"),
        Spec("primary_mode", "Mode", choices=MODES),
        Spec("start_unit_id", "Starts at unit", "number", help="It ends where the next scene starts."),
    ),
    "npc-occurrences": (ENTRY, Spec("kind", "Kind", choices=NPC_KINDS)),
    "item-occurrences": (
        ENTRY,
        Spec("kind", "Kind", choices=ITEM_KINDS),
        Spec("actor", "By", optional=True),
        Spec("recipient", "To", optional=True),
        Spec("detail", "Detail", "area", optional=True),
    ),
    "location-occurrences": (
        ENTRY,
        Spec("kind", "Kind", choices=PLACE_KINDS),
        Spec("location_id", "Id of the place", help="Only counts where several places have this name."),
    ),
    "spells": (
        Spec("caster", "Cast by"),
        Spec("spell", "Spell"),
        Spec(
            "level",
            "Level",
            "number",
            optional=True,
            help="0 is a cantrip; empty where nobody said.",
            rule="A whole number from 0 to 9, or nothing.",
        ),
        TARGETS,
        Spec("outcome", "Outcome", "area", optional=True),
    ),
    "combat-turns": (
        Spec("actor", "Whose turn"),
        Spec("turn_kind", "Kind", choices=TURN_KINDS),
        Spec(
            "round",
            "Round",
            "number",
            optional=True,
            help="Empty where nobody said.",
            rule="A whole number from 1, or nothing.",
        ),
        Spec("summary", "Summary", "area"),
    ),
    "enemy-events": (
        Spec("enemy", "Enemy"),
        Spec("kind", "Kind", choices=EVENT_KINDS),
        Spec("detail", "Detail", "area"),
        Spec("actor", "By", optional=True),
    ),
}
ACTION = (
    Spec("category", "Kind", choices=CATEGORIES),
    Spec("declaration", "Declared", "area"),
    TARGETS,
    Spec("resolution", "What came of it", "area", optional=True),
)


def refusal(name: str, sentence: str) -> Invalid:
    """Return the refusal of one field of a form."""
    return Invalid([Problem(None, name, Code.RECORD_SHAPE.value, sentence)])


def fieldsets(family: str, item: Item | None, posted: QueryDict | None) -> list[Fieldset]:
    """Return the controls of a record: filled from the form that came back, else from the record, else empty."""
    controls = []
    for spec in SPECS[family]:
        value = spec.show((item or {}).get(spec.name))
        controls.append(spec.control(spec.name, value if posted is None else posted.get(spec.name, value)))
    found = [Fieldset(tuple(controls))]
    if family == "combat-turns":
        found += _actions_shown(item or {}, posted)
    return found


def read_fields(family: str, posted: QueryDict, item: Item | None) -> dict[str, JsonValue]:
    """Return what the form says otherwise than the record; everything for a new one. Invalid for a malformed field."""
    said: dict[str, JsonValue] = {
        spec.name: spec.read(posted.get(spec.name, "")) for spec in SPECS[family] if spec.name in posted
    }
    if family == "combat-turns" and "actions" in posted:
        said["actions"] = _actions_read(posted)
    if item is None:
        return {name: value for name, value in said.items() if name != "location_id" or value}
    changed = {name: value for name, value in said.items() if item.get(name) != value}
    if not changed:
        raise ActionError("Nothing in the fields is other than before.")
    return changed


def read_ranges(text: str, name: str = "ranges") -> list[tuple[int, int]]:
    """Return the ranges that a person typed; Invalid for what is none."""
    pieces = [piece.strip() for piece in re.split(r"[,;\n]", text) if piece.strip()]
    found = []
    for piece in pieces:
        match = RANGE.fullmatch(piece)
        if match is None:
            raise refusal(name, f"“{piece}” is neither a unit number nor a range.")
        start = int(match.group(1))
        found.append((start, int(match.group(2) or start)))
    return found


def show_ranges(refs: Sequence[Item]) -> str:
    return ", ".join(
        str(ref["start_unit_id"])
        if ref["start_unit_id"] == ref["end_unit_id"]
        else f"{ref['start_unit_id']}-{ref['end_unit_id']}"
        for ref in refs
    )


def _actions_shown(item: Item, posted: QueryDict | None) -> list[Fieldset]:
    """Return a group of controls an action, and an empty one to add another."""
    given = item.get("actions")
    actions = [one for one in given if isinstance(one, Mapping)] if isinstance(given, list) else []
    # Whoever sent another number is told so when the form is read, and gets it back whole.
    count = (None if posted is None else _count(posted)) or len(actions) + 1
    groups = [Fieldset((Field("actions", "", "hidden", str(count)),))]
    for at in range(count):
        action: Item = actions[at] if at < len(actions) else {}
        controls = []
        for spec in ACTION:
            name = f"action-{at}-{spec.name}"
            value = spec.show(action.get(spec.name))
            controls.append(spec.control(name, value if posted is None else posted.get(name, value)))
        if at < count - 1:
            gone = posted is not None and f"action-{at}-drop" in posted
            drop = Option("1", "Leave this action out", gone)
            controls.append(Field(f"action-{at}-drop", "", "checks", options=(drop,)))
        groups.append(Fieldset(tuple(controls), f"Action {at + 1}" if at < count - 1 else "One more action"))
    return groups


def _actions_read(posted: QueryDict) -> list[JsonValue]:
    found: list[JsonValue] = []
    count = _count(posted)
    if count is None:
        raise ActionError("The form came back incomplete. Open it again.")
    for at in range(count):
        said = {spec.name: spec.read(posted.get(f"action-{at}-{spec.name}", "")) for spec in ACTION}
        blank = at == count - 1 and not any(said[name] for name in ("declaration", "targets", "resolution"))
        if not blank and f"action-{at}-drop" not in posted:
            found.append(said)
    return found


def _count(posted: QueryDict) -> int | None:
    """Return of how many actions the form says that it is, None where that can be no form's."""
    text = posted.get("actions", "")
    return int(text) if re.fullmatch(r"[0-9]{1,4}", text) and 1 <= int(text) <= MOST_ACTIONS else None
