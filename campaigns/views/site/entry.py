"""The people, items and places of a campaign: a list of each kind, and a page for each of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from urllib.parse import urlencode

from django.http import HttpRequest, HttpResponse, HttpResponseRedirect

from campaigns.joining import Citation
from campaigns.library.occurrences import Occurrence, Place, companions, occurrences_at, places_of
from campaigns.library.registry import Full, Line, entries, entry
from campaigns.library.standing import unmoved
from campaigns.library.transcripts import quotes
from campaigns.pictures.drawing import Picture
from campaigns.views.site import portraits
from campaigns.views.site.kinds import WORDINGS, entry_address
from campaigns.views.site.visit import Visit, site_page, whole_number

PAGE = 100
MOST_OCCURRENCES = 120
MOST_COMPANIONS = 12
LONGEST_QUERY = 200


@dataclass(frozen=True, slots=True)
class Quote:
    """A cited passage; without `text` it may not be shown. `linked`: the newest transcript has it at these units."""

    session: int
    start: int
    end: int
    text: str | None
    linked: bool


@dataclass(frozen=True, slots=True)
class Met:
    """An occurrence with its passages; `told_as` is the name it stands under in the record, where that is another.

    `kinds` are more than one where the same passages tell of more than one: somebody speaks and acts.
    """

    occurrence: Occurrence
    kinds: tuple[str, ...]
    quotes: tuple[Quote, ...]
    told_as: str

    @property
    def who(self) -> str:
        """Return who had to do with it: "Ilka to Thessaly", "by Orsolo", or nothing."""
        actor, recipient = self.occurrence.actor, self.occurrence.recipient
        if recipient:
            return f"{actor} to {recipient}" if actor else f"to {recipient}"
        return f"by {actor}" if actor else ""


@dataclass(frozen=True, slots=True)
class Evening:
    """What of the entry lies in one session."""

    number: int
    title: str
    met: tuple[Met, ...]
    proof: tuple[Quote, ...]

    @property
    def counted(self) -> list[tuple[str, int]]:
        """Return how often what is told of the entry, for those who read no passages."""
        return Counter(kind for met in self.met for kind in met.kinds).most_common()


@site_page
def entries_page(request: HttpRequest, visit: Visit, kind: str) -> HttpResponse:
    """List the entries of a kind by name: `?q=` narrows it, `?session=N` too, `?after=` goes on."""
    q = request.GET.get("q", "").replace("\x00", "").strip()[:LONGEST_QUERY]
    number = whole_number(request.GET.get("session", ""))
    after = _place(request.GET.getlist("after"))
    found = entries(visit.sight, kind, q=q, session=number, after=after, limit=PAGE + 1)
    lines, more = found[:PAGE], len(found) > PAGE
    keep = {name: value for name, value in (("q", q), ("session", number)) if value}
    context = {
        "kind": kind,
        "wording": WORDINGS[kind],
        "lines": lines,
        "q": q,
        "session": number,
        "continued": after is not None,
        "next": urlencode([*keep.items(), *(("after", part) for part in (lines[-1].key, lines[-1].entity_id))])
        if more
        else "",
    }
    return visit.page("site/entries.html", context, title=WORDINGS[kind].title)


@site_page
def entry_page(request: HttpRequest, visit: Visit, kind: str, entity_id: str) -> HttpResponse:
    """Show one entry; an id that it has taken the place of leads to its own address."""
    found = entry(visit.sight, kind, entity_id)
    if found.entity_id != entity_id:
        return HttpResponseRedirect(entry_address(visit.campaign.slug, kind, found.entity_id))
    met = places_of(visit.sight, kind, found.entity_id)
    start = min(whole_number(request.GET.get("from", "")) or 0, len(met))
    stretch = occurrences_at(visit.sight, met[start : start + MOST_OCCURRENCES])
    later = start + MOST_OCCURRENCES
    first, last = _ends(found, met)
    context = {
        "kind": kind,
        "wording": WORDINGS[kind],
        "entry": found,
        "kept": visit.marks.entry(kind, found.entity_id),
        "kept_apart": visit.marks.merge(kind, found.entity_id, found.other_ids),
        "namesakes": _namesakes(visit, found),
        "first": first,
        "last": last,
        "times": len(met),
        "companions": companions(visit.sight, kind, found.entity_id)[:MOST_COMPANIONS],
        "evenings": _evenings(visit, found, stretch, alone=not met),
        "earlier": max(0, start - MOST_OCCURRENCES) if start else None,
        "later": later if later < len(met) else None,
        "presence": _presence(visit, kind, found),
    }
    told = f"{WORDINGS[kind].one.capitalize()}, met in {len(found.sessions)} sessions"
    return visit.page("site/entry.html", context, title=found.name, told=told)


def _namesakes(visit: Visit, found: Full) -> list[Line]:
    """Return the other entries of the very same name: nobody has said yet that they are one, or that they are not."""
    lines = entries(visit.sight, found.kind, q=found.name, limit=PAGE)
    return [line for line in lines if line.key == found.key and line.entity_id != found.entity_id]


def _place(parts: Sequence[str]) -> tuple[str, str] | None:
    return (parts[0].replace("\x00", ""), parts[1].replace("\x00", "")) if len(parts) == 2 else None


def _ends(found: Full, met: Sequence[Place]) -> tuple[int | None, int | None]:
    numbers = [*found.sessions, *(place.session for place in met)]
    return (min(numbers), max(numbers)) if numbers else (None, None)


def _presence(visit: Visit, kind: str, found: Full) -> Picture | None:
    """Return the picture of this entry alone, where there is more than one session to compare."""
    return (
        portraits.presence_of(visit, kind, [found], title=f"In which sessions {found.name} occurs")
        if len(visit.sessions) > 1
        else None
    )


def _evenings(visit: Visit, found: Full, stretch: Sequence[Occurrence], *, alone: bool) -> list[Evening]:
    """Return the occurrences by session; where none was read, `alone`, the passages that prove the entry."""
    proof = found.evidence[:MOST_OCCURRENCES] if alone else []
    cited = [ref for occurrence in stretch for ref in occurrence.refs] + list(proof)
    said = quotes(visit.sight, cited) if visit.sight.words else {}
    here = unmoved(visit.sight, said)
    titles = {line.number: line.title for line in visit.sessions}
    numbers = sorted({occurrence.session for occurrence in stretch} | {ref.session for ref in proof})
    return [
        Evening(
            number,
            titles.get(number, ""),
            _met(found, [each for each in stretch if each.session == number], said, here),
            tuple(_quote(ref, said, here) for ref in proof if ref.session == number),
        )
        for number in numbers
    ]


def _met(
    found: Full, occurrences: Sequence[Occurrence], said: Mapping[Citation, str | None], here: Collection[Citation]
) -> tuple[Met, ...]:
    """Return the occurrences with their passages; those that follow each other and say the same are one."""
    met = []
    for (refs, *_), alike in groupby(occurrences, key=_sameness):
        all_of_them = list(alike)
        first = all_of_them[0]
        kinds = tuple(dict.fromkeys(each.kind.replace("_", " ") for each in all_of_them))
        quoted = tuple(_quote(ref, said, here) for ref in refs)
        met.append(Met(first, kinds, quoted, "" if first.name == found.name else first.name))
    return tuple(met)


def _sameness(each: Occurrence) -> tuple[tuple[Citation, ...], str, str | None, str | None, str | None]:
    return tuple(each.refs), each.name, each.detail, each.actor, each.recipient


def _quote(ref: Citation, said: Mapping[Citation, str | None], here: Collection[Citation]) -> Quote:
    return Quote(ref.session, ref.start_unit_id, ref.end_unit_id, said.get(ref), ref in here)
