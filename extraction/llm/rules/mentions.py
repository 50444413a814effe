"""Every possible name of a stretch of transcript with its evidence, one scan for all prompts that ask for names."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from extraction.identity import comparison_key
from extraction.llm.rules import materials as given
from extraction.llm.rules.cues import Evidence, Setting, talks_of_outside, weigh
from extraction.llm.rules.glossary import Glossary
from extraction.llm.rules.materials import Materials, Unit
from extraction.llm.rules.names import Span, spans
from extraction.llm.rules.speakers import TableNames, gm_keys, labels
from extraction.llm.rules.tokens import Word, words

# A term the group wrote down is more likely a name; what it names stays open.
_GLOSSARY_HINT = 0.5


@dataclass(frozen=True, slots=True)
class Mention:
    """One place where a name is said. `position` is the unit's place in the scan, None for a context unit.

    `core_key` is the name without titles. `certain` says that the capital is not owed to a sentence's start.
    """

    name: str
    key: str
    core_key: str
    position: int | None
    titled: bool
    certain: bool
    narrated: bool
    evidence: Evidence


@dataclass(frozen=True, slots=True)
class Scan:
    """The citable units and all mentions in them and in their context; names of people at the table are left out."""

    units: tuple[Unit, ...]
    mentions: tuple[Mention, ...]


def scan(materials: Materials) -> Scan:
    """Return all mentions of possible names in the transcript and its context."""
    cited, around = given.transcript(materials), given.context(materials)
    every = (*cited, *around)
    texts = [words(unit.text) for unit in every]
    gm = gm_keys(materials, every)
    table = TableNames(materials, every)
    heard = Glossary(given.glossary(materials))
    common = seen_in_lower_case(texts)
    mentions: list[Mention] = []
    for at, (unit, text) in enumerate(zip(every, texts, strict=True)):
        said = labels(unit.speaker)
        narrated = not gm or not said or any(label in gm for label in said)
        setting = Setting(text, narrated, talks_of_outside(text), table.is_table_word)
        position = at if at < len(cited) else None
        found = [_mention(span, setting, heard, position) for span in _possible_names(text, common, heard)]
        mentions += (item for item in found if not table.refuses(item.name) and not table.refuses(item.core_key))
    return Scan(cited, tuple(mentions))


def _possible_names(text: Sequence[Word], common: frozenset[str], heard: Glossary) -> Iterator[Span]:
    """Return the capitalised names of a text, and misheard terms that stand outside of them."""
    covered: set[int] = set()
    for span in spans(text, common):
        covered.update(range(span.first, span.last + 1))
        yield span
    yield from heard.spans(text, covered)


def _mention(span: Span, setting: Setting, heard: Glossary, position: int | None) -> Mention:
    core = heard.corrected(setting.text[span.core : span.last + 1])
    name = " ".join((*span.titles, core))
    evidence = weigh(span, setting)
    if heard.is_term(core):
        evidence = Evidence(evidence.person + _GLOSSARY_HINT, evidence.thing, evidence.best)
    return Mention(
        name=name,
        key=comparison_key(name),
        core_key=comparison_key(core),
        position=position,
        titled=bool(span.titles),
        certain=bool(span.titles) or not setting.text[span.first].opens,
        narrated=setting.narrated,
        evidence=evidence,
    )


def seen_in_lower_case(texts: Sequence[Sequence[Word]]) -> frozenset[str]:
    """Return the words that stand in lower case at least as often as with a capital inside a sentence."""
    lower: Counter[str] = Counter()
    capital: Counter[str] = Counter()
    for text in texts:
        lower.update(word.key for word in text if word.text[0].islower())
        capital.update(word.key for word in text if word.capital and not word.opens)
    return frozenset(key for key, count in lower.items() if count >= capital[key])
