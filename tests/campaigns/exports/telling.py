"""A campaign with everything that an export takes out: two evenings, revisions, all families, decisions, a secret."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

from django.contrib.auth.models import User

from campaigns.actions import corrections, history, registry, reviews, secrets
from campaigns.exports.files import ExportFile, Format
from campaigns.library.sight import Edition, Sight
from campaigns.library.sources import KINDS
from campaigns.models import ArtifactVersion, Campaign, GlossaryTerm, RosterEntry, Transcript
from tests import factories
from tests.campaigns.review import families

State = ArtifactVersion.State


def tell(campaign: Campaign, gm: User, said: Callable[[str], str] = str) -> Transcript:
    """Fill the campaign and return the first evening's first revision; each text of a record goes through `said`."""
    RosterEntry.objects.create(campaign=campaign, kind="gm", player="Ines", speaker_labels=["Ottilie"])
    RosterEntry.objects.create(
        campaign=campaign, kind="party", player="Joost", character="Corwen Hale", other_names=["Cor"], position=1
    )
    GlossaryTerm.objects.create(campaign=campaign, term="Ysmere", heard_as=["is mere"])
    decide(factories.make_version(factories.make_transcript(factories.make_session(campaign, 7))), gm)
    transcript = tell_an_evening(campaign, gm, said)
    corrections.rename_speaker(session=transcript.session, old="Yun", new="Pike", by=gm)
    return transcript


def tell_an_evening(campaign: Campaign, gm: User, said: Callable[[str], str] = str) -> Transcript:
    """Approve one record of each family, and keep units 18 to 20 from players."""
    transcript = factories.make_transcript(factories.make_session(campaign, 1, "The ferry"))
    for family, records in families.one_of_each(transcript, said).items():
        families.make_version(transcript, family, records, state=State.APPROVED)
    for kind in KINDS:
        registry.rebuild(campaign=campaign, kind=kind)
    secrets.hide_range(session=transcript.session, start_unit=18, end_unit=20, by=gm)
    return transcript


def decide(version: ArtifactVersion, gm: User) -> None:
    """Rename somebody, undo it, do it again, and go back: decisions that name decisions and versions."""
    artifact, number = version.artifact_id, version.number
    renamed = reviews.rename(artifact_id=artifact, expected_version=number, record=1, name="Old Wick", reason="", by=gm)
    undone = history.undo(artifact_id=artifact, expected_version=renamed.version.number, by=gm)
    redone = history.redo(artifact_id=artifact, expected_version=undone.version.number, by=gm)
    history.roll_back(version_id=version.pk, expected_version=redone.version.number, reason="as it was", by=gm)


def sight(campaign: Campaign, edition: Edition = Edition.GM) -> Sight:
    return Sight(campaign, edition, words=True)


def taken_out(form: Format, seen: Sight) -> dict[str, bytes]:
    """Return the files of an export by path; each path comes once."""
    files: list[ExportFile] = list(form(seen, lambda done, total: None))
    found = {file.path: file.data for file in files}
    assert len(found) == len(files)
    return found


def write(files: Mapping[str, bytes], folder: Path) -> Path:
    for path, data in files.items():
        file = folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(data)
    return folder
