"""Which spellings the labels take for one individual. Articles do not matter here, as they do in identities."""

from __future__ import annotations

import re
from collections.abc import Iterable

from extraction.identity import comparison_key

ARTICLE = re.compile(r"^(?:the|an|a) (?=\S)")


def name_key(name: str) -> str:
    """Return the comparison key without a leading article: `the ferryman` is `Ferryman`."""
    return ARTICLE.sub("", comparison_key(name))


class NameBook:
    """Groups of names, each group one individual. A name may stand in several groups: then it may mean each."""

    def __init__(self, groups: Iterable[Iterable[str]]) -> None:
        self._groups: dict[str, set[int]] = {}
        for at, names in enumerate(groups):
            for name in names:
                self._groups.setdefault(name_key(name), set()).add(at)

    def same(self, one: str, other: str) -> bool:
        """Tell whether two names may mean one individual; names that nobody listed are equal or not."""
        first, second = name_key(one), name_key(other)
        return first == second or bool(self._groups.get(first, set()) & self._groups.get(second, set()))

    def same_or_none(self, one: str | None, other: str | None) -> bool:
        """Tell the same of names that may be absent."""
        if one is None or other is None:
            return one is other
        return self.same(one, other)

    def same_all(self, ones: Iterable[str], others: Iterable[str]) -> bool:
        """Tell whether two lists name the same individuals, in whatever order and spelling."""
        ones, others = list(ones), list(others)
        return all(any(self.same(one, other) for other in others) for one in ones) and all(
            any(self.same(one, other) for one in ones) for other in others
        )
