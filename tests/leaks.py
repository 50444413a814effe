"""Content that must not be in logs, audit rows, findings, manifests or task rows."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Self

from tests import standard


@dataclass(frozen=True, slots=True)
class Leaks:
    words: tuple[str, ...]

    @classmethod
    def of_standard(cls) -> Self:
        """Look for the names, speakers and sentences of the standard document."""
        names = [word for name in standard.NPCS for word in name.split()]
        return cls((*names, standard.GM, standard.CORWEN, standard.PIKE, *(unit.text for unit in standard.UNITS)))

    def found_in(self, texts: Iterable[object]) -> list[str]:
        """Return the words and sentences that stand in any of the texts."""
        joined = "\n".join(str(text) for text in texts)
        return [word for word in self.words if word in joined]
