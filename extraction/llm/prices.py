"""What tokens cost: a profile's price table, and the sum for a number of tokens."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Prices:
    """Prices of a million tokens in `currency`. `cached` is for prompt tokens that the provider had read before."""

    prompt: float
    cached: float
    completion: float
    currency: str

    def micros(self, *, prompt: int, cached: int, completion: int) -> int:
        """Return what the tokens cost in millionths of the currency; `cached` are among the `prompt` tokens.

        A price a million is a millionth of the currency a token. A provider that counts more cached tokens than it
        was sent is not believed.
        """
        cached = min(cached, prompt)
        return round((prompt - cached) * self.prompt + cached * self.cached + completion * self.completion)
