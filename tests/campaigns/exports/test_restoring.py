"""What was taken out comes back as it was, or not at all."""

from __future__ import annotations

from collections.abc import Callable
from io import StringIO
from pathlib import Path
from typing import Any

import orjson
import pytest
from django.contrib.auth.models import User
from django.core.management import CommandError, call_command
from django.db import transaction
from pytest_django import DjangoDbBlocker

from campaigns.actions import restoring
from campaigns.actions.withdrawal import withdraw_words
from campaigns.errors import Conflict, Forbidden
from campaigns.exports import backup, reading_json
from campaigns.exports.folder import Refused
from campaigns.exports.formats import FORMATS
from campaigns.exports.layout import MANIFEST, digest_of
from campaigns.library.names import names
from campaigns.library.sight import Edition
from campaigns.models import (
    ArtifactVersion,
    AuditEntry,
    Campaign,
    Decision,
    GameSession,
    RegistryEntry,
    RegistryState,
    Secret,
    Transcript,
    Unit,
)
from campaigns.search.finding import search
from extraction.canonical import JsonValue, bytes_digest, canonical_json
from tests import factories
from tests.campaigns.exports.telling import sight, taken_out, tell, write
from tests.standard import UNITS

Files = dict[str, bytes]


@pytest.fixture(scope="module")
def taken(django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> Files:
    """A backup of a campaign that is nowhere any more; made once."""
    with django_db_blocker.unblock(), transaction.atomic():
        campaign = factories.make_campaign("salt-ferry")
        gm = factories.make_user("hildegund")
        factories.make_membership(campaign, gm, "gm")
        tell(campaign, gm)
        found = taken_out(backup.files, sight(campaign))
        transaction.set_rollback(True)
    return found


@pytest.fixture
def elsewhere(taken: Files, db: None) -> Files:
    """The files, in an archive that has nothing of the campaign."""
    return taken


def signed(files: Files, changed: Files) -> Files:
    """Return the files with some changed and a manifest that knows of it, as somebody who means harm would."""
    found = {**files, **changed}
    manifest = orjson.loads(found.pop(MANIFEST))
    listed: list[dict[str, JsonValue]] = [
        {"path": path, "sha256": bytes_digest(data), "bytes": len(data)} for path, data in found.items()
    ]
    return {**found, MANIFEST: canonical_json({**manifest, "files": listed, "digest": digest_of(listed)})}


def edited(files: Files, path: str, edit: Callable[[Any], object]) -> Files:
    value = orjson.loads(files[path])
    edit(value)
    return signed(files, {path: canonical_json(value)})


def test_a_restored_campaign_equals_the_original(elsewhere: Files, tmp_path: Path) -> None:
    restored = restoring.restore(folder=write(elsewhere, tmp_path), by=None)
    again = taken_out(backup.files, sight(restored))

    assert [path for path in again if again[path] != elsewhere[path]] == [MANIFEST]  # which counts members
    assert orjson.loads(again[MANIFEST])["digest"] == orjson.loads(elsewhere[MANIFEST])["digest"]
    assert Decision.objects.filter(kind="roll_back").get().data["to"] == 1
    assert Transcript.objects.filter(session__number=1).count() == 2


@pytest.fixture
def withdrawn(campaign: Campaign, gm: User) -> Files:
    """A backup from after two people took their words back, the second one when more had been made of what was left."""
    made_of = tell(campaign, gm)
    withdraw_words(campaign=campaign, label="Pike", by=gm)
    made_of.refresh_from_db()
    factories.make_version(made_of)
    withdraw_words(campaign=campaign, label="Bram", by=gm)
    found = taken_out(backup.files, sight(campaign))
    campaign.delete()
    return found


def test_a_campaign_that_words_were_withdrawn_from_is_restored(withdrawn: Files, tmp_path: Path) -> None:
    told = orjson.loads(withdrawn["sessions/1/session.json"])["transcripts"]
    restored = restoring.restore(folder=write(withdrawn, tmp_path), by=None)
    again = taken_out(backup.files, sight(restored))

    assert [len(revision.get("earlier_digests", ())) for revision in told] == [2, 0, 0, 0]
    assert Unit.objects.filter(text=Unit.WITHDRAWN).exists()
    assert not Unit.objects.filter(speaker__in=("Pike", "Bram")).exists()
    assert orjson.loads(again[MANIFEST])["digest"] == orjson.loads(withdrawn[MANIFEST])["digest"]


@pytest.mark.parametrize("source", [{"digest": "0" * 64}, {"source_id": "salt-ferry.s1.t2"}, {"unit_count": 1}])
def test_withdrawn_words_are_no_excuse_for_an_artifact_of_others(
    withdrawn: Files, source: dict[str, JsonValue], tmp_path: Path
) -> None:
    with pytest.raises(Refused, match=r"dnd/npcs/1\.json is not the artifact"):
        restoring.restore(folder=write(made_from(withdrawn, **source), tmp_path), by=None)


def test_a_backup_of_whole_transcripts_says_nothing_of_withdrawals(taken: Files) -> None:
    transcripts = orjson.loads(taken["sessions/1/session.json"])["transcripts"]
    assert not any("earlier_digests" in revision for revision in transcripts)


def test_a_restored_campaign_has_its_registry_and_is_found(elsewhere: Files, tmp_path: Path) -> None:
    restored = restoring.restore(folder=write(elsewhere, tmp_path), by=None)
    found = search(sight(restored), "longboat")

    assert {entry.name for entry in names(sight(restored))} == {"Wick", "Saltwick"}
    assert {hit.session for hit in search(sight(restored), "dead").hits} == {1, 7}
    assert {hit.session for hit in search(sight(restored, Edition.PLAYER), "dead").hits} == {7}
    assert RegistryState.objects.filter(campaign=restored, edition=Edition.PLAYER).count() == 3
    assert [hit.unit_id for hit in found.hits if hit.session == 1] == [204]
    assert AuditEntry.objects.filter(act="campaign.restore", campaign=restored).count() == 1


def test_a_backup_tells_nothing_of_accounts(taken: Files) -> None:
    assert orjson.loads(taken[MANIFEST])["members"] == {"gm": 1}
    assert [path for path, data in taken.items() if b"hildegund" in data] == []


def test_a_backup_is_for_game_masters(campaign: Campaign) -> None:
    with pytest.raises(Forbidden):
        list(backup.files(sight(campaign, Edition.PLAYER), lambda done, total: None))


def test_a_campaign_that_is_there_is_left_alone(taken: Files, campaign: Campaign, tmp_path: Path) -> None:
    with pytest.raises(Conflict):
        restoring.restore(folder=write(taken, tmp_path), by=None)
    assert Campaign.objects.count() == 1


def secret(files: Files, **fields: object) -> Files:
    return edited(files, "secrets.json", lambda value: value[0].update(fields))


def version(files: Files, **fields: object) -> Files:
    return edited(files, "sessions/1/session.json", lambda value: value["versions"][0].update(fields))


def made_from(files: Files, **source: JsonValue) -> Files:
    """Return the files with an artifact that says it was made from something else, and a session that believes it."""
    path = "sessions/1/dnd/npcs/1.json"
    found = edited(files, path, lambda value: value["source"].update(source))

    def believe(value: Any) -> None:
        for each in value["versions"]:
            if (each["lane"], each["number"]) == ("dnd/npcs", 1):
                each["digest"] = bytes_digest(found[path])

    return edited(found, "sessions/1/session.json", believe)


HARM: dict[str, Callable[[Files], Files]] = {
    "a changed file": lambda files: {**files, "campaign.json": files["campaign.json"].replace(b"Salt", b"Sale")},
    "a missing file": lambda files: {path: data for path, data in files.items() if path != "secrets.json"},
    "no manifest": lambda files: {path: data for path, data in files.items() if path != MANIFEST},
    "a manifest that is no JSON": lambda files: {**files, MANIFEST: b"{"},
    "a manifest that nests for ever": lambda files: {**files, MANIFEST: b"[" * 100_000},
    "a manifest with another digest": lambda files: {
        **files,
        MANIFEST: canonical_json({**orjson.loads(files[MANIFEST]), "digest": "0" * 64}),
    },
    "a players' edition": lambda files: {
        **files,
        MANIFEST: canonical_json({**orjson.loads(files[MANIFEST]), "edition": "player"}),
    },
    "a path out of the folder": lambda files: signed(files, {"../secrets.json": b"[]"}),
    "an absolute path": lambda files: signed(files, {"/etc/passwd": b"[]"}),
    "a file that no backup has": lambda files: signed(files, {"notes.json": b"[]"}),
    "an unknown field": lambda files: edited(files, "campaign.json", lambda value: value.update(owner="me")),
    "another spelling": lambda files: signed(files, {"secrets.json": files["secrets.json"] + b"\n"}),
    "a number that is text": lambda files: edited(
        files, "sessions/1/session.json", lambda value: value.update(number="1")
    ),
    "another session's file": lambda files: edited(
        files, "sessions/1/session.json", lambda value: value.update(number=2)
    ),
    "a NUL": lambda files: edited(files, "campaign.json", lambda value: value.update(name="a\x00b")),
    "a time before all years": lambda files: edited(
        files, "campaign.json", lambda value: value.update(created_at="0001-01-01T00:00:00+14:00")
    ),
    "a time after all years": lambda files: edited(
        files, "sessions/1/session.json", lambda value: value.update(created_at="9999-12-31T23:59:59-14:00")
    ),
    "a secret hidden when no zone had a year": lambda files: secret(files, hidden_at="0001-01-01T00:00:00+00:00"),
    "a slug that is a path": lambda files: edited(files, "campaign.json", lambda value: value.update(slug="../a")),
    "units twice": lambda files: edited(
        files, "sessions/1/transcripts/1.json", lambda value: value["units"].append(value["units"][0])
    ),
    "other words": lambda files: edited(
        files, "sessions/1/transcripts/1.json", lambda value: value["units"][0].update(text="No.")
    ),
    "an artifact of another shape": lambda files: edited(
        files, "sessions/1/dnd/npcs/1.json", lambda value: value["npcs"][0].update(alias="x")
    ),
    "an artifact of another transcript": lambda files: edited(
        files, "sessions/1/dnd/npcs/1.json", lambda value: value["source"].update(unit_count=1)
    ),
    "an artifact of other words": lambda files: made_from(files, digest="0" * 64),
    "words withdrawn from a whole transcript": lambda files: edited(
        made_from(files, digest="0" * 64),
        "sessions/1/session.json",
        lambda value: value["transcripts"][0].update(earlier_digests=["0" * 64]),
    ),
    "an unknown lane": lambda files: edited(
        files, "sessions/1/session.json", lambda value: value["versions"][0].update(lane="dnd/weather")
    ),
    "a version of itself": lambda files: edited(
        files, "sessions/7/session.json", lambda value: value["versions"][0].update(parent=1)
    ),
    "two approved versions": lambda files: edited(
        files, "sessions/7/session.json", lambda value: [each.update(state="approved") for each in value["versions"]]
    ),
    "a decision about one to come": lambda files: edited(
        files, "sessions/7/decisions.json", lambda value: value[1].update(about=9)
    ),
    "an undo of nothing": lambda files: edited(
        files, "sessions/7/decisions.json", lambda value: value[1].update(about=None)
    ),
    "a binding of nothing": lambda files: secret(files, binding={}),
    "names that are numbers": lambda files: secret(
        files, binding={"source_id": "salt-ferry.s1.t1", "start": 18, "end": 20, "names": [5]}
    ),
    "a passage of another transcript": lambda files: secret(
        files, binding={"source_id": "salt-ferry.s7.t1", "start": 18, "end": 20, "names": []}
    ),
    "a passage of units that are not there": lambda files: secret(
        files, binding={"source_id": "salt-ferry.s1.t1", "start": 18, "end": 9999, "names": []}
    ),
    "an entry without an id": lambda files: secret(
        files, kind="entry", entry_kind="npc", session=None, binding={"ids": [], "names": []}
    ),
    "an entry of a session": lambda files: secret(
        files, kind="entry", entry_kind="npc", binding={"ids": ["a"], "names": []}
    ),
    "an entry of no registry": lambda files: secret(
        files, kind="entry", session=None, binding={"ids": ["a"], "names": []}
    ),
    "a merge of strings": lambda files: secret(
        files, kind="merge", entry_kind="npc", session=None, binding={"members": ["a"], "names": []}
    ),
    "a record of no family": lambda files: secret(files, kind="occurrence", binding={"family": "npcs", "records": []}),
    "a passage of no session": lambda files: secret(files, session=None),
    "a note as long as a book": lambda files: secret(files, note="a" * 5_000_000),
    "groups of nothing": lambda files: version(files, consolidations={"applied": [{}]}),
    "groups that are text": lambda files: version(files, consolidations={"applied": "abc"}),
    "proposals without a verdict": lambda files: version(files, consolidations={"proposals": [{"members": []}]}),
    "references that are numbers": lambda files: version(files, manifest={"references": {"npcs": 5}}),
    "references of no version": lambda files: version(files, manifest={"references": {"npcs": {"lane": "dnd/npcs"}}}),
    "a stage that is text": lambda files: version(files, manifest={"extract": "x"}),
    "findings without a code": lambda files: version(files, findings=[{}]),
    "a decision that names no decisions": lambda files: edited(
        files, "sessions/7/decisions.json", lambda value: value[0].update(data={"revived": 5})
    ),
    "a secret of no session": lambda files: edited(files, "secrets.json", lambda value: value[0].update(session=99)),
}


@pytest.mark.parametrize("harm", HARM)
def test_what_was_changed_is_refused_and_nothing_is_written(elsewhere: Files, harm: str, tmp_path: Path) -> None:
    with pytest.raises(Refused) as refused:
        restoring.restore(folder=write(HARM[harm](elsewhere), tmp_path / "in"), by=None)

    assert "\n" not in str(refused.value)
    assert str(refused.value).endswith(".")
    for model in (Campaign, GameSession, Unit, ArtifactVersion, Decision, RegistryEntry, Secret):
        assert not model.objects.exists()


def test_a_file_larger_than_it_says_is_not_read_whole(elsewhere: Files, tmp_path: Path) -> None:
    folder = write(elsewhere, tmp_path)
    with (folder / "secrets.json").open("ab") as file:
        file.write(b" " * 10_000)

    with pytest.raises(Refused, match="larger"):
        restoring.restore(folder=folder, by=None)


def test_a_link_out_of_the_folder_is_not_followed(elsewhere: Files, tmp_path: Path) -> None:
    folder = write(elsewhere, tmp_path / "in")
    outside = tmp_path / "secrets.json"
    (folder / "secrets.json").rename(outside)
    (folder / "secrets.json").symlink_to(outside)

    with pytest.raises(Refused):
        restoring.restore(folder=folder, by=None)


def test_players_get_what_they_may_read(campaign: Campaign, gm: User) -> None:
    tell(campaign, gm)
    files = taken_out(reading_json.files, sight(campaign, Edition.PLAYER))
    version = ArtifactVersion.objects.get(artifact__lane="dnd/spells")
    said = orjson.loads(files["sessions/1/transcript.json"])

    assert orjson.loads(files["sessions/1/artifacts/spells.json"])["spells"] == orjson.loads(version.payload)["spells"]
    assert {unit["speaker"] for unit in said["units"]} == {"Ottilie", "Bram", "Pike"}
    assert [each.unit_id for each in UNITS if each.unit_id not in {unit["unit_id"] for unit in said["units"]}] == [
        18,
        20,
    ]
    assert "sessions/7/artifacts/npcs.json" not in files
    assert not any(path.endswith(("secrets.json", "decisions.json")) for path in files)


def test_the_commands_take_out_and_bring_back(campaign: Campaign, gm: User, tmp_path: Path) -> None:
    tell(campaign, gm)
    out = StringIO()
    call_command(
        "export_campaign",
        campaign.slug,
        "--format",
        "json",
        "--edition",
        "gm",
        "--out",
        str(tmp_path / "a"),
        stdout=out,
    )
    with pytest.raises(CommandError, match="already"):
        call_command("import_campaign", str(tmp_path / "a"))
    campaign.delete()
    call_command("import_campaign", str(tmp_path / "a"), stdout=out)

    assert "gm edition" in out.getvalue()
    assert "Restored campaign salt-ferry: 2 sessions." in out.getvalue()


def test_the_command_writes_every_format_for_players(campaign: Campaign, gm: User, tmp_path: Path) -> None:
    tell(campaign, gm)
    for form in FORMATS:
        call_command(
            "export_campaign", campaign.slug, "--format", form, "--out", str(tmp_path / form), stdout=StringIO()
        )

        assert any(path.is_file() for path in (tmp_path / form).rglob("*"))
        with pytest.raises(CommandError, match="not empty"):
            call_command("export_campaign", campaign.slug, "--format", form, "--out", str(tmp_path / form))


@pytest.mark.parametrize(
    "arguments",
    [
        pytest.param(("export_campaign", "nowhere", "--format", "csv", "--out", "OUT"), id="no-campaign"),
        pytest.param(
            ("export_campaign", "salt-ferry", "--format", "csv", "--edition", "gm", "--as-of", "1", "--out", "OUT"),
            id="gm-as-of",
        ),
        pytest.param(("export_campaign", "salt-ferry", "--format", "csv", "--out", "/proc/1/x"), id="no-folder"),
        pytest.param(("export_campaign", "salt-ferry", "--format", "csv", "--out", "a\x00b"), id="nul"),
        pytest.param(("import_campaign", "/nowhere/at/all"), id="no-backup"),
        pytest.param(("import_campaign", "a\x00b"), id="nul-in"),
    ],
)
def test_a_mistake_is_one_sentence(campaign: Campaign, tmp_path: Path, arguments: tuple[str, ...]) -> None:
    with pytest.raises(CommandError) as told:
        call_command(*(str(tmp_path / "out") if each == "OUT" else each for each in arguments))
    assert "\n" not in str(told.value)
