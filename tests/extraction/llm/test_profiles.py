from __future__ import annotations

from pathlib import Path

import pytest
from pydantic import SecretStr

from extraction.codes import Code
from extraction.errors import InputError
from extraction.llm.profiles import OutputMode, Profile, ProfileError, ProviderKind, load_profiles

KEY = "sk-canary-5512"
OPENAI = {"NOTARIUS_LLM_BASE_URL": "http://127.0.0.1:11434/v1", "NOTARIUS_LLM_MODEL": "llama"}


def toml(folder: Path, text: str) -> Path:
    file = folder / "profiles.toml"
    file.write_text(text, encoding="utf-8")
    return file


def test_load_profiles_without_settings_is_rules() -> None:
    assert load_profiles({"PATH": "x"}, None) == {"default": Profile()}


def test_load_profiles_from_the_environment() -> None:
    given = OPENAI | {
        "NOTARIUS_LLM_API_KEY": f" {KEY}\n",
        "NOTARIUS_LLM_STRUCTURED_OUTPUT": "json_object",
        "NOTARIUS_LLM_CONCURRENCY": "3",
        "NOTARIUS_LLM_TIMEOUT": "12.5",
        "NOTARIUS_LLM_MAX_TOKENS": "900",
        "NOTARIUS_LLM_UNIT_ID_ENUM": "true",
        "NOTARIUS_LLM_CHUNK_UNITS": "10",
        "NOTARIUS_LLM_TEMPERATURE": "",
        "NOTARIUS_LLM_PROFILES": "",
    }

    assert load_profiles(given, None)["default"] == Profile(
        provider=ProviderKind.OPENAI,
        base_url="http://127.0.0.1:11434/v1",
        model="llama",
        api_key=SecretStr(KEY),
        structured_output=OutputMode.JSON_OBJECT,
        concurrency=3,
        timeout_s=12.5,
        max_tokens=900,
        unit_id_enum=True,
        chunk_units=10,
    )


def test_load_profiles_options_alone_belong_to_rules() -> None:
    profile = load_profiles({"NOTARIUS_LLM_CHUNK_UNITS": "10"}, None)["default"]

    assert (profile.provider, profile.chunk_units) == (ProviderKind.RULES, 10)


def test_load_profiles_key_from_a_file(tmp_path: Path) -> None:
    secret = tmp_path / "key"
    secret.write_text(f"{KEY}\n", encoding="utf-8")
    profile = load_profiles(OPENAI | {"NOTARIUS_LLM_API_KEY_FILE": str(secret)}, None)["default"]

    assert profile.api_key == SecretStr(KEY)


def test_load_profiles_empty_key_is_none() -> None:
    assert load_profiles(OPENAI | {"NOTARIUS_LLM_API_KEY": ""}, None)["default"].api_key is None


@pytest.mark.parametrize(
    ("given", "named"),
    [
        pytest.param({"NOTARIUS_LLM_MODELL": "canary"}, "NOTARIUS_LLM_MODELL", id="unknown"),
        pytest.param({"NOTARIUS_LLM_NAME": "canary"}, "NOTARIUS_LLM_NAME", id="not-settable"),
        pytest.param({"NOTARIUS_LLM_MODEL": "canary"}, "NOTARIUS_LLM_BASE_URL", id="no-address"),
        pytest.param({"NOTARIUS_LLM_API_KEY": KEY}, "NOTARIUS_LLM_BASE_URL", id="key-alone"),
        pytest.param({"NOTARIUS_LLM_BASE_URL": "http://canary"}, "NOTARIUS_LLM_MODEL", id="no-model"),
        pytest.param(OPENAI | {"NOTARIUS_LLM_BASE_URL": "ftp://canary"}, "NOTARIUS_LLM_BASE_URL", id="scheme"),
        pytest.param(OPENAI | {"NOTARIUS_LLM_BASE_URL": "canary"}, "NOTARIUS_LLM_BASE_URL", id="no-scheme"),
        pytest.param(OPENAI | {"NOTARIUS_LLM_BASE_URL": "http://canary:x@h/v1"}, "BASE_URL", id="credentials"),
        pytest.param(OPENAI | {"NOTARIUS_LLM_BASE_URL": "http://[canary"}, "BASE_URL", id="broken-address"),
        pytest.param(OPENAI | {"NOTARIUS_LLM_CONCURRENCY": "canary"}, "NOTARIUS_LLM_CONCURRENCY", id="number"),
        pytest.param(OPENAI | {"NOTARIUS_LLM_CONCURRENCY": "0"}, "NOTARIUS_LLM_CONCURRENCY", id="too-small"),
        pytest.param(OPENAI | {"NOTARIUS_LLM_TIMEOUT": "inf"}, "NOTARIUS_LLM_TIMEOUT", id="endless"),
        pytest.param(OPENAI | {"NOTARIUS_LLM_STRUCTURED_OUTPUT": "canary"}, "STRUCTURED_OUTPUT", id="mode"),
        pytest.param(OPENAI | {"NOTARIUS_LLM_UNIT_ID_ENUM": "canary"}, "UNIT_ID_ENUM", id="switch"),
        pytest.param(OPENAI | {"NOTARIUS_LLM_API_KEY": f"{KEY} x"}, "NOTARIUS_LLM_API_KEY", id="key-with-space"),
        pytest.param(OPENAI | {"NOTARIUS_LLM_API_KEY": f"{KEY}é"}, "NOTARIUS_LLM_API_KEY", id="key-not-ascii"),
        pytest.param(OPENAI | {"NOTARIUS_LLM_API_KEY_FILE": "/canary"}, "NOTARIUS_LLM_API_KEY_FILE", id="no-file"),
    ],
)
def test_load_profiles_error_names_the_setting_not_its_value(given: dict[str, str], named: str) -> None:
    with pytest.raises(ProfileError) as caught:
        load_profiles(given, None)

    assert isinstance(caught.value, InputError)
    assert caught.value.code is Code.LLM_CONFIGURATION
    assert named in str(caught.value)
    assert "canary" not in str(caught.value)
    assert caught.value.__suppress_context__ or caught.value.__context__ is None


def test_load_profiles_from_a_file(tmp_path: Path) -> None:
    file = toml(
        tmp_path,
        """
        [profiles.big]
        base_url = "https://models.example/v1"
        model = "large"
        api_key_env = "NOTARIUS_LLM_API_KEY_BIG"
        tries = 2
        [profiles.offline]
        chunk_units = 12
        [profiles.again]
        provider = "replay"
        recordings = "run.jsonl"
        """,
    )
    profiles = load_profiles({"NOTARIUS_LLM_API_KEY_BIG": KEY}, file)

    assert set(profiles) == {"big", "offline", "again", "default"}
    assert profiles["big"].api_key == SecretStr(KEY)
    assert (profiles["big"].name, profiles["big"].provider) == ("big", ProviderKind.OPENAI)
    assert (profiles["offline"].provider, profiles["default"].provider) == (ProviderKind.RULES, ProviderKind.RULES)
    assert profiles["again"].recordings == str(tmp_path / "run.jsonl")


def test_load_profiles_file_may_set_the_default(tmp_path: Path) -> None:
    file = toml(tmp_path, '[profiles.default]\nbase_url = "http://127.0.0.1:1/v1"\nmodel = "m"')

    assert load_profiles({}, file)["default"].model == "m"


@pytest.mark.parametrize(
    ("text", "named"),
    [
        pytest.param(f'[profiles.a]\napi_key = "{KEY}"', "profiles.a.api_key", id="key-in-file"),
        pytest.param('[profiles.a]\nname = "canary"', "profiles.a.name", id="name"),
        pytest.param('[profiles.a]\napi_key_env = "NO_CANARY_SET"', "profiles.a.api_key_env", id="key-unset"),
        pytest.param("[profiles.a]\napi_key_env = 3", "profiles.a.api_key_env", id="key-not-a-name"),
        pytest.param("[profiles.a]\ncanaries = 3", "profiles.a", id="unknown-key"),
        pytest.param('[profiles.a]\nprovider = "openai"', "profiles.a.provider", id="incomplete"),
        pytest.param('[profiles.a]\nprovider = "replay"', "profiles.a.provider", id="no-recordings"),
        pytest.param("[profiles]\na = 3", "profiles.a", id="no-table"),
        pytest.param("[canary]\na = 3", "profiles.toml", id="other-table"),
        pytest.param("canary = = 3", "profiles.toml", id="not-toml"),
        pytest.param("", "profiles.toml", id="empty"),
    ],
)
def test_load_profiles_file_error_names_the_place_not_the_value(tmp_path: Path, text: str, named: str) -> None:
    with pytest.raises(ProfileError) as caught:
        load_profiles({}, toml(tmp_path, text))

    assert named in str(caught.value)
    assert KEY not in str(caught.value)
    assert caught.value.code is Code.LLM_CONFIGURATION


def test_load_profiles_missing_file_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(ProfileError):
        load_profiles({}, tmp_path / "none.toml")


def test_load_profiles_default_set_twice_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(ProfileError):
        load_profiles(OPENAI, toml(tmp_path, "[profiles.default]\nchunk_units = 5"))


def test_profile_key_is_in_no_text_of_it() -> None:
    profile = load_profiles(OPENAI | {"NOTARIUS_LLM_API_KEY": KEY}, None)["default"]

    assert KEY not in f"{profile!r}{profile}{profile.model_dump()}{profile.model_dump_json()}{profile.meaning()}"


def test_profile_meaning_ignores_what_changes_no_answer() -> None:
    base = Profile(provider=ProviderKind.OPENAI, base_url="http://h/v1", model="m")
    moved = base.model_copy(
        update={
            "name": "x",
            "base_url": "http://i/v1",
            "api_key": SecretStr(KEY),
            "concurrency": 2,
            "tries": 1,
            "timeout_s": 1.0,
        }
    )

    assert moved.meaning() == base.meaning()
    assert base.model_copy(update={"max_tokens": 99}).meaning() != base.meaning()
