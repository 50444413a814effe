from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from extraction.canonical import JsonValue
from extraction.dnd.spells.extract import SpellsReply
from extraction.llm.rules.spell_words import EVERYDAY, SPELL_NAMES, spoken_forms
from extraction.llm.rules.spells_extract import extract_spells
from tests.extraction.llm.rules.table import Said, extract_materials, units

NPCS: list[JsonValue] = [
    {"name": "Morwen Ash", "other_names": ["Morwen"]},
    {"name": "Brask", "other_names": []},
]
QUILL = "Quill Harrow"
# Without a word of the game master, the rules would take whoever speaks most for one.
ASKED: Said = ("NOOR", "What do you do?")


def casts(*said: Said, **changes: JsonValue) -> list[dict[str, Any]]:
    reply = extract_spells(extract_materials(*said, npcs=NPCS, **changes))
    SpellsReply.model_validate(reply, strict=True)
    assert isinstance(reply, Mapping)
    found: Any = reply["spells"]
    return list(found)


def spells(*said: Said, **changes: JsonValue) -> list[tuple[str, str]]:
    return [(one["caster"], one["spell"]) for one in casts(*said, **changes)]


def cited(record: Mapping[str, Any]) -> list[tuple[int, int]]:
    return [(ref["start_unit_id"], ref["end_unit_id"]) for ref in record["source_refs"]]


def test_spell_names_are_complete_and_everyday_words_are_among_their_forms() -> None:
    assert len(SPELL_NAMES) == len(set(SPELL_NAMES)) == 319
    assert {form for form, _ in spoken_forms()} >= EVERYDAY


@pytest.mark.parametrize(
    ("text", "spell"),
    [
        pytest.param("I cast fireball.", "Fireball", id="cast"),
        pytest.param("I'm going to cast Sleep.", "Sleep", id="going-to"),
        pytest.param("I'd like to cast shield.", "Shield", id="like-to"),
        pytest.param("Okay, casting bless on everybody.", "Bless", id="casting"),
        pytest.param("I use my reaction to counterspell.", "Counterspell", id="reaction"),
        pytest.param("Counterspell!", "Counterspell", id="shouted"),
        pytest.param("I'll throw a fire bolt at Brask.", "Fire Bolt", id="throw"),
        pytest.param("Healing word on Quill.", "Healing Word", id="name-and-target"),
        pytest.param("Bonus action, misty step, to the roof.", "Misty Step", id="bonus-action"),
        pytest.param("I read the scroll of sleep.", "Sleep", id="scroll"),
        pytest.param("I use the wand of magic missiles.", "Magic Missile", id="wand"),
        pytest.param("I cast Ash's Grey Lament on him.", "Ash's Grey Lament", id="not-in-the-list"),
        pytest.param("I cast enlarge on myself.", "Enlarge/Reduce", id="half-of-a-name"),
        pytest.param("I cast colour spray.", "Color Spray", id="other-spelling"),
    ],
)
def test_extract_spells_finds_a_declared_casting(text: str, spell: str) -> None:
    assert spells(("NOOR", "You're up."), ("INES", text)) == [(QUILL, spell)]


@pytest.mark.parametrize(
    "said",
    [
        pytest.param([("INES", "If I cast fireball, do we all burn?")], id="if"),
        pytest.param([("INES", "Could I cast fireball from here?")], id="could-i"),
        pytest.param([("INES", "Should I cast sleep?")], id="should-i"),
        pytest.param([("INES", "What does fireball do?")], id="what-does"),
        pytest.param([("INES", "Do I have counterspell?")], id="do-i-have"),
        pytest.param([("INES", "I ready a fire bolt for when he moves.")], id="readied"),
        pytest.param([("INES", "I'd cast fireball, but no.")], id="would"),
        pytest.param([("INES", "Remember when I cast fireball?")], id="recap-of-a-player"),
        pytest.param([("NOOR", "Last time, Quill cast fireball on the barn.")], id="recap-of-the-gm"),
        pytest.param([("INES", "Fireball is a third-level spell.")], id="rules-talk"),
        pytest.param([("INES", "I've got fireball, fly and haste.")], id="list"),
        pytest.param([("INES", "I light a torch. It's a slow dream.")], id="everyday-words"),
        pytest.param([("NOOR", "The moon casts light on the road.")], id="no-caster"),
        pytest.param([("NOOR", "In the trunk there's a scroll, it's hold person.")], id="scroll-found"),
        pytest.param([("INES", "I cast fireball. No, wait, the mule. I walk.")], id="no-wait"),
        pytest.param([("INES", "I cast fireball."), ("NOOR", "Okay."), ("INES", "I take that back.")], id="taken-back"),
        pytest.param([("INES", "I cast shield."), ("NOOR", "Ha."), ("INES", "I take the shield back.")], id="named"),
        pytest.param([("INES", "I cast fireball."), ("THEO", "No!"), ("INES", "Never mind.")], id="never-mind"),
        pytest.param([("INES", "I cast fireball."), ("INES", "I'm not going to cast that.")], id="not-going-to"),
        pytest.param([("INES", "Healing word on Ash'vel."), ("NOOR", "You're out of range.")], id="refused"),
        pytest.param([("INES", "Can I cast fireball?"), ("NOOR", "Not in here.")], id="asked-and-refused"),
        pytest.param([(None, "I cast fireball.")], id="nobody-knows-who"),
    ],
)
def test_extract_spells_leaves_out(said: list[Said]) -> None:
    assert spells(ASKED, *said) == []


def test_extract_spells_reports_only_the_spell_that_replaces_another() -> None:
    same_unit: Said = ("INES", "I cast shatter. No, hang on. I take that back. I cast magic missile instead.")
    later: list[Said] = [
        ("INES", "I cast fireball, on the cart."),
        ("NOOR", "The mule's in there."),
        ("INES", "Actually I cast scorching ray."),
    ]

    assert spells(ASKED, same_unit) == [(QUILL, "Magic Missile")]
    assert spells(ASKED, *later) == [(QUILL, "Scorching Ray")]


def test_extract_spells_takes_a_question_that_the_gm_answers() -> None:
    assert spells(("INES", "Can I cast hold person on Brask?"), ("NOOR", "You can.")) == [(QUILL, "Hold Person")]


def test_extract_spells_reports_a_casting_that_is_said_again_once() -> None:
    said: list[Said] = [("INES", "I cast bless."), ("NOOR", "When you do it?"), ("INES", "Now. I cast bless.")]

    assert spells(*said) == [(QUILL, "Bless")]


@pytest.mark.parametrize(
    ("text", "caster"),
    [
        pytest.param("Morwen casts sleep.", "Morwen Ash", id="registry-member"),
        pytest.param("Brask looks up. He casts shield.", "Brask", id="pronoun-after-a-name"),
        pytest.param("The old wizard begins casting fireball.", "the old wizard", id="role"),
    ],
)
def test_extract_spells_names_whom_the_gm_lets_cast(text: str, caster: str) -> None:
    assert [one["caster"] for one in casts(("NOOR", text))] == [caster]


def test_extract_spells_without_a_roster_names_the_speaker() -> None:
    assert spells(("NOOR", "Go."), ("Kim", "I cast fireball."), party=[]) == [("Kim", "Fireball")]


@pytest.mark.parametrize(
    ("said", "level"),
    [
        pytest.param([("INES", "I cast fireball.")], None, id="unsaid"),
        pytest.param([("INES", "I cast fireball at fourth level.")], 4, id="at-level"),
        pytest.param([("INES", "I cast fireball. Third level, on the cart.")], 3, id="next-sentence"),
        pytest.param([("INES", "I cast fireball. Three of them.")], None, id="number-without-a-cue"),
        pytest.param([("INES", "I cast fireball. Third-level slot.")], 3, id="slot"),
        pytest.param([("INES", "I cast a 5th-level fireball.")], 5, id="digits"),
        pytest.param([("INES", "I cast fireball with level six.")], 6, id="level-six"),
        pytest.param([("INES", "A cantrip. I cast fire bolt.")], 0, id="cantrip"),
        pytest.param([("INES", "I cast bless."), ("NOOR", "At what level?"), ("INES", "Second.")], 2, id="answered"),
    ],
)
def test_extract_spells_gives_a_level_only_where_it_is_said(said: list[Said], level: int | None) -> None:
    (found,) = casts(ASKED, *said)

    assert found["level"] == level


@pytest.mark.parametrize(
    ("text", "targets"),
    [
        pytest.param("I cast bless.", [], id="none"),
        pytest.param("I cast hold person on Morwen.", ["Morwen Ash"], id="registry"),
        pytest.param("I cast bless on Ash'vel, Brask and me.", ["Ash'vel", "Brask", "Quill Harrow"], id="list"),
        pytest.param("I cast bless. Me, Ash'vel.", ["Quill Harrow", "Ash'vel"], id="names-alone"),
        pytest.param("I cast fireball at the big cart.", ["the big cart"], id="phrase"),
        pytest.param("I cast fireball. On the cart.", ["the cart"], id="next-sentence"),
        pytest.param("I cast Hex on Old Tom.", ["Old Tom"], id="capitals"),
        pytest.param("I cast hold person on him.", [], id="pronoun"),
        pytest.param("I cast fireball at fourth level.", [], id="level-is-no-target"),
        pytest.param("I cast shield on my turn.", [], id="turn-is-no-target"),
    ],
)
def test_extract_spells_names_targets_as_they_are_said(text: str, targets: list[str]) -> None:
    (found,) = casts(ASKED, ("INES", text))

    assert found["targets"] == targets


def test_extract_spells_tells_the_outcome_and_cites_where_it_is_told() -> None:
    (found,) = casts(
        ("INES", "I cast guiding bolt at Brask. Seventeen."),
        ("NOOR", "Seventeen hits."),
        ("THEO", "Nice."),
        ("INES", "Fifteen radiant!"),
        ("NOOR", "Ash'vel, you're up."),
        ("THEO", "I shoot. Nineteen."),
        ("NOOR", "That misses."),
    )

    assert found["outcome"] == "hits, 15 radiant damage"
    assert cited(found) == [(1, 2), (4, 4)]


def test_extract_spells_ends_an_outcome_at_the_next_casting() -> None:
    first, second = casts(("NOOR", "Brask casts hold person."), ("INES", "Counterspell!"), ("NOOR", "It fizzles."))

    assert (first["outcome"], second["outcome"]) == (None, "fizzles")
    assert (first["caster"], second["caster"]) == ("Brask", QUILL)


def test_extract_spells_reads_a_retraction_in_the_context_and_does_not_cite_it() -> None:
    after: list[JsonValue] = units(("NOOR", "Sure?"), ("INES", "I take it back."), first=90)
    before: list[JsonValue] = units(("INES", "I cast fly."), first=80)
    context: dict[str, JsonValue] = {"before": before, "after": after}

    alone = casts(ASKED, ("INES", "I cast fireball."), context={"before": before, "after": []})

    assert spells(ASKED, ("INES", "I cast fireball."), context=context) == []
    assert [cited(one) for one in alone] == [[(2, 2)]]


def test_extract_spells_is_deterministic_and_survives_other_shapes() -> None:
    said: list[Said] = [("INES", "I cast fireball at Brask."), ("NOOR", "It hits.")]

    assert casts(*said) == casts(*said)
    assert extract_spells({"transcript": [None, 3, {"unit_id": "7"}], "npcs": 4, "party": "x"}) == {"spells": []}


_PIECES = st.sampled_from(
    ["I", "cast", "casts", "fireball", "bless", "Quill", "Brask", "he", "on", "at", "no,", "wait", "--", ".", "?", '"',
     "the", "scroll of", "third", "level", "hits.", "I take it back.", "Counterspell!", "12 fire", "\u0130", "\u2019s"]
)  # fmt: skip
_UNITS = st.lists(
    st.tuples(
        st.integers(1, 500),
        st.sampled_from([None, "NOOR", "INES", "THEO", "INES & THEO", ""]),
        st.one_of(st.text(max_size=60), st.lists(_PIECES, max_size=14).map(" ".join)),
    ),
    max_size=10,
    unique_by=lambda unit: unit[0],
)


@given(_UNITS)
def test_extract_spells_cites_only_the_transcript_and_in_its_order(
    given_units: list[tuple[int, str | None, str]],
) -> None:
    transcript: list[JsonValue] = [{"unit_id": n, "speaker": who, "text": text} for n, who, text in given_units]
    context: dict[str, JsonValue] = {"before": units(("INES", "I cast sleep."), first=900), "after": []}
    position = {unit[0]: at for at, unit in enumerate(given_units)}
    starts = []

    for record in casts(transcript=transcript, context=context):
        places = [(position[start], position[end]) for start, end in cited(record)]
        starts.append(places[0][0])
        assert places == sorted(places)
        assert all(start <= end for start, end in places)
    assert starts == sorted(starts)
