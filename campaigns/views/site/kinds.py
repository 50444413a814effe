"""The three kinds of entries as people call them, and as addresses name them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from django.urls import register_converter, reverse

from campaigns.models import RegistryEntry

Kind = RegistryEntry.Kind


@dataclass(frozen=True, slots=True)
class Wording:
    """`path` is the kind's part of an address; `verb` says how one comes upon such an entry."""

    path: str
    one: str
    many: str
    title: str
    verb: str


WORDINGS: Mapping[str, Wording] = {
    Kind.NPC: Wording("npcs", "person", "people", "People", "First met"),
    Kind.ITEM: Wording("items", "item", "items", "Items", "First seen"),
    Kind.LOCATION: Wording("places", "place", "places", "Places", "First visited or named"),
}
KINDS = {wording.path: kind for kind, wording in WORDINGS.items()}


class KindConverter:
    """`npcs`, `items` or `places` in an address."""

    regex = "|".join(KINDS)

    def to_python(self, value: str) -> str:
        return str(KINDS[value])

    def to_url(self, value: str) -> str:
        return WORDINGS[value].path


class PictureConverter:
    """The form of a picture's file."""

    regex = "svg|png"

    def to_python(self, value: str) -> str:
        return value

    def to_url(self, value: str) -> str:
        return value


def register() -> None:
    """Make the converters known to `campaigns.site_urls`."""
    register_converter(KindConverter, "entrykind")
    register_converter(PictureConverter, "picture")


def entry_address(slug: str, kind: str, entity_id: str) -> str:
    return reverse("site-entry", args=[slug, kind, entity_id])


def count_of(kind: str, count: int) -> str:
    """Return the number of entries in words: "1 person", "4 places"."""
    wording = WORDINGS[kind]
    return f"{count} {wording.one if count == 1 else wording.many}"
