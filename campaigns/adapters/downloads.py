"""Finished exports in the data directory, each under a random mark that tells nothing of what is in it."""

from __future__ import annotations

import hashlib
import os
import re
import time
import zipfile
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from django.conf import settings

from campaigns.errors import ActionError
from campaigns.exports.files import ExportFile
from extraction.codes import Code

FOLDER = "exports"
MARK = re.compile(r"[0-9a-f]{32}")
# A file that no row names is a draft of a worker at work, or what a dead one left behind.
DRAFT_KEPT_S = 6 * 3600
EPOCH = (1980, 1, 1, 0, 0, 0)
READABLE = 0o644 << 16


@dataclass(frozen=True, slots=True)
class Packed:
    size: int
    digest: str


def pack(*, mark: str, root: str, files: Iterable[ExportFile]) -> Packed:
    """Write the files as a zip under the mark, in a folder of the name `root`; equal files make an equal zip.

    The file has its name only when it is whole. ActionError where the disk refuses.
    """
    path = _path(mark)
    draft = path.with_suffix(".part")
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        with os.fdopen(os.open(draft, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600), "w+b") as out:
            with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
                for file in files:
                    entry = zipfile.ZipInfo(f"{root}/{file.path}", EPOCH)
                    entry.compress_type, entry.external_attr = zipfile.ZIP_DEFLATED, READABLE
                    archive.writestr(entry, file.data)
            size = out.tell()
            out.seek(0)
            packed = Packed(size, hashlib.file_digest(out, "sha256").hexdigest())
        draft.rename(path)
    except OSError as error:
        raise ActionError(
            "The export could not be written: the site's disk does not take it.", code=Code.EXPORT_FAILED
        ) from error
    finally:
        draft.unlink(missing_ok=True)
    return packed


def open_file(mark: str) -> BinaryIO | None:
    """Return the open file of the mark, None where it is gone."""
    try:
        return _path(mark).open("rb")
    except FileNotFoundError:
        return None


def remove(mark: str) -> None:
    """Remove the file of the mark; one that is gone already is no mistake."""
    if MARK.fullmatch(mark):
        _path(mark).unlink(missing_ok=True)


def sweep(*, kept: Collection[str]) -> int:
    """Remove files that are of none of the kept marks and old enough to be nobody's draft; return how many."""
    removed = 0
    for path in list((Path(settings.DATA_DIR) / FOLDER).glob("*")):
        try:
            old = time.time() - path.stat().st_mtime > DRAFT_KEPT_S
        except FileNotFoundError:
            continue
        if path.stem not in kept and old:
            path.unlink(missing_ok=True)
            removed += 1
    return removed


def _path(mark: str) -> Path:
    if not MARK.fullmatch(mark):
        raise FileNotFoundError
    return Path(settings.DATA_DIR) / FOLDER / f"{mark}.zip"
