"""What must be true of a run, whatever the model said. Structure and handling only, never content.

The model's raw replies are read here a second time, apart from the runner, and both accounts must agree.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace

import orjson
from jsonschema import Draft202012Validator
from pydantic import ValidationError

from extraction.canonical import JsonValue, digest
from extraction.checkpoints.codec import decode
from extraction.codes import Code
from extraction.dnd.artifacts.npcs import NpcsArtifact
from extraction.dnd.artifacts.registry import Entity
from extraction.errors import InvalidCompletion, LaneFailed, ProviderUnavailable, RequestRefused
from extraction.findings import Decision, decide
from extraction.lanes.calls import parse
from extraction.lanes.chunk import Chunk
from extraction.lanes.lane import Scope
from extraction.lanes.run import chunks_of, document_scope, prepare_chunk_request
from extraction.llm.boundary import Exchange
from extraction.llm.reading import decode_reply
from extraction.source.references import SourceRef
from tests.verification.environment import ROOT
from tests.verification.evidence import LANE, Witnessed

# Codes in which one answer may end and be asked for again, and those that end a lane at once.
ASK_AGAIN = frozenset(
    {
        Code.LLM_NOT_JSON,
        Code.LLM_SCHEMA_MISMATCH,
        Code.LLM_TRUNCATED,
        Code.LLM_EMPTY,
        Code.LLM_REFUSAL,
        Code.LLM_TOO_LARGE,
    }
)
OK = "ok"
CHUNK = re.compile(r"chunk\[(\d+)\]")
LONG_TEXT = 20


@dataclass(frozen=True, slots=True)
class Account:
    """Chunks accepted and given up, answers asked for again, answers by the code they ended in, and what is wrong."""

    accepted: int
    again: int
    given_up: int
    ended: Counter[str]
    problems: tuple[str, ...]


def judge(seen: Witnessed) -> Account:
    """Return the account of a run; `problems` is empty where everything was handled."""
    scope = document_scope(seen.job)
    chunks = chunks_of(LANE, seen.job, scope)
    problems = [*_published_rightly(seen, scope), *_leaks(seen)]
    problems += [] if seen.cut_off else _ended_clearly(seen)
    fates: Counter[str] = Counter()
    ended: Counter[str] = Counter()
    again = 0
    failed: set[int] = set()
    asked = seen.asked(LANE.extract.prompt)
    for chunk in chunks:
        exchanges = asked.pop(prepare_chunk_request(LANE, seen.job, chunk.number).messages[-1].content, [])
        codes = [_code_of(exchange, seen, replace(scope, chunk=chunk), chunk) for exchange in exchanges]
        problems += _attempted_rightly(seen, chunk, codes)
        ended.update(code or OK for code in codes)
        again += max(0, len(codes) - 1)
        fate = "unasked" if not codes else "accepted" if codes[-1] is None else "given up"
        fates[fate] += 1
        if fate == "given up":
            failed.add(chunk.number)
    problems += [f"{len(asked)} requests belong to no chunk"] if asked else []
    problems += [] if seen.cut_off else _kept_rightly(seen, fates, failed)
    if LANE.proposal is not None:
        ended.update(exchange.outcome for group in seen.asked(LANE.proposal.prompt).values() for exchange in group)
    return Account(fates["accepted"], again, fates["given up"], ended, tuple(problems))


def _code_of(exchange: Exchange, seen: Witnessed, scope: Scope, chunk: Chunk) -> str | None:
    """Return None for an answer that stands, else the code of what was wrong with it, read anew from the bytes."""
    if exchange.outcome != OK:
        return exchange.outcome
    request = prepare_chunk_request(LANE, seen.job, chunk.number)
    text = orjson.loads(exchange.reply)["choices"][0]["message"]["content"]
    try:
        data = decode_reply(text, request.schema, seen.job.profile.structured_output)
        records = LANE.extract.read(parse(LANE.extract.reply, data), scope)
    except InvalidCompletion as error:
        return error.code.value
    findings = [finding for validate in LANE.extract.validators for finding in validate(records, scope)]
    if decide(findings) is Decision.ACCEPT:
        return None
    return next(finding.code.value for finding in findings if finding.severity == "reject")


def _ended_clearly(seen: Witnessed) -> Iterator[str]:
    """Every end is an artifact or an error of one of the three kinds with a code that fits it."""
    error, wanted = seen.error, seen.scenario.must_fail_with
    if (seen.result is None) == (error is None):
        yield "the run ended neither with an artifact nor with an error, or with both"
    if error is not None and not isinstance(error, (LaneFailed, ProviderUnavailable, RequestRefused)):
        yield f"the run ended in {type(error).__name__} ({error.code.value})"
    if wanted is not None and (error is None or error.code is not wanted):
        yield f"the run had to end in {wanted.value}"
    known = {code.value for code in Code} | {OK}
    yield from (
        f"an exchange ended in the unknown code {e.outcome!r}" for e in seen.exchanges if e.outcome not in known
    )
    yield from ("an exchange without the bytes of its request" for e in seen.exchanges if not e.request)
    yield from ("an accepted exchange without a token count" for e in seen.exchanges if _uncounted(e))


def _uncounted(exchange: Exchange) -> bool:
    return exchange.outcome == OK and not (exchange.usage.prompt_tokens and exchange.usage.completion_tokens)


def _attempted_rightly(seen: Witnessed, chunk: Chunk, codes: list[str | None]) -> Iterator[str]:
    """Asked again exactly while the answer was unusable and the budget lasted; never after one that stands."""
    budget = seen.job.retries.extract + 1
    if None in codes[:-1]:
        yield f"chunk {chunk.number} was asked again after an answer that stands"
    if len(codes) > budget:
        yield f"chunk {chunk.number} took {len(codes)} attempts of {budget}"
    last = codes[-1] if codes else None
    if last is not None and len(codes) < budget and isinstance(seen.error, LaneFailed):
        yield f"chunk {chunk.number} was given up before its budget was used"


def _kept_rightly(seen: Witnessed, fates: Counter[str], failed: set[int]) -> Iterator[str]:
    """What was accepted is in the checkpoints, what was not is named in the error, and nothing is lost between."""
    kept = [stored for value in seen.checkpoints.values.values() if (stored := decode(value)) is not None]
    reconciled = len(seen.asked(LANE.proposal.prompt)) if LANE.proposal else 0
    if len(kept) - min(reconciled, 1) != fates["accepted"]:
        yield f"{fates['accepted']} chunks accepted, but {len(kept)} answers kept"
    if seen.result is not None and fates["accepted"] != sum(fates.values()):
        yield "an artifact was published although not every chunk was accepted"
    if isinstance(seen.error, LaneFailed) and seen.error.code is Code.EXTRACT_INVALID:
        named = {int(found[1]) for f in seen.error.findings if (found := CHUNK.match(f.where))}
        if named != failed:
            yield f"the error names chunks {sorted(named)}, but {sorted(failed)} were given up"
    refused = {e.outcome for e in seen.exchanges} - {OK} - {code.value for code in ASK_AGAIN}
    if refused and (seen.error is None or seen.error.code.value not in refused):
        yield f"{sorted(refused)} did not end the run"


def _published_rightly(seen: Witnessed, scope: Scope) -> Iterator[str]:
    """An artifact satisfies its durable schema, its model and every validator of the lane."""
    if seen.result is None:
        return
    payload = orjson.loads(orjson.dumps(seen.result.payload))
    schema = orjson.loads((ROOT / "assets" / "dnd" / LANE.family / "artifact.schema.json").read_bytes())
    broken = sum(1 for _ in Draft202012Validator(schema).iter_errors(payload))
    if broken:
        yield f"the artifact breaks its durable schema in {broken} places"
    try:
        artifact = NpcsArtifact.model_validate_json(orjson.dumps(payload))
    except ValidationError as error:
        yield f"the artifact does not read back: {error.error_count()} faults"
        return
    records = [
        Entity(npc.id, npc.name, tuple(SourceRef(**ref.model_dump()) for ref in npc.source_refs))
        for npc in artifact.npcs
    ]
    findings = [finding for validate in LANE.validators for finding in validate(records, scope)]
    yield from (f"published in spite of {f.code.value}" for f in findings if f.severity == "reject")
    if digest(seen.result.payload) != seen.result.digest or len(records) != seen.result.record_count:
        yield "digest or count of the result are not those of the artifact"


def _leaks(seen: Witnessed) -> Iterator[str]:
    """Errors, findings, manifests and logs hold no word of the transcript, the roster or a reply."""
    said = "\n".join(_said(seen))
    names = "|".join(re.escape(name) for name in sorted(_secret_names(seen), key=len, reverse=True))
    if re.search(rf"\b(?:{names})\b", said):
        yield "a name of the table or a speaker stands in an error, a finding, the manifest or the log"
    if any(text in said for text in _secret_texts(seen)):
        yield "a text of the transcript or of a reply stands in an error, a finding, the manifest or the log"


def _said(seen: Witnessed) -> Iterator[str]:
    yield from seen.log
    if seen.error is not None:
        yield f"{seen.error} {seen.error!r} {seen.error.__cause__!r}"
    findings = seen.error.findings if isinstance(seen.error, LaneFailed) else ()
    if seen.result is not None:
        findings = seen.result.findings
        yield orjson.dumps(seen.result.manifest).decode()
    yield from (orjson.dumps(finding.as_json()).decode() for finding in findings)


def _secret_names(seen: Witnessed) -> set[str]:
    table, speakers = seen.job.table, {unit.speaker for unit in seen.job.document.units}
    return set(_strings([table["gm"], table["party"], table["glossary"]])) | {name for name in speakers if name}


def _secret_texts(seen: Witnessed) -> set[str]:
    texts = {unit.text for unit in seen.job.document.units}
    for exchange in seen.exchanges:
        try:
            body = orjson.loads(exchange.reply)
        except orjson.JSONDecodeError:
            continue
        texts.update(_strings(body.get("choices")))
        texts.update(_strings(body.get("error")))
    return {text for text in texts if len(text) >= LONG_TEXT}


def _strings(value: JsonValue) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, (list, tuple)):
        for item in value:
            yield from _strings(item)
    elif isinstance(value, dict):
        for item in value.values():
            yield from _strings(item)
