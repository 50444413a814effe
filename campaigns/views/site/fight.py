"""A fight to read: its rounds and turns, what was cast in it, what became of whom, and the damage that was spoken."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from django.http import HttpRequest, HttpResponse

from campaigns.errors import NotFound
from campaigns.library.during import during
from campaigns.library.fights import Fight, Turn, fights
from campaigns.library.sessions import session
from campaigns.library.standing import Standing, standing_of
from campaigns.library.transcripts import Line, reading
from campaigns.views.site import portraits
from campaigns.views.site.naming import facts_of_fight, title_of
from campaigns.views.site.session import Told, told_of
from campaigns.views.site.visit import Visit, site_page
from extraction.llm.rules.combat_facts import spoken_damage

SPELLS, EVENTS = "spells", "enemy-events"
# What happens to an enemy and ends something; single blows are in the turns.
ENDS = ("flees", "surrenders", "defeated")


@dataclass(frozen=True, slots=True)
class Spoken:
    """A number that somebody said together with damage, and the unit in which."""

    number: int
    kind: str
    unit: int


@dataclass(frozen=True, slots=True)
class Tally:
    """The damage spoken in the lines that are cited for one actor's turns."""

    actor: str
    spoken: tuple[Spoken, ...]

    @property
    def total(self) -> int:
        return sum(one.number for one in self.spoken)


@dataclass(frozen=True, slots=True)
class Casting:
    """Who cast what, how often."""

    caster: str
    spells: tuple[tuple[str, int], ...]


@site_page
def fight_page(request: HttpRequest, visit: Visit, number: int, k: int) -> HttpResponse:
    """Show the k-th fight of the session, counted from 1."""
    evening = session(visit.sight, number)
    fought = fights(visit.sight, number)
    fight = fight_at(fought, k)
    told = during(visit.sight, number, fight, (SPELLS, EVENTS))
    standing = standing_of(visit.sight, number)
    reworded = [turn.index for turn in fight.turns if any(map(standing.reworded, turn.refs))]
    fight = _landed(fight, standing)
    context = {
        "evening": evening,
        "evening_title": title_of(evening),
        "fight": fight,
        "reworded": reworded,
        "facts": facts_of_fight(fight),
        "tallies": _tallies(visit, number, fight) if visit.sight.words else None,
        "castings": _castings(told_of(SPELLS, record, standing) for record in told[SPELLS]),
        "ends": [told_of(EVENTS, record, standing) for record in told[EVENTS] if record.get("kind") in ENDS],
        "picture": portraits.fight_of(fight),
        "picture_file": f"fight-s{number}-{k}",
        "before": k - 1 if k > 1 else None,
        "after": k + 1 if k < len(fought) else None,
    }
    return visit.page("site/fight.html", context, title=name_of(fight), told=f"A fight in session {number}")


def fight_at(fought: Sequence[Fight], k: int) -> Fight:
    """Return the k-th fight, counted from 1; NotFound where there is none."""
    if not 0 < k <= len(fought):
        raise NotFound("There is no such fight.")
    return fought[k - 1]


def name_of(fight: Fight) -> str:
    return f"Fight {fight.number}: {fight.title}" if fight.title else f"Fight {fight.number}"


def _landed(fight: Fight, standing: Standing) -> Fight:
    """Return the fight with its turns citing the newest transcript, and nothing where their words are lost."""
    rounds = (replace(each, turns=tuple(_turn_now(turn, standing) for turn in each.turns)) for each in fight.rounds)
    return replace(fight, rounds=tuple(rounds))


def _turn_now(turn: Turn, standing: Standing) -> Turn:
    refs = [now for ref in turn.refs for now in standing.citations(ref)]
    return replace(turn, refs=refs, interrupts=tuple(_turn_now(each, standing) for each in turn.interrupts))


def _tallies(visit: Visit, number: int, fight: Fight) -> list[Tally]:
    """Return the damage spoken in the cited lines by actor, most first; a line counts once, for its first turn."""
    lines = reading(visit.sight, number).lines
    places = {line.unit_id: at for at, line in enumerate(lines)}
    counted: set[int] = set()
    found: dict[str, list[Spoken]] = {}
    for turn in fight.turns:
        for line in _cited(turn, lines, places):
            if line.unit_id not in counted:
                counted.add(line.unit_id)
                said = [Spoken(number, kind, line.unit_id) for number, kind in spoken_damage(line.text.lower())]
                found.setdefault(turn.shown.heading, []).extend(said)
    tallies = [Tally(actor, tuple(spoken)) for actor, spoken in found.items() if spoken]
    return sorted(tallies, key=lambda tally: (-tally.total, tally.actor))


def _cited(turn: Turn, lines: Sequence[Line], places: Mapping[int, int]) -> Iterator[Line]:
    for ref in turn.refs:
        start, end = places.get(ref.start_unit_id), places.get(ref.end_unit_id)
        if start is not None and end is not None:
            yield from lines[start : end + 1]


def _castings(told: Iterator[Told] | Sequence[Told]) -> list[Casting]:
    counted: dict[str, Counter[str]] = {}
    for each in told:
        caster = next((fact.text for fact in each.shown.facts if fact.label == "Cast by"), "")
        counted.setdefault(caster, Counter())[each.shown.heading] += 1
    return [Casting(caster or "Somebody", tuple(spells.most_common())) for caster, spells in sorted(counted.items())]
