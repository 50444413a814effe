"""Exports are ordered, made by a worker, fetched by those who may, and gone when their time is over."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Callable, Iterator
from datetime import timedelta
from pathlib import Path

import pytest
from django.conf import LazySettings
from django.contrib.auth.models import AnonymousUser, User
from django.core.management import call_command
from django.test import Client
from django.utils import timezone
from pytest_django import DjangoCaptureOnCommitCallbacks

from campaigns import tasks
from campaigns.access import Actor, Need
from campaigns.actions import exports, ringing, secrets, sessions, versions
from campaigns.adapters import downloads
from campaigns.errors import ActionError, Conflict, Forbidden, NotFound
from campaigns.exports import formats, tables
from campaigns.exports.files import ExportFile, Progress
from campaigns.library.sight import Sight
from campaigns.models import AuditEntry, Campaign, Export, GameSession, Membership
from extraction.codes import Code
from extraction.identity import comparison_key, npc_id
from tests.campaigns.exports.telling import tell_an_evening
from tests.campaigns.library.story import npc
from tests.campaigns.review import families

State = Export.State


@pytest.fixture(autouse=True)
def data_folder(settings: LazySettings, tmp_path: Path) -> Path:
    settings.DATA_DIR = tmp_path
    return tmp_path


@pytest.fixture
def rung(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    calls: list[int] = []
    monkeypatch.setattr("campaigns.queue.enqueue_export", calls.append)
    return calls


@pytest.fixture
def told(campaign: Campaign, gm: User) -> Campaign:
    tell_an_evening(campaign, gm)
    return campaign


def order(by: User, slug: str = "salt-ferry", format: str = "csv", edition: str = "player") -> Export:
    return exports.order(who=by, slug=slug, format=format, edition=edition, by=by)


def made(by: User, edition: str = "player") -> Export:
    export = order(by, edition=edition)
    assert exports.work(export_id=export.pk) == exports.SUCCEEDED
    export.refresh_from_db()
    return export


def files(data_folder: Path) -> list[str]:
    return sorted(path.name for path in (data_folder / "exports").glob("*"))


def test_an_order_rings_once_committed_and_is_written_down(
    told: Campaign,
    player: User,
    rung: list[int],
    django_capture_on_commit_callbacks: Callable[..., object],
) -> None:
    with django_capture_on_commit_callbacks(execute=True):  # type: ignore[attr-defined]
        export = order(player)

    assert rung == [export.pk]
    assert AuditEntry.objects.get(act="export.order").facts == {"format": "csv", "edition": "player"}


def test_a_worker_makes_the_file_and_its_owner_fetches_it(told: Campaign, player: User, data_folder: Path) -> None:
    export = order(player)
    assert tasks.work_export(export.pk) == {"export": export.pk, "outcome": "succeeded"}
    export.refresh_from_db()
    with exports.opened(export, player) as file, zipfile.ZipFile(file) as archive:
        names = archive.namelist()

    assert "salt-ferry-player-csv/people.csv" in names
    assert (export.done, export.total) == (2, 2)
    assert export.size == (data_folder / "exports" / f"{export.mark}.zip").stat().st_size
    assert export.expires_at is not None
    assert files(data_folder) == [f"{export.mark}.zip"]
    assert "salt" not in export.mark
    assert (data_folder / "exports" / f"{export.mark}.zip").stat().st_mode & 0o077 == 0


@pytest.mark.parametrize("edition", ["player", "gm"])
def test_who_may_order_which_edition(
    told: Campaign, gm: User, player: User, outsider: User, reader: User, edition: str
) -> None:
    assert order(gm, edition=edition).edition == edition
    for user in (player, reader):
        if edition == "gm":
            with pytest.raises(Forbidden):
                order(user, edition=edition)
        else:
            order(user, edition=edition)
    for who in (outsider, AnonymousUser()):
        with pytest.raises(NotFound):
            exports.order(who=who, slug=told.slug, format="csv", edition=edition, by=outsider)


def test_nobody_in_particular_takes_nothing_out_of_a_public_campaign(told: Campaign, outsider: User) -> None:
    Campaign.objects.filter(pk=told.pk).update(public=True)

    with pytest.raises(NotFound):
        order(outsider)
    with pytest.raises(NotFound):
        exports.order(who=Actor(outsider, Need.SEE_APPROVED), slug=told.slug, format="csv", by=outsider)


@pytest.mark.parametrize(("format", "edition"), [("exe", "player"), ("csv", "everything")])
def test_other_formats_and_editions_are_refused(told: Campaign, gm: User, format: str, edition: str) -> None:
    with pytest.raises(ActionError):
        order(gm, format=format, edition=edition)


def test_nobody_fills_the_queue(told: Campaign, player: User, gm: User) -> None:
    for _ in range(exports.MOST_UNFINISHED):
        order(player)

    with pytest.raises(Conflict):
        order(player)
    order(gm)


def test_only_who_ordered_it_and_the_game_masters_see_an_export(
    told: Campaign, gm: User, player: User, reader: User, outsider: User
) -> None:
    export = made(player)

    assert exports.export_for(player, export.pk) == exports.export_for(gm, export.pk) == export
    assert exports.exports_of(player, told.slug) == exports.exports_of(gm, told.slug) == [export]
    assert exports.exports_of(reader, told.slug) == []
    for who in (reader, outsider, AnonymousUser()):
        with pytest.raises(NotFound):
            exports.export_for(who, export.pk)


def test_who_lost_the_role_cannot_fetch_what_it_gave(told: Campaign, gm: User) -> None:
    export, waiting = made(gm, "gm"), order(gm, edition="gm")
    Membership.objects.filter(user=gm).update(role=Membership.Role.PLAYER)

    with pytest.raises(NotFound):
        exports.export_for(gm, export.pk)
    with pytest.raises(NotFound):
        exports.opened(export, gm)
    assert exports.work(export_id=waiting.pk) == Code.AUTH_FORBIDDEN.value
    waiting.refresh_from_db()
    assert waiting.state == State.FAILED


def test_what_became_a_secret_cannot_be_fetched_any_more(told: Campaign, gm: User, player: User) -> None:
    export, own = made(player), made(gm, "gm")
    exports.opened(export, player).close()
    secrets.hide_range(session=GameSession.objects.get(number=1), start_unit=55, end_unit=55, by=gm)

    with pytest.raises(NotFound):
        exports.opened(export, player)
    exports.opened(own, gm).close()


def test_what_players_see_no_more_cannot_be_fetched(told: Campaign, gm: User, player: User) -> None:
    """Whatever took it away: here a version without the spells, which nobody keeps secret."""
    export, own = made(player), made(gm, "gm")
    transcript = GameSession.objects.get(number=1).transcripts.get()
    version = families.make_version(transcript, "spells", [])
    versions.approve(version_id=version.pk, note="", by=gm)

    with pytest.raises(NotFound):
        exports.opened(export, player)
    exports.opened(own, gm).close()
    exports.opened(made(player), player).close()


def test_hiding_what_players_never_saw_takes_no_export_from_them(told: Campaign, gm: User, player: User) -> None:
    export = made(player)
    transcript = GameSession.objects.get(number=1).transcripts.get()
    pending = families.make_version(transcript, "npcs", [npc(transcript, "Nobody Yet", (41, 41))])
    secrets.hide_entry(campaign=told, kind="npc", entity_id=npc_id(comparison_key("Nobody Yet")), by=gm)

    assert pending.state == "pending"
    exports.opened(export, player).close()


def test_exports_go_with_a_session_that_is_removed(
    told: Campaign,
    gm: User,
    player: User,
    data_folder: Path,
    django_capture_on_commit_callbacks: DjangoCaptureOnCommitCallbacks,
) -> None:
    made(player)
    made(gm, "gm")
    with django_capture_on_commit_callbacks(execute=True):
        sessions.remove(session_id=GameSession.objects.get(number=1).pk, by=gm)

    assert not Export.objects.exists()
    assert files(data_folder) == []


def test_the_players_edition_has_nothing_of_the_secrets(told: Campaign, gm: User) -> None:
    held = {}
    for edition in ("player", "gm"):
        with exports.opened(made(gm, edition), gm) as file, zipfile.ZipFile(file) as archive:
            held[edition] = b"".join(archive.read(name) for name in archive.namelist() if "session-001" in name)

    assert b"So the captain is dead." in held["gm"]
    assert b"So the captain is dead." not in held["player"]


def test_a_killed_workers_export_is_made_anew(told: Campaign, player: User, rung: list[int], data_folder: Path) -> None:
    export = order(player)
    # As a worker leaves it that was killed in the middle: claimed, with a draft on the disk.
    token = exports._claim(export.pk, timezone.now())
    Export.objects.filter(pk=export.pk).update(holder="elsewhere:1", done=1)
    assert exports.work(export_id=export.pk) == exports.NOTHING_TO_DO
    assert exports.sweep(at=timezone.now()) == 0
    later = timezone.now() + exports.LEASE + timedelta(seconds=1)
    changed = exports.sweep(at=later)
    export.refresh_from_db()

    assert token
    assert (changed, export.state, export.token) == (1, State.QUEUED, "")
    assert exports.work(export_id=export.pk) == exports.SUCCEEDED
    export.refresh_from_db()
    assert export.attempts == 2


def test_a_dead_process_of_this_machine_is_taken_back_at_once(
    told: Campaign, player: User, rung: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    export = order(player)
    exports._claim(export.pk, timezone.now())
    monkeypatch.setattr("campaigns.processes.is_dead", lambda holder: True)

    assert exports.sweep(at=timezone.now()) == 1
    export.refresh_from_db()
    assert export.state == State.QUEUED


def test_an_export_that_kills_its_workers_is_given_up(told: Campaign, player: User, rung: list[int]) -> None:
    export, at = order(player), timezone.now()
    for _ in range(exports.MAX_ATTEMPTS):
        exports._claim(export.pk, at)
        at += exports.LEASE + timedelta(seconds=1)
        exports.sweep(at=at)
    export.refresh_from_db()

    assert (export.state, export.error_code) == (State.FAILED, Code.EXPORT_ATTEMPTS_EXHAUSTED.value)
    assert exports.work(export_id=export.pk) == exports.NOTHING_TO_DO


def test_who_lost_the_lease_leaves_no_file(
    told: Campaign, player: User, monkeypatch: pytest.MonkeyPatch, data_folder: Path
) -> None:
    export = order(player)

    def taken_over(sight: Sight, progress: Progress) -> Iterator[ExportFile]:
        Export.objects.filter(pk=export.pk).update(token="another")
        yield from tables.files(sight, progress)

    monkeypatch.setattr(exports, "FORMATS", {**formats.FORMATS, "csv": taken_over})

    assert exports.work(export_id=export.pk) == Code.RUN_LEASE_LOST.value
    assert files(data_folder) == []
    export.refresh_from_db()
    assert (export.state, export.token) == (State.RUNNING, "another")


def test_a_bug_ends_the_export_without_its_words(
    told: Campaign, player: User, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, data_folder: Path
) -> None:
    def broken(sight: Sight, progress: Progress) -> Iterator[ExportFile]:
        yield ExportFile("a.csv", b"a")
        raise RuntimeError("Mother Quillon said so")

    monkeypatch.setattr(exports, "FORMATS", {**formats.FORMATS, "csv": broken})
    export = order(player)

    assert exports.work(export_id=export.pk) == Code.EXPORT_FAILED.value
    assert "RuntimeError" in caplog.text
    assert "Quillon" not in caplog.text
    assert files(data_folder) == []


def test_a_lost_doorbell_is_rung_again(told: Campaign, player: User, rung: list[int]) -> None:
    export = order(player)
    exports.sweep(at=timezone.now() + ringing.AGAIN + timedelta(seconds=1))

    assert Export.objects.get(pk=export.pk).rung_at != export.rung_at


def test_a_download_expires_and_its_file_goes(told: Campaign, player: User, data_folder: Path) -> None:
    export = made(player)
    at = timezone.now() + exports.KEPT + timedelta(minutes=1)
    Export.objects.filter(pk=export.pk).update(expires_at=timezone.now() - timedelta(minutes=1))
    export.refresh_from_db()
    with pytest.raises(NotFound):
        exports.opened(export, player)
    exports.sweep(at=at)
    export.refresh_from_db()

    assert export.state == State.EXPIRED
    assert files(data_folder) == []
    exports.expire(at=at + exports.REMEMBERED)
    assert not Export.objects.exists()


def test_purge_removes_what_no_export_names(
    told: Campaign, player: User, data_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    export = made(player)
    (data_folder / "exports" / f"{'0' * 32}.part").write_bytes(b"left behind")
    monkeypatch.setattr(downloads, "DRAFT_KEPT_S", -1)
    out = io.StringIO()
    call_command("purge", "--exports", "--dry-run", stdout=out)
    call_command("purge", "--exports", stdout=out)

    assert out.getvalue().splitlines() == ["0 exports would be removed.", "1 exports removed."]
    assert files(data_folder) == [f"{export.mark}.zip"]


def test_equal_exports_are_equal_files(told: Campaign, player: User) -> None:
    assert made(player).digest == made(player).digest


class TestPage:
    """Ordering and fetching on the website."""

    ADDRESS = "/campaigns/salt-ferry/exports/"

    def test_a_member_orders_and_fetches(self, told: Campaign, player: User, client: Client) -> None:
        client.force_login(player)
        assert b"You have ordered none yet" in client.get(self.ADDRESS).content
        answer = client.post(self.ADDRESS, {"format": "markdown"}, follow=True)
        export = Export.objects.get()
        assert b"waits for a worker" in answer.content
        exports.work(export_id=export.pk)
        assert b"Download" in client.get(self.ADDRESS, {"part": "list"}).content
        fetched = client.get(f"{self.ADDRESS}{export.pk}/file")
        with zipfile.ZipFile(io.BytesIO(b"".join(fetched))) as archive:
            assert "salt-ferry-player-markdown/People/Wick.md" in archive.namelist()

        assert 'filename="salt-ferry-player-markdown.zip"' in fetched["Content-Disposition"]
        assert client.post(f"{self.ADDRESS}{export.pk}/discard").status_code == 302 + 1
        assert not Export.objects.exists()

    def test_the_gms_edition_is_offered_to_gms_alone(
        self, told: Campaign, gm: User, player: User, client: Client
    ) -> None:
        client.force_login(player)
        assert b'value="gm"' not in client.get(self.ADDRESS).content
        refused = client.post(self.ADDRESS, {"format": "csv", "edition": "gm"})
        assert refused.status_code == 403
        client.force_login(gm)
        assert b'name="edition" value="gm"' in client.get(self.ADDRESS).content

        assert not Export.objects.exists()

    def test_others_find_nothing(self, told: Campaign, gm: User, outsider: User, client: Client) -> None:
        export = made(gm, "gm")
        assert client.get(self.ADDRESS).status_code == 302
        client.force_login(outsider)

        assert client.get(self.ADDRESS).status_code == 404
        assert client.get(f"{self.ADDRESS}{export.pk}/file").status_code == 404
        assert client.post(f"{self.ADDRESS}{export.pk}/discard").status_code == 404
        client.force_login(gm)
        assert client.get(f"/campaigns/far-away/exports/{export.pk}/file").status_code == 404
