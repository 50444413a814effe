from __future__ import annotations

import gc
import weakref

import pytest

from campaigns.library.mentions import Mentions


@pytest.mark.parametrize(
    ("text", "named"),
    [
        pytest.param("Then Aurelio Voss came.", {"long"}, id="the-longer-name-alone"),
        pytest.param("Then Voss came.", {"short"}, id="the-shorter-name"),
        pytest.param("Aurelio Voss met VOSS.", {"long", "short"}, id="both"),
        pytest.param("Vossberg burned.", set(), id="no-part-of-a-word"),
        pytest.param("It was Voss's boat.", {"short"}, id="a-possessive"),
        pytest.param("the mill turned", {"mill"}, id="with-its-article"),
        pytest.param("A mill turned", {"mill"}, id="with-another-article"),
        pytest.param("", set(), id="nothing"),
    ],
)
def test_named_finds_whole_names_the_longest_first(text: str, named: set[str]) -> None:
    assert Mentions([("Aurelio Voss", "long"), ("Voss", "short"), ("The Mill", "mill")]).named(text) == named


@pytest.mark.parametrize(
    ("text", "hinted"),
    [
        pytest.param("Dell flees", {"dell"}, id="a-telling-word"),
        pytest.param("the Dells flee", {"dell"}, id="a-plural"),
        pytest.param("the hooded one", set(), id="a-small-word"),
        pytest.param("Captain Orm", set(), id="a-word-that-many-have"),
        pytest.param("the hooded stranger", {"stranger"}, id="the-whole-name"),
    ],
)
def test_hinted_finds_telling_words_too(text: str, hinted: set[str]) -> None:
    names = [("Captain Dell", "dell"), ("the hooded stranger", "stranger")]

    assert Mentions(names).hinted(text) == hinted


def test_apart_a_shared_word_tells_nothing() -> None:
    names = [("Duke Orlan", "duke"), ("Orlan Twiceborn", "twice")]

    assert Mentions(names, apart=True).hinted("Orlan") == set()
    assert Mentions(names).hinted("Orlan") == {"duke", "twice"}
    assert Mentions(names, apart=True).hinted("the Twiceborn") == {"twice"}


@pytest.mark.parametrize(
    ("name", "text"),
    [
        pytest.param("hooded stranger", "Two hooded strangers", id="a-plural"),
        pytest.param("hooded witch", "the hooded witches'", id="a-longer-plural"),
        pytest.param("grey fairy", "grey fairies", id="an-irregular-plural"),
        pytest.param("Xi", "Xis plan", id="a-possessive-without-its-sign"),
        pytest.param("Élodie", "Elodie sings", id="no-accent"),
        pytest.param("Elodie", "E\u0301lodie sings", id="an-accent-of-its-own"),
    ],
)
def test_named_knows_plurals_possessives_and_accents(name: str, text: str) -> None:
    assert Mentions([(name, "it")]).named(text) == {"it"}


def test_a_name_that_is_the_plural_of_another_is_itself() -> None:
    assert Mentions([("Mill", "one"), ("Mills", "two")]).named("the Mills and the mill's wheel") == {"one", "two"}
    assert Mentions([("Mill", "one"), ("Mills", "two")]).named("the Mills") == {"two"}


def test_a_telling_word_has_no_accents() -> None:
    assert Mentions([("Élodie Marchand", "it")]).hinted("elodie") == {"it"}


class Passage(str):
    """Words of which one can tell whether anybody still holds them."""

    __slots__ = ("__weakref__",)


def test_the_process_keeps_no_words_that_were_looked_through() -> None:
    said = Passage("Captain Voss came to the mill.")
    held = weakref.ref(said)
    assert Mentions([("Voss", "it")]).hinted(said) == {"it"}
    del said
    gc.collect()

    assert held() is None
