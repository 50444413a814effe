"""Which formats there are."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import MappingProxyType

from campaigns.exports import backup, foundry, reading_json, tables, vault
from campaigns.exports.files import ExportFile, Format, Progress
from campaigns.library.sight import Edition, Sight
from campaigns.models import Export


def _json(sight: Sight, progress: Progress) -> Iterator[ExportFile]:
    """Yield a backup for game masters, and what they may read for everybody else."""
    return backup.files(sight, progress) if sight.edition is Edition.GM else reading_json.files(sight, progress)


FORMATS: Mapping[str, Format] = MappingProxyType(
    {
        Export.Format.JSON.value: _json,
        Export.Format.MARKDOWN.value: vault.files,
        Export.Format.CSV.value: tables.files,
        Export.Format.FOUNDRY.value: foundry.files,
    }
)
