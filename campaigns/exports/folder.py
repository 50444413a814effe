"""The folder of a backup on its way back in. Nothing of it is believed before it is checked.

Only files that a backup has are opened, at most as large as the manifest says, and each must have the digest that the
manifest gives. A link out of the folder is no file of it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

import orjson
from pydantic import TypeAdapter, ValidationError

from campaigns.errors import ActionError
from campaigns.exports.layout import (
    BACKUP_PATHS,
    CAMPAIGN,
    MANIFEST,
    MOST_BYTES,
    MOST_FILE_BYTES,
    MOST_FILES,
    MOST_MANIFEST_BYTES,
    digest_of,
)
from campaigns.exports.shapes import ListedFile, Manifest
from extraction.canonical import bytes_digest, canonical_json
from extraction.codes import Code

T = TypeVar("T")
SESSION_FILE = re.compile(r"sessions/([1-9][0-9]*)/session\.json")
# A NUL in a string: no database takes one, and no export has one.
NUL = re.compile(rb"(?<!\\)(?:\\\\)*\\u0000|\x00")


class Refused(ActionError):
    """The folder is no backup that could be restored; nothing was changed."""

    code = Code.EXPORT_INVALID


@dataclass(frozen=True, slots=True)
class Backup:
    """An opened folder: `files` are what the manifest lists, by path."""

    root: Path
    files: Mapping[str, ListedFile]
    digest: str

    @property
    def sessions(self) -> list[int]:
        """Return the numbers of its sessions in their order."""
        found = (SESSION_FILE.fullmatch(path) for path in self.files)
        return sorted(int(each.group(1)) for each in found if each)

    def bytes_of(self, path: str) -> bytes:
        """Return the file's bytes; Refused where it is missing, or is not what the manifest says."""
        listed = self.files.get(path)
        if listed is None:
            raise Refused(f"The backup has no {path}.")
        data = _read(self.root, path, listed.bytes)
        if bytes_digest(data) != listed.sha256:
            raise Refused(f"{path} is not what the manifest says: the backup was changed or is damaged.")
        return data

    def read(self, path: str, shape: type[T]) -> T:
        """Return the file's content in its shape; Refused for any other."""
        return _shaped(self.bytes_of(path), path, shape)


def opened(folder: Path) -> Backup:
    """Return the backup in the folder; Refused where there is none, or none that may be restored."""
    data = _read(folder, MANIFEST, MOST_MANIFEST_BYTES)
    manifest = _shaped(data, MANIFEST, Manifest)
    if manifest.edition != "gm" or manifest.as_of is not None:
        raise Refused("This is an edition for players: only a GM edition of the whole campaign can be imported.")
    files = {file.path: file for file in manifest.files}
    if len(files) > MOST_FILES or sum(file.bytes for file in manifest.files) > MOST_BYTES:
        raise Refused("The backup is larger than any that Notarius makes.")
    if len(files) != len(manifest.files) or not all(BACKUP_PATHS.fullmatch(path) for path in files):
        raise Refused("The manifest names files that no backup has.")
    if digest_of([file.model_dump() for file in manifest.files]) != manifest.digest or CAMPAIGN not in files:
        raise Refused("The manifest is not what it says it is: the backup was changed or is damaged.")
    return Backup(folder, files, manifest.digest)


def _read(root: Path, path: str, most: int) -> bytes:
    file = root / path
    most = min(most, MOST_FILE_BYTES)
    try:
        if not file.resolve().is_relative_to(root.resolve()) or not file.is_file():
            raise Refused(f"The folder has no file {path}.")
        with file.open("rb") as handle:
            data = handle.read(most + 1)
    except (OSError, ValueError) as error:
        raise Refused(f"{path} cannot be read.") from error
    if len(data) > most:
        raise Refused(f"{path} is larger than it may be.")
    return data


def _shaped(data: bytes, path: str, shape: type[T]) -> T:
    if NUL.search(data):
        raise Refused(f"{path} has characters that no export has.")
    try:
        # The one spelling of a value: what is written in any other was not written by an export.
        if canonical_json(orjson.loads(data)) != data:
            raise Refused(f"{path} is not written as an export writes it.")
        return TypeAdapter(shape).validate_json(data, strict=True)
    except ValidationError as error:
        where = ".".join(map(str, error.errors(include_url=False, include_input=False)[0]["loc"]))
        raise Refused(f"{path} is not as a backup has it{f', at {where}' if where else ''}.") from error
    except (ValueError, TypeError, RecursionError) as error:
        raise Refused(f"{path} is no JSON of an export.") from error
