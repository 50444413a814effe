"""Read prompt manifests. A prompt is a folder of assets; no prompt text stands in Python.

[prompts.extract]                  # in assets/dnd/<family>/manifest.toml, id "dnd/<family>.extract"
response = "npcs"                  # name the reply schema goes by
[[prompts.extract.parts]]
role = "system"
fragment = "shared/evidence.md"    # below assets/dnd
[[prompts.extract.parts]]
cache_boundary = true              # what stands above is the same for every lane that reads the chunk
[[prompts.extract.parts]]
role = "user"
material = "transcript"
heading = "TRANSCRIPT:"
style = "units"                    # units, windows, context, names, sparse or json (the default)
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Self

from pydantic import BaseModel, ConfigDict, ValidationError, model_validator

from extraction.canonical import bytes_digest, digest
from extraction.errors import PromptError
from extraction.llm.boundary import Role


class Style(StrEnum):
    """How a material is written: JSON lines, all fields or those with something in them, a line of names for each
    individual, transcript lines, marked windows, or lines around a chunk.
    """

    JSON = "json"
    SPARSE = "sparse"
    NAMES = "names"
    UNITS = "units"
    WINDOWS = "windows"
    CONTEXT = "context"


class PartConfig(BaseModel):
    """One part of a prompt: a fragment, a material, or the cache boundary between what lanes share and the task."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    role: Role | None = None
    fragment: str | None = None
    material: str | None = None
    heading: str | None = None
    style: Style = Style.JSON
    cache_boundary: bool = False

    @model_validator(mode="after")
    def _exactly_one_kind(self) -> Self:
        if sum((self.fragment is not None, self.material is not None, self.cache_boundary)) != 1:
            raise ValueError("a part has exactly one of fragment, material, cache_boundary")
        if self.cache_boundary == (self.role is not None):
            raise ValueError("a fragment or a material needs a role, a cache boundary has none")
        if (self.material is None) != (self.heading is None):
            raise ValueError("a material needs a heading, nothing else has one")
        return self


class PromptConfig(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)

    response: str
    parts: tuple[PartConfig, ...]

    @model_validator(mode="after")
    def _materials_once_and_at_most_one_boundary(self) -> Self:
        materials = [part.material for part in self.parts if part.material is not None]
        if len(set(materials)) != len(materials):
            raise ValueError("a material stands twice")
        if sum(part.cache_boundary for part in self.parts) > 1:
            raise ValueError("there is more than one cache boundary")
        return self


class ManifestConfig(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)

    prompts: dict[str, PromptConfig]


@dataclass(frozen=True, slots=True)
class Part:
    """`text` is a fragment's exact text; `material` names what is rendered there instead; neither: the boundary."""

    role: Role | None
    text: str | None = None
    material: str | None = None
    heading: str = ""
    style: Style = Style.JSON


@dataclass(frozen=True, slots=True)
class Prompt:
    """A prompt ready for rendering. `digest` covers the declared order and the exact bytes of every fragment."""

    id: str
    response: str
    parts: tuple[Part, ...]
    digest: str

    @property
    def materials(self) -> tuple[str, ...]:
        """Return the names of the materials in declared order."""
        return tuple(part.material for part in self.parts if part.material is not None)


class Catalog:
    """All prompts below one folder, by id such as `dnd/npcs.extract`; read once."""

    def __init__(self, prompts: Mapping[str, Prompt]) -> None:
        self._prompts = dict(prompts)

    @classmethod
    def load(cls, root: Path) -> Catalog:
        """Read every `<family>/manifest.toml` below `root`.

        Raises PromptError, naming the manifest and the key, for an unknown key, a fragment that does not exist or
        leads outside `root`, or anything else that is wrong.
        """
        prompts: dict[str, Prompt] = {}
        for manifest in sorted(root.glob("*/manifest.toml")):
            for prompt in _read_manifest(root, manifest):
                prompts[prompt.id] = prompt
        return cls(prompts)

    def __getitem__(self, prompt_id: str) -> Prompt:
        try:
            return self._prompts[prompt_id]
        except KeyError:
            raise PromptError(f"There is no prompt {prompt_id!r}.") from None

    def __iter__(self) -> Iterator[Prompt]:
        return iter(self._prompts.values())


def _read_manifest(root: Path, manifest: Path) -> Iterator[Prompt]:
    label = f"{manifest.parent.name}/manifest.toml"
    try:
        config = ManifestConfig.model_validate(tomllib.loads(manifest.read_text(encoding="utf-8")))
    except UnicodeDecodeError as error:
        raise PromptError(f"{label} is not UTF-8.") from error
    except tomllib.TOMLDecodeError as error:
        raise PromptError(f"{label} is not valid TOML: {error}.") from error
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(step) for step in first["loc"])
        raise PromptError(f"{label}: {where}: {first['msg'].removeprefix('Value error, ')}.") from error
    family = manifest.parent.name.replace("_", "-")
    for name, prompt in config.prompts.items():
        yield _prompt(root, f"{root.name}/{family}.{name}", prompt, label)


def _prompt(root: Path, prompt_id: str, config: PromptConfig, label: str) -> Prompt:
    parts: list[Part] = []
    identity: list[list[str]] = []
    for part in config.parts:
        text = None
        if part.fragment is not None:
            data = _fragment(root, part.fragment, label)
            text = _decoded(data, part.fragment, label).strip("\n")
            identity.append([str(part.role), "fragment", bytes_digest(data)])
        else:
            kind = "material" if part.material else "boundary"
            identity.append([str(part.role or ""), kind, part.material or "", part.heading or "", part.style.value])
        parts.append(Part(part.role, text, part.material, part.heading or "", part.style))
    return Prompt(prompt_id, config.response, tuple(parts), digest([prompt_id, config.response, identity]))


def _fragment(root: Path, name: str, label: str) -> bytes:
    path = (root / name).resolve()
    if not path.is_relative_to(root.resolve()) or not path.is_file():
        raise PromptError(f"{label}: there is no fragment {name!r} below the prompt folder.")
    return path.read_bytes()


def _decoded(data: bytes, name: str, label: str) -> str:
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise PromptError(f"{label}: the fragment {name!r} is not UTF-8.") from error
