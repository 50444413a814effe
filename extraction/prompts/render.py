"""Turn a prompt and its materials into messages: declared order, nothing missing, nothing unknown."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import orjson

from extraction.canonical import JsonValue
from extraction.codes import Code
from extraction.errors import PromptError
from extraction.llm.boundary import Message
from extraction.prompts.catalog import Part, Prompt, Style

# Part of every prompt's identity: change it with whatever changes how the same materials read.
RENDER_POLICY = "render.v3"
NOTHING = "(none)"
EMPTY: tuple[JsonValue, ...] = (None, {}, [])
BETWEEN_PARTS = "\n\n"
BETWEEN_NAMES = " = "
# Signs that a person at the screen cannot see and a model reads: tags, invisible selectors, zero-width spaces and
# joins of words. The joiners of scripts and emoji (200C, 200D, FE0F) stay. The stored transcript keeps them all.
UNSEEN = dict.fromkeys([*range(0xE0000, 0xE01F0), *range(0x2060, 0x2065), 0x200B, 0xFEFF])


@dataclass(frozen=True, slots=True)
class CacheBoundary:
    """Where the task begins: every prompt that is asked about the same chunk is equal up to here."""

    message: int
    offset: int


@dataclass(frozen=True, slots=True)
class RenderedPrompt:
    messages: tuple[Message, ...]
    boundary: CacheBoundary | None


def render(prompt: Prompt, materials: Mapping[str, JsonValue]) -> RenderedPrompt:
    """Return the prompt's messages; consecutive parts of one role become one message.

    Raises PromptError for a material that is missing or that the prompt does not declare.
    """
    _check_materials(prompt, materials)
    messages: list[Message] = []
    boundary: CacheBoundary | None = None
    pending_boundary = False
    for part in prompt.parts:
        if part.role is None:
            pending_boundary = True
            continue
        text = part.text if part.text is not None else _material(part, materials)
        joined = bool(messages) and messages[-1].role is part.role
        before = messages.pop().content + BETWEEN_PARTS if joined else ""
        if pending_boundary:
            boundary, pending_boundary = CacheBoundary(len(messages), len(before)), False
        messages.append(Message(part.role, before + text))
    return RenderedPrompt(tuple(messages), boundary)


def estimated_tokens(messages: Sequence[Message]) -> int:
    """Return the request's size in tokens, estimated as UTF-8 bytes / 3: no tokenizer works for every model."""
    return sum(len(message.content.encode()) for message in messages) // 3


def _check_materials(prompt: Prompt, materials: Mapping[str, JsonValue]) -> None:
    declared = set(prompt.materials)
    for name in sorted(declared - materials.keys()):
        raise PromptError(f"Prompt {prompt.id!r} needs the material {name!r}.", code=Code.PROMPT_MATERIAL_MISSING)
    for name in sorted(materials.keys() - declared):
        raise PromptError(
            f"Prompt {prompt.id!r} does not declare the material {name!r}.", code=Code.PROMPT_MATERIAL_UNKNOWN
        )


def _material(part: Part, materials: Mapping[str, JsonValue]) -> str:
    value = materials[part.material or ""]
    lines = STYLES[part.style](value)
    return "\n".join((part.heading, *(lines or (NOTHING,))))


def _json_lines(value: JsonValue) -> list[str]:
    items = value if isinstance(value, (list, tuple)) else [value]
    return [orjson.dumps(item).decode() for item in items if item not in EMPTY]


def _sparse_lines(value: JsonValue) -> list[str]:
    tables = value if isinstance(value, (list, tuple)) else [value]
    return _json_lines([_without_empty(table) for table in tables])


def _without_empty(value: JsonValue) -> JsonValue:
    if not isinstance(value, Mapping):
        return value
    return {name: field for name, field in value.items() if field not in EMPTY}


def _name_lines(value: JsonValue) -> list[str]:
    return [BETWEEN_NAMES.join(_json_lines([each["name"], *_list(each["other_names"])])) for each in _items(value)]


def _unit_lines(value: JsonValue) -> list[str]:
    return [_line(unit, cited=True) for unit in _items(value)]


def _window_lines(value: JsonValue) -> list[str]:
    lines: list[str] = []
    for number, window in enumerate(_items(value), start=1):
        lines.append(f"Passage {number}")
        lines.extend(_line(unit, cited=bool(unit["cited"])) for unit in _items(window["units"]))
    return lines


def _context_lines(value: JsonValue) -> list[str]:
    if not isinstance(value, Mapping):
        raise PromptError("The context of a chunk is a table of units before and after it.")
    lines: list[str] = []
    for side in ("before", "after"):
        if units := list(_items(value[side])):
            lines.append(side.capitalize())
            lines.extend(_line(unit, cited=False) for unit in units)
    return lines


STYLES = {
    Style.JSON: _json_lines,
    Style.SPARSE: _sparse_lines,
    Style.NAMES: _name_lines,
    Style.UNITS: _unit_lines,
    Style.WINDOWS: _window_lines,
    Style.CONTEXT: _context_lines,
}


def _line(unit: Mapping[str, JsonValue], *, cited: bool) -> str:
    """Return one line. Line breaks inside a text become spaces, so that no text can pose as another unit."""
    mark = f"[{unit['unit_id']}]" if cited else f"({unit['unit_id']})"
    speaker = _seen(str(unit["speaker"] or "")) or "?"
    return f"{mark} {speaker}: {_seen(str(unit['text']))}"


def _seen(text: str) -> str:
    """Return what a person sees of the text, on one line."""
    return " ".join(text.translate(UNSEEN).split())


def _list(value: JsonValue) -> Sequence[JsonValue]:
    if not isinstance(value, (list, tuple)):
        raise PromptError("This material is a list.")
    return value


def _items(value: JsonValue) -> Iterator[Mapping[str, JsonValue]]:
    for item in _list(value):
        if not isinstance(item, Mapping):
            raise PromptError("This material is a list of tables.")
        yield item
