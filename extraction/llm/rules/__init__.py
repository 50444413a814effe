"""The embedded provider: deterministic, offline answers from a prompt's materials. Modest recall, no model."""

from __future__ import annotations

from extraction.llm.rules.client import RULES_VERSION, RulesClient

__all__ = ["RULES_VERSION", "RulesClient"]
