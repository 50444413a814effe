"""The folder of a JSON export: which files there are, what the manifest says of them, and how large they may be."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from campaigns.exports.files import ExportFile
from extraction.canonical import JsonValue, bytes_digest, canonical_json, digest

SCHEMA = "notarius.export.v1"
MANIFEST = "manifest.json"
CAMPAIGN = "campaign.json"
SECRETS = "secrets.json"
LANE = r"dnd/[a-z]+(?:-[a-z]+)*"
SESSION = r"sessions/([1-9][0-9]{0,6})"
# Nothing but these is read back: a path that leads anywhere else is none of them.
BACKUP_PATHS = re.compile(
    rf"{re.escape(CAMPAIGN)}|{re.escape(SECRETS)}"
    rf"|{SESSION}/(?:session\.json|decisions\.json|transcripts/[1-9][0-9]{{0,6}}\.json|{LANE}/[1-9][0-9]{{0,6}}\.json)"
)
MOST_FILES = 200_000
MOST_FILE_BYTES = 512 * 2**20
MOST_MANIFEST_BYTES = 64 * 2**20
MOST_BYTES = 8 * 2**30


def session_folder(number: int) -> str:
    return f"sessions/{number}"


def entry_of(file: ExportFile) -> dict[str, JsonValue]:
    """Return what the manifest says of a file."""
    return {"path": file.path, "sha256": bytes_digest(file.data), "bytes": len(file.data)}


def digest_of(entries: Sequence[Mapping[str, JsonValue]]) -> str:
    """Return the digest of all digests: equal for exports of equal content."""
    return digest(sorted([str(entry["path"]), str(entry["sha256"])] for entry in entries))


def manifest(about: Mapping[str, JsonValue], entries: Sequence[Mapping[str, JsonValue]]) -> ExportFile:
    """Return the last file of an export. `about` is in no digest but the file's own."""
    body: dict[str, JsonValue] = {"schema": SCHEMA, **about, "digest": digest_of(entries), "files": list(entries)}
    return ExportFile(MANIFEST, canonical_json(body))
