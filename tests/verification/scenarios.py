"""What the model is asked, and under which profile: the stretch of the sample campaign, and the options."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass, field
from functools import cache

from extraction.canonical import JsonValue
from extraction.codes import Code
from extraction.ingest import read_transcript
from extraction.lanes.job import Retries
from extraction.llm.profiles import OutputMode, Profile, ProviderKind
from extraction.source.documents import SourceDocument
from tests.verification.environment import ROOT
from tests.verification.model_server import ALIAS

SAMPLE = ROOT / "assets" / "sample"
ONCE_MORE = Retries(extract=1, normalize=1)
FIRST_UNIT = 60
"""Where the stretch begins, by position: past the talk before the game."""


@dataclass(frozen=True)
class Scenario:
    """One run. `must_fail_with` names the code that it has to end in, None where any handled end is right."""

    name: str
    units: int
    options: dict[str, object] = field(default_factory=dict)
    retries: Retries = ONCE_MORE
    must_fail_with: Code | None = None

    def profile(self, base_url: str) -> Profile:
        """Return the options that suit a very small model, with this scenario's own on top."""
        small: dict[str, object] = {
            "name": "verify",
            "provider": ProviderKind.OPENAI,
            "base_url": base_url,
            "model": ALIAS,
            "temperature": 0.6,
            "max_tokens": 200,
            "input_budget": 6_000,
            "chunk_units": 10,
            "unit_id_enum": True,
            "max_records": 2,
            "concurrency": 1,
            "timeout_s": 60.0,
            "tries": 1,
        }
        return Profile.model_validate(small | self.options)


# The quick ones first: on a busy machine the time may be over before the last ends.
SCENARIOS = (
    Scenario(
        "prompt too long",
        units=331,
        options={"chunk_units": 331, "chunk_words": 10_000},
        must_fail_with=Code.LLM_CONTEXT_OVERFLOW,
    ),
    Scenario("reply cut short", units=10, options={"max_tokens": 16}, must_fail_with=Code.EXTRACT_INVALID),
    Scenario("json_object", units=20, options={"structured_output": OutputMode.JSON_OBJECT}),
    Scenario("prompt only", units=20, options={"structured_output": OutputMode.PROMPT}),
    Scenario("unit ids left free", units=20, options={"unit_id_enum": False, "temperature": 0.9, "seed": 7}),
    Scenario("unit ids as an enum", units=60),
)


@cache
def stretch(units: int) -> SourceDocument:
    """Return that many units of the sample's first session."""
    read = read_transcript((SAMPLE / "session-1.json").read_bytes(), filename="session-1.json")
    return SourceDocument("glass-tithe.s1.t1", read.units[FIRST_UNIT : FIRST_UNIT + units], read.title)


@cache
def table() -> dict[str, JsonValue]:
    """Return the sample campaign's roster and glossary as prompt materials."""
    campaign = tomllib.loads((SAMPLE / "campaign.toml").read_text(encoding="utf-8"))
    return {"gm": campaign["gm"], "party": campaign["party"], "glossary": campaign["glossary"]}
