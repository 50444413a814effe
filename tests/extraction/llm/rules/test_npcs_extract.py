from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from extraction.canonical import JsonValue
from extraction.llm.rules.citing import MAX_RANGES
from extraction.llm.rules.npcs_extract import extract_npcs
from tests.extraction.llm.rules.table import PARTY, Said, extract_materials, found, units


@pytest.mark.parametrize(
    ("said", "name"),
    [
        pytest.param(("NOOR", "You meet a tired woman named Wenna at the bar."), "Wenna", id="named"),
        pytest.param(("NOOR", "The man's name is Corvane, and he sells rope."), "Corvane", id="name-is"),
        pytest.param(("NOOR", '"I am Corvane," the man tells you.'), "Corvane", id="i-am"),
        pytest.param(("NOOR", '"I\'m Corvane. And you are late."'), "Corvane", id="i-m"),
        pytest.param(("NOOR", '"Wenna. Wenna Tolliver, from the mill."'), "Wenna Tolliver", id="first-then-full-name"),
        pytest.param(("NOOR", "At the gate waits Captain Brask."), "Captain Brask", id="title"),
        pytest.param(("NOOR", "Dr. Ostrand closes the case."), "Dr. Ostrand", id="abbreviated-title"),
        pytest.param(("INES", "Lord Ruven Castellane wrote to us."), "Lord Ruven Castellane", id="title-and-full-name"),
        pytest.param(("NOOR", "Wenna says that the mill is closed, and she locks it."), "Wenna", id="speech"),
        pytest.param(("NOOR", '"Very well," Wenna says. "Come in."'), "Wenna", id="speech-after-quotation"),
        pytest.param(("NOOR", 'And Wenna goes, "Not today." She laughs.'), "Wenna", id="goes-and-quotation"),
        pytest.param(("NOOR", "You see that Wenna steps back and drops the key."), "Wenna", id="action"),
        pytest.param(("NOOR", "With care, Wenna slowly nods at you."), "Wenna", id="action-after-adverb"),
        pytest.param(("NOOR", "In the corner sits the miller, old Wenna, who hates noise."), "Wenna", id="who"),
        pytest.param(("NOOR", "You remember your old friend Corvane from the docks."), "Corvane", id="role"),
        pytest.param(("THEO", "Thank you, Corvane."), "Corvane", id="thanks"),
        pytest.param(("INES", "And then we met Wenna Tolliver."), "Wenna Tolliver", id="met-by-a-player"),
        pytest.param(("NOOR", "And then Ilse van Oort smiles at Quill."), "Ilse van Oort", id="particle"),
    ],
)
def test_extract_npcs_names_a_person_on_a_cue(said: Said, name: str) -> None:
    records = found(extract_materials(said))

    assert records.get(name) == [(1, 1)]


@pytest.mark.parametrize(
    "said",
    [
        pytest.param(("NOOR", "Quill steps forward, and Ash'vel says nothing."), id="party-characters"),
        pytest.param(("NOOR", "And then Harrow smiles. Vel nods. Quill's eyes are wide."), id="parts-of-party-names"),
        pytest.param(("NOOR", "And Ines says she is late. Thank you, Theo."), id="players"),
        pytest.param(("NOOR", "All right. INES. Okay, THEO says 23."), id="lost-speaker-labels"),
        pytest.param(("THEO", "Thank you, Noor."), id="game-master"),
        pytest.param(("NOOR", "Roll Initiative. Perception says you see it. That Dexterity looks good."), id="rules"),
        pytest.param(("THEO", "I cast Fireball. The Barbarian looks at the Tiefling."), id="spells-and-classes"),
        pytest.param(("INES", "Oh my God. Jesus! Thank you, God."), id="exclamations"),
        pytest.param(("NOOR", "On Monday you walk. In December Monday looks cold."), id="calendar"),
        pytest.param(("NOOR", "You come to the city of Belmarsh. In Belmarsh it rains."), id="city-of"),
        pytest.param(("NOOR", "The ship named Sorrel lies at anchor in Port Sorrel."), id="thing-named"),
        pytest.param(
            ("NOOR", "You sleep at the Gilded Otter Inn, then walk towards Castle Dray."), id="inn-and-castle"
        ),
        pytest.param(("NOOR", "The Veshari look at you. A Veshari nods. Those Veshari smile."), id="a-people"),
        pytest.param(("THEO", "That movie with Bogart says it all. Thanks, Bogart."), id="film"),
        pytest.param(("NOOR", "wenna says hello and corvane nods."), id="no-capitals"),
        pytest.param(("NOOR", "There is Belmarsh."), id="no-cue"),
    ],
)
def test_extract_npcs_leaves_out(said: Said) -> None:
    assert found(extract_materials(said)) == {}


def test_extract_npcs_names_both_of_a_titled_pair() -> None:
    records = found(extract_materials(("NOOR", "Both Lord and Lady Castellane look over.")))

    assert records == {"Lord Castellane": [(1, 1)], "Lady Castellane": [(1, 1)]}


def test_extract_npcs_does_not_take_a_family_for_a_person() -> None:
    said = extract_materials(("NOOR", "Lady Castellane waits. The Castellanes, you know, said Castellanes never run."))

    assert list(found(said)) == ["Lady Castellane"]


def test_extract_npcs_keeps_a_stranger_with_a_surname_of_the_party() -> None:
    assert list(found(extract_materials(("NOOR", "And there Edda Harrow smiles at you.")))) == ["Edda Harrow"]


def test_extract_npcs_cites_separate_clusters() -> None:
    filler: Said = ("THEO", "I look around.")
    spoken: Said = ("NOOR", "And now Wenna nods, and she waits.")
    records = found(extract_materials(spoken, filler, spoken, spoken, filler, filler, spoken))

    assert records == {"Wenna": [(1, 1), (3, 4), (7, 7)]}


def test_extract_npcs_follows_document_order_when_unit_ids_fall() -> None:
    spoken = "And now Wenna nods, and she waits."
    transcript: list[JsonValue] = [
        {"unit_id": unit_id, "speaker": "NOOR", "text": spoken if unit_id != 7 else "Well."}
        for unit_id in (90, 7, 40, 3)
    ]

    assert found(extract_materials(transcript=transcript)) == {"Wenna": [(90, 90), (40, 3)]}


def test_extract_npcs_bounds_the_ranges_and_keeps_the_first() -> None:
    bare: Said = ("INES", "I like that Wenna.")
    strong: Said = ("NOOR", "And now Wenna nods, and she waits.")
    filler: Said = ("THEO", "I look around.")
    ranges = found(extract_materials(("INES", "Is it Wenna?"), filler, *[bare, filler] * 20, strong))["Wenna"]

    assert len(ranges) == MAX_RANGES
    assert (ranges[0], ranges[-1]) == ((1, 1), (43, 43))


def test_extract_npcs_does_not_cite_the_context() -> None:
    around = {
        "before": units(("NOOR", "A woman named Wenna waves."), first=100),
        "after": units(("NOOR", "And a man named Corvane."), first=200),
    }
    records = found(extract_materials(("NOOR", "You see that Wenna is gone."), context=around))

    assert records == {"Wenna": [(1, 1)]}


def test_extract_npcs_reports_a_misheard_name_under_its_term() -> None:
    glossary: list[JsonValue] = [{"term": "Brask", "heard_as": ["bras Q", "Brusk"]}]
    said: list[Said] = [
        ("NOOR", "And then Brusk nods at you."),
        ("NOOR", "Captain Brusk waits."),
        ("INES", "Ask bras q."),
    ]
    records = found(extract_materials(*said, glossary=glossary))

    assert records == {"Brask": [(1, 1), (3, 3)], "Captain Brask": [(2, 2)]}


def test_extract_npcs_refuses_a_misheard_party_name() -> None:
    glossary: list[JsonValue] = [{"term": "Quill", "heard_as": ["Squill"]}]

    assert found(extract_materials(("NOOR", "And then Squill nods at you."), glossary=glossary)) == {}


def test_extract_npcs_infers_the_game_master() -> None:
    said: list[Said] = [
        ("Kim", "As you come in, you see a bar. Make a perception check. And here Wenna nods at you."),
        ("Lee", "I go in and then Bertram nods, like, at my dog."),
    ]

    assert list(found(extract_materials(*said, gm={}, party=[]))) == ["Wenna"]


def test_extract_npcs_without_speakers_counts_every_unit_as_narration() -> None:
    said = extract_materials((None, "And here Wenna nods at you."), gm={"player": None, "speaker_labels": []}, party=[])

    assert found(said) == {"Wenna": [(1, 1)]}


def test_extract_npcs_is_deterministic() -> None:
    said: list[Said] = [("NOOR", "And Wenna nods. Captain Brask says no."), ("INES", "Hello Wenna!")]

    assert extract_npcs(extract_materials(*said)) == extract_npcs(extract_materials(*said))


@pytest.mark.parametrize("transcript", [None, "text", [None, 3, {"unit_id": "7", "text": "Wenna nods."}], {}])
def test_extract_npcs_ignores_what_has_another_shape(transcript: JsonValue) -> None:
    assert extract_npcs({"transcript": transcript, "gm": 3, "party": "x", "glossary": [7]}) == {"npcs": []}


_PIECES = st.sampled_from(
    [
        "Wenna",
        "Brask",
        "Captain",
        "Lord",
        "and",
        "says",
        "nods",
        "the",
        "named",
        "of",
        "van",
        "I'm",
        '"',
        ",",
        ".",
        "--",
    ]
)
_TEXTS = st.one_of(st.text(max_size=80), st.lists(_PIECES, max_size=14).map(" ".join))
_UNITS = st.lists(
    st.tuples(st.integers(1, 500), st.sampled_from([None, "NOOR", "INES & THEO", "", "?"]), _TEXTS),
    max_size=12,
    unique_by=lambda unit: unit[0],
)


@given(_UNITS, st.lists(st.tuples(st.text(max_size=8), st.lists(st.text(max_size=8), max_size=2)), max_size=2))
def test_extract_npcs_cites_only_the_transcript_in_document_order(
    given_units: list[tuple[int, str | None, str]], terms: list[tuple[str, list[str]]]
) -> None:
    transcript: list[JsonValue] = [{"unit_id": n, "speaker": who, "text": text} for n, who, text in given_units]
    glossary: list[JsonValue] = [{"term": term, "heard_as": forms} for term, forms in terms]
    context = {"before": units(("NOOR", "A woman named Wenna nods."), first=900), "after": []}
    records = found(extract_materials(transcript=transcript, glossary=glossary, context=context))
    position = {unit[0]: at for at, unit in enumerate(given_units)}

    for name, ranges in records.items():
        assert name.strip()
        assert 1 <= len(ranges) <= MAX_RANGES
        places = [(position[start], position[end]) for start, end in ranges]
        assert places == sorted(set(places))
        assert all(start <= end for start, end in places)


def test_party_of_the_tests_has_players() -> None:
    """The exclusion tests prove nothing with an empty roster."""
    assert len(PARTY) == 2
