"""Profiles: which provider answers, with which parameters, and where they are configured."""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Mapping
from enum import StrEnum
from pathlib import Path
from typing import Annotated
from urllib.parse import urlsplit

from pydantic import BaseModel, ConfigDict, Field, SecretStr, ValidationError, field_validator, model_validator

from extraction.canonical import JsonValue
from extraction.codes import Code
from extraction.errors import InputError
from extraction.llm.prices import Prices

PREFIX = "NOTARIUS_LLM_"
DEFAULT = "default"


class ProfileError(InputError):
    """A setting of a profile is wrong; the text names the setting, never its value."""

    code = Code.LLM_CONFIGURATION


class ProviderKind(StrEnum):
    OPENAI = "openai"
    RULES = "rules"
    REPLAY = "replay"


class OutputMode(StrEnum):
    """How the reply's shape is asked for; our own validation follows in every case."""

    JSON_SCHEMA = "json_schema"
    JSON_OBJECT = "json_object"
    PROMPT = "prompt"


class SchemaLayout(StrEnum):
    """Which reply schema stands before the messages: each lane's own, or one for all lanes of a chunk.

    A provider's prefix cache begins with the schema, so lanes share a chunk's cache only under one schema.
    """

    LANE = "lane"
    ENVELOPE = "envelope"


class TokenLimitField(StrEnum):
    """How the endpoint calls the limit on reply tokens: OpenAI's newer models refuse the name the others know."""

    MAX_TOKENS = "max_tokens"
    MAX_COMPLETION_TOKENS = "max_completion_tokens"


Price = Annotated[float, Field(ge=0, allow_inf_nan=False)]


class Profile(BaseModel):
    """One named way to a model. The key is held as a secret and is in no dump, log or fingerprint."""

    model_config = ConfigDict(extra="forbid", frozen=True, hide_input_in_errors=True)

    name: str = DEFAULT
    provider: ProviderKind = ProviderKind.RULES
    base_url: str | None = None
    model: str = ""
    api_key: SecretStr | None = None
    structured_output: OutputMode = OutputMode.JSON_SCHEMA
    temperature: Annotated[float, Field(ge=0, le=2)] | None = None
    seed: int | None = None
    schema_layout: SchemaLayout = SchemaLayout.LANE
    max_tokens: Annotated[int, Field(ge=16)] | None = None
    token_limit_field: TokenLimitField = TokenLimitField.MAX_TOKENS
    input_budget: Annotated[int, Field(ge=256)] = 100_000
    chunk_units: Annotated[int, Field(ge=1)] = 90
    chunk_words: Annotated[int, Field(ge=20)] = 1_800
    unit_id_enum: bool = False
    max_records: Annotated[int, Field(ge=1)] | None = None
    # Those below change neither the request nor the reply and are in no fingerprint.
    concurrency: Annotated[int, Field(ge=1, le=256)] = 8
    timeout_s: Annotated[float, Field(gt=0, allow_inf_nan=False)] = 120.0
    tries: Annotated[int, Field(ge=1, le=20)] = 5
    recordings: str | None = None
    price_prompt: Price | None = None
    price_cached: Price | None = None
    price_completion: Price | None = None
    currency: Annotated[str, Field(pattern=r"^[A-Z]{3}$")] = "USD"

    @field_validator("base_url")
    @classmethod
    def _web_address(cls, value: str | None) -> str | None:
        if value is None:
            return None
        parts = urlsplit(value)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise ValueError("must be an http or https address")
        if parts.username or parts.password or parts.query or parts.fragment:
            raise ValueError("must hold no credentials, query or fragment")
        return value

    @field_validator("api_key")
    @classmethod
    def _header_value(cls, value: SecretStr | None) -> SecretStr | None:
        # Anything else cannot stand in an HTTP header, and the HTTP library's complaint would quote it.
        if value is not None and not all("!" <= sign <= "~" for sign in value.get_secret_value()):
            raise ValueError("must be printable ASCII without spaces")
        return value if value is not None and value.get_secret_value() else None

    @model_validator(mode="after")
    def _complete(self) -> Profile:
        if self.provider is ProviderKind.OPENAI and not (self.base_url and self.model):
            raise ValueError("base_url and model are both needed for the provider openai")
        if self.provider is ProviderKind.RULES and self.schema_layout is SchemaLayout.ENVELOPE:
            raise ValueError("schema_layout envelope is for a model, not for the provider rules")
        if self.provider is ProviderKind.REPLAY and not self.recordings:
            raise ValueError("recordings is needed for the provider replay")
        if (self.price_prompt is None) is not (self.price_completion is None):
            raise ValueError("price_prompt and price_completion are needed together")
        if self.price_cached is not None and self.price_prompt is None:
            raise ValueError("price_cached needs price_prompt and price_completion")
        return self

    @property
    def prices(self) -> Prices | None:
        """The price table, where one is set; cached tokens cost like others unless it says otherwise."""
        if self.price_prompt is None or self.price_completion is None:
            return None
        cached = self.price_prompt if self.price_cached is None else self.price_cached
        return Prices(self.price_prompt, cached, self.price_completion, self.currency)

    def meaning(self) -> dict[str, JsonValue]:
        """Return what of the profile changes a request or a reply, for fingerprints: no URL, key or limit."""
        return {
            "provider": self.provider.value,
            "model": self.model,
            "structured_output": self.structured_output.value,
            "schema_layout": self.schema_layout.value,
            "temperature": None if self.temperature is None else f"{self.temperature:.6g}",
            "seed": self.seed,
            "max_tokens": self.max_tokens,
            "token_limit_field": self.token_limit_field.value,
            "input_budget": self.input_budget,
            "chunk_units": self.chunk_units,
            "chunk_words": self.chunk_words,
            "unit_id_enum": self.unit_id_enum,
            "max_records": self.max_records,
        }


# Names that differ from PREFIX + the field's name in capitals.
RENAMED = {"TIMEOUT": "timeout_s"}
NOT_FIELDS = {"PROFILES", "API_KEY_FILE"}
NOT_VARIABLES = {"name", "provider", "recordings", "timeout_s"}


def load_profiles(environ: Mapping[str, str], toml_path: Path | None) -> dict[str, Profile]:
    """Return the profiles by name; `default` is always among them.

    Raises ProfileError for an unknown NOTARIUS_LLM_* variable, a wrong value, or a key that stands in the file.
    """
    tables = _tables(toml_path)
    key_variables = {str(table["api_key_env"]) for table in tables.values() if "api_key_env" in table}
    values = _from_environ(environ, ignore=key_variables)
    if DEFAULT in tables and values:
        raise ProfileError(f"The profile {DEFAULT} is set twice: by {PREFIX}* variables and in {_named(toml_path)}.")
    profiles = {name: _from_table(name, table, environ, toml_path) for name, table in tables.items()}
    if DEFAULT not in profiles:
        profiles[DEFAULT] = _default(values)
    return profiles


def _default(values: dict[str, object]) -> Profile:
    given = {"base_url", "model", "api_key"} & values.keys()
    if not given:
        return _profile(DEFAULT, values, ProviderKind.RULES, _variable)
    for field in ("base_url", "model"):
        if field not in given:
            raise ProfileError(f"{_variable(field)} is missing: a model needs {PREFIX}BASE_URL and {PREFIX}MODEL.")
    return _profile(DEFAULT, values, ProviderKind.OPENAI, _variable)


def _from_environ(environ: Mapping[str, str], ignore: set[str]) -> dict[str, object]:
    fields = {_variable(field): field for field in Profile.model_fields if field not in NOT_VARIABLES}
    fields |= {PREFIX + name: field for name, field in RENAMED.items()}
    values: dict[str, object] = {}
    for name, value in environ.items():
        if not name.startswith(PREFIX) or name in ignore or name.removeprefix(PREFIX) in NOT_FIELDS:
            continue
        if name not in fields:
            raise ProfileError(f"{name} is no setting. Known: {', '.join(sorted(fields))}, {PREFIX}PROFILES.")
        if value.strip():
            values[fields[name]] = value.strip()
    file = environ.get(f"{PREFIX}API_KEY_FILE")
    if file and "api_key" not in values:
        values["api_key"] = _key_in_file(Path(file))
    return values


def _key_in_file(file: Path) -> str:
    try:
        return file.read_text(encoding="utf-8").strip()
    except (OSError, UnicodeDecodeError):
        raise ProfileError(f"{PREFIX}API_KEY_FILE names a file that cannot be read.") from None


def _variable(field: str) -> str:
    renamed = next((name for name, target in RENAMED.items() if target == field), field.upper())
    return PREFIX + renamed


def _tables(path: Path | None) -> dict[str, dict[str, object]]:
    if path is None:
        return {}
    try:
        document = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError:
        raise ProfileError(f"{_named(path)} cannot be read; {PREFIX}PROFILES names it.") from None
    except (UnicodeDecodeError, tomllib.TOMLDecodeError):
        # The parser's own words may quote a line, and somebody may have put a key there.
        raise ProfileError(f"{_named(path)} is not TOML.") from None
    profiles = document.pop("profiles", None)
    if document or not isinstance(profiles, dict):
        raise ProfileError(f"{_named(path)} may hold [profiles.NAME] tables only.")
    for name, table in profiles.items():
        if not isinstance(table, dict):
            raise ProfileError(f"{_named(path)}: profiles.{name} is not a table.")
    return profiles


def _from_table(name: str, table: Mapping[str, object], environ: Mapping[str, str], path: Path | None) -> Profile:
    values = dict(table)
    if "api_key" in values:
        raise ProfileError(
            f"{_named(path)}: profiles.{name}.api_key: keys come from the environment only, "
            "by the name of their variable in api_key_env."
        )
    if "name" in values:
        raise ProfileError(f"{_named(path)}: profiles.{name}.name: the name is that of the table.")
    variable = values.pop("api_key_env", None)
    if variable is not None:
        if not isinstance(variable, str) or not environ.get(variable):
            raise ProfileError(f"{_named(path)}: profiles.{name}.api_key_env names a variable that is not set.")
        values["api_key"] = environ[variable].strip()
    if path is not None and isinstance(values.get("recordings"), str):
        values["recordings"] = str(path.parent / str(values["recordings"]))
    provider = ProviderKind.OPENAI if "base_url" in values else ProviderKind.RULES
    return _profile(name, values, provider, lambda field: f"{_named(path)}: profiles.{name}.{field}")


def _profile(name: str, values: Mapping[str, object], provider: ProviderKind, setting: Callable[[str], str]) -> Profile:
    try:
        return Profile.model_validate({"provider": provider, **values, "name": name})
    except ValidationError as error:
        problem = error.errors(include_url=False, include_context=False, include_input=False)[0]
        reason = str(problem["msg"]).removeprefix("Value error, ")
        if not problem["loc"]:
            raise ProfileError(f"{setting('provider')}: {reason}.") from None
        raise ProfileError(f"{setting(str(problem['loc'][0]))}: {reason}.") from None


def _named(path: Path | None) -> str:
    return path.name if path is not None else "the profiles file"
