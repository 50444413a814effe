"""Backups: one file with the whole database and what it must come back as.

The file is a ZIP of `manifest.json` and the database: a copy of the SQLite file made while others write, or what
`pg_dump` makes of PostgreSQL. The manifest has the digest of every table as it was at that very moment. Keys, uploads
and exports are files of their own and are not in it.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import sqlite3
import tempfile
import zipfile
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import NamedTuple
from urllib.parse import quote

from django.contrib.auth.models import User
from django.db import Error, connection, connections
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.recorder import MigrationRecorder
from django.utils import timezone

from campaigns.actions import pulses
from campaigns.errors import ActionError, Conflict
from campaigns.keeping import postgres
from campaigns.keeping.moving import source_at
from campaigns.keeping.tables import digest_of, digests
from campaigns.models import Campaign
from extraction.codes import Code

FORMAT = "notarius.backup.v1"
MANIFEST, SQLITE_FILE, POSTGRES_FILE = "manifest.json", "database.sqlite3", "database.pgdump"
MOST_MANIFEST_BYTES = 4 * 2**20
PIECE = 2**20
BUSY_S = 5.0
# SQLite's extended codes have the primary one in their lowest byte.
PRIMARY = 0xFF


class Manifest(NamedTuple):
    engine: str
    made_at: str
    migrations: Sequence[str]
    sha256: str
    tables: Mapping[str, tuple[int, str]]

    @property
    def digest(self) -> str:
        return digest_of(self.tables)


def write(target: Path) -> Manifest:
    """Write a backup of the default database and return its manifest. A file that is there is never overwritten.

    Raises ActionError for a place that cannot be written, or where a tool is missing or fails; no file stays then.
    """
    if target.exists():
        raise ActionError(f"{target.name} is there already: name a new file.", code=Code.BACKUP_INVALID)
    _refuse_nothing()
    try:
        with tempfile.TemporaryDirectory(dir=target.parent, prefix=".backup-") as folder:
            file, tables = _copied(Path(folder))
            manifest = Manifest(connection.vendor, timezone.now().isoformat(), _applied(), _sha256(file), tables)
            draft = Path(folder) / "backup.zip"
            draft.touch(mode=0o600)  # the whole archive is in it
            with zipfile.ZipFile(draft, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
                archive.writestr(MANIFEST, json.dumps({"format": FORMAT, **manifest._asdict()}, indent=1))
                archive.write(file, file.name)
            os.link(draft, target)
    except OSError as error:
        why = error.strerror or "an input/output error"
        raise ActionError(f"The backup cannot be written there: {why}.", code=Code.BACKUP_FAILED) from error
    return manifest


def read_manifest(source: Path) -> Manifest:
    """Return the manifest of a backup; ActionError for a file that is none."""
    try:
        with zipfile.ZipFile(source) as archive:
            if archive.getinfo(MANIFEST).file_size > MOST_MANIFEST_BYTES:
                raise ValueError
            found = json.loads(archive.read(MANIFEST))
        if found.pop("format") != FORMAT:
            raise ValueError
        tables = {str(label): (int(count), str(digest)) for label, (count, digest) in found.pop("tables").items()}
        return Manifest(**found, tables=tables)
    except OSError as error:
        raise ActionError(f"{source.name} cannot be read.", code=Code.BACKUP_INVALID) from error
    except (KeyError, TypeError, ValueError, AttributeError, zipfile.BadZipFile) as error:
        raise ActionError(f"{source.name} is no backup of Notarius.", code=Code.BACKUP_INVALID) from error


def restore(source: Path, *, replace: bool) -> Manifest:
    """Make the default database what the backup holds and return the manifest that it was checked against.

    The tables are compared with the manifest before anything is in the database's place.

    Raises Conflict where a worker is alive, where somebody has the SQLite file open, where there is something that
    would be replaced without leave, or where the backup is of a newer Notarius; ActionError for a file that is damaged
    or another database's.
    """
    manifest = read_manifest(source)
    if manifest.engine != connection.vendor:
        raise ActionError(f"This backup is one of {manifest.engine}.", code=Code.BACKUP_INVALID)
    unknown = set(manifest.migrations) - {f"{app}.{name}" for app, name in MigrationLoader(None).disk_migrations}
    if unknown:
        raise Conflict("This backup is of a newer version: upgrade Notarius first.", code=Code.ARCHIVE_VERSION)
    _refuse_use(replace)
    with tempfile.TemporaryDirectory(dir=_folder(), prefix=".restore-") as folder:
        file = _unpacked(source, manifest, Path(folder))
        if connection.vendor == "sqlite":
            _restore_sqlite(file, manifest)
        else:
            postgres.restore(file, lambda: _check(manifest, digests))
    return manifest


def _refuse_nothing() -> None:
    """Raise ActionError where nothing was ever migrated: somebody is about to keep the wrong database."""
    # SQLite makes a file that is not there as soon as it is asked.
    missing = connection.vendor == "sqlite" and not Path(connection.settings_dict["NAME"]).exists()
    if missing or not any(app == "campaigns" for app, _ in MigrationRecorder(connection).applied_migrations()):
        raise ActionError(
            "There is nothing to back up: this database has no tables. Check NOTARIUS_DATA_DIR and DATABASE_URL.",
            code=Code.BACKUP_FAILED,
        )


def _refuse_use(replace: bool) -> None:
    try:
        alive = pulses.any_supervisor(at=timezone.now())
        filled = Campaign.objects.exists() or User.objects.exists()
    except Error:  # no tables yet, or a damaged file: nothing that could be lost
        return
    if alive:
        raise Conflict("A worker is running: stop Notarius first.", code=Code.ARCHIVE_IN_USE)
    if filled and not replace:
        raise Conflict(
            "There are campaigns or accounts here: --replace puts the backup in their place.",
            code=Code.ARCHIVE_NOT_EMPTY,
        )


def _folder() -> Path | None:
    """Return where an unpacked SQLite file must lie, so that it can be put into place at once."""
    return Path(connection.settings_dict["NAME"]).parent if connection.vendor == "sqlite" else None


def _applied() -> list[str]:
    return sorted(f"{app}.{name}" for app, name in MigrationRecorder(connection).applied_migrations())


def _copied(folder: Path) -> tuple[Path, dict[str, tuple[int, str]]]:
    """Return a copy of the database and the digests of exactly what is in it."""
    if connection.vendor == "sqlite":
        file = folder / SQLITE_FILE
        connection.ensure_connection()
        copy = sqlite3.connect(file)
        try:
            connection.connection.backup(copy)
        finally:
            copy.close()
        return file, _digests_of(file)
    file = folder / POSTGRES_FILE
    return file, postgres.dump(file)


def _digests_of(file: Path) -> dict[str, tuple[int, str]]:
    with source_at(f"sqlite:///{quote(str(file))}") as alias:
        return digests(alias)


def _unpacked(source: Path, manifest: Manifest, folder: Path) -> Path:
    file = folder / (SQLITE_FILE if connection.vendor == "sqlite" else POSTGRES_FILE)
    try:
        with zipfile.ZipFile(source) as archive, archive.open(file.name) as packed, file.open("wb") as plain:
            shutil.copyfileobj(packed, plain, PIECE)
    except (KeyError, OSError, zipfile.BadZipFile) as error:
        raise ActionError(f"{source.name} is damaged or does not fit on the disk.", code=Code.BACKUP_INVALID) from error
    if _sha256(file) != manifest.sha256:
        raise ActionError(f"{source.name} is damaged: its database is not the one it was made with.",
                          code=Code.BACKUP_INVALID)  # fmt: skip
    return file


def _restore_sqlite(file: Path, manifest: Manifest) -> None:
    """Put the file into the database's place, once it is known to be what the manifest says."""
    _check(manifest, lambda: _digests_of(file))
    place = Path(connection.settings_dict["NAME"])
    connections.close_all()
    with closing(_taken(place)):
        file.replace(place)
        for rest in ("-wal", "-shm", "-journal"):
            place.with_name(place.name + rest).unlink(missing_ok=True)


def _taken(place: Path) -> sqlite3.Connection:
    """Return a connection that has the file to itself, with nothing left to be written into it.

    Whoever had it open would go on writing into a file that is nowhere any more: Conflict.
    """
    alone = sqlite3.connect(place, timeout=BUSY_S, isolation_level=None)
    try:
        # Out of WAL mode leads only who is alone; on the way all that is in the WAL comes into the file.
        alone.execute("PRAGMA journal_mode=DELETE")
        alone.execute("BEGIN EXCLUSIVE")
    except sqlite3.DatabaseError as error:
        if error.sqlite_errorcode & PRIMARY in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
            alone.close()
            raise Conflict(
                "The database is in use by another program: stop Notarius first.", code=Code.ARCHIVE_IN_USE
            ) from error
        # Damaged, or no database at all: nothing that could be lost.
    return alone


def _check(manifest: Manifest, found: Callable[[], Mapping[str, tuple[int, str]]]) -> None:
    """Raise ActionError where the tables are not the manifest's.

    Those of an earlier version have other columns than ours: then the file's own digest has to do.
    """
    ours = {f"{app}.{name}" for app, name in MigrationLoader(None).disk_migrations}
    if ours == set(manifest.migrations) and dict(found()) != dict(manifest.tables):
        raise ActionError("The backup's tables are not those of its manifest.", code=Code.BACKUP_INVALID)


def _sha256(file: Path) -> str:
    with file.open("rb") as handle:
        return hashlib.file_digest(handle, "sha256").hexdigest()
