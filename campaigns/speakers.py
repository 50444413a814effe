"""Who a speaker label stands for: the campaign's roster by label, and labels named anew."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from campaigns.errors import ActionError
from campaigns.models import Campaign, RosterEntry
from extraction.identity import comparison_key
from extraction.ingest.speakers import normalise_label
from extraction.source.documents import SourceUnit

LABEL_LIMIT = 200


class Table:
    """The people of a campaign, found by speaker label; by player or character only where the name is one person's."""

    def __init__(self, entries: Iterable[RosterEntry]) -> None:
        self._entries = tuple(entries)
        self._by_label = {comparison_key(label): entry for entry in self._entries for label in entry.speaker_labels}
        self._by_name: dict[str, set[int]] = {}
        for at, entry in enumerate(self._entries):
            for name in (entry.player, entry.character):
                if name:
                    self._by_name.setdefault(comparison_key(name), set()).add(at)

    @classmethod
    def of(cls, campaign: Campaign) -> Table:
        return cls(campaign.roster.order_by("kind", "position", "pk"))

    def person(self, label: str | None) -> str:
        """Return who the label stands for, in words, or an empty string for somebody unknown."""
        entry = self._entry(label) if label else None
        return "" if entry is None else described(entry)

    def labels(self) -> list[tuple[str, str]]:
        """Return one label a person and who that is, to choose from."""
        return [((entry.speaker_labels or [entry.player])[0], described(entry)) for entry in self._entries]

    def _entry(self, label: str) -> RosterEntry | None:
        key = comparison_key(label)
        if key in self._by_label:
            return self._by_label[key]
        named = self._by_name.get(key, set())
        return self._entries[next(iter(named))] if len(named) == 1 else None


def described(entry: RosterEntry) -> str:
    """Return the person in words: "Joost, GM" or "Ida as Corwen"."""
    if entry.kind == RosterEntry.Kind.GM:
        return f"{entry.player}, GM"
    return f"{entry.player} as {entry.character}" if entry.character else entry.player


def label_from(text: str) -> str | None:
    """Return the label normalised, None for an empty one: an unknown speaker. ActionError for what is no label."""
    label = normalise_label(text)
    if len(label) > LABEL_LIMIT or not label.isprintable():
        raise ActionError(f"A speaker label is one line of at most {LABEL_LIMIT} characters.")
    return label or None


def with_speakers(units: Sequence[SourceUnit], names: Mapping[str, str]) -> tuple[SourceUnit, ...]:
    """Return the units with every label that `names` has replaced; an empty name makes the speaker unknown.

    Names do not follow each other: with A to B and B to A, the two are exchanged. Raises ActionError for a name that
    is no label, and for a label that no unit has.
    """
    wanted = {normalise_label(old): label_from(new) for old, new in names.items()}
    if wanted.keys() - {unit.speaker for unit in units}:
        raise ActionError("A speaker label that was to be named does not occur in the transcript.")
    return tuple(
        replace(unit, speaker=wanted[unit.speaker]) if unit.speaker in wanted and unit.speaker is not None else unit
        for unit in units
    )
