"""Rows of figures: printed as they come, and written as JSON at the end."""

from __future__ import annotations

import json
import platform
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

Figure: TypeAlias = "int | float | str | None"


@dataclass(frozen=True, slots=True)
class Row:
    """One measurement: what was done (`setting`, `command`) and what it came to.

    `figures` names carry their unit; a name that ends in `ratio` compares two things of the same run.
    """

    bench: str
    setting: str
    command: str
    figures: Mapping[str, Figure]

    def as_json(self) -> dict[str, object]:
        return {"bench": self.bench, "setting": self.setting, "command": self.command, "figures": dict(self.figures)}


def show(row: Row) -> None:
    """Print the row, ratios last."""
    ordered = sorted(row.figures.items(), key=lambda item: item[0].endswith("ratio"))
    figures = "  ".join(f"{name} {_short(value)}" for name, value in ordered)
    sys.stdout.write(f"{row.bench:<10} {row.setting:<58} {figures}\n")
    sys.stdout.flush()


def write(rows: Sequence[Row], file: Path) -> None:
    """Write the rows with the machine they were measured on."""
    machine = {"python": platform.python_version(), "system": platform.platform()}
    value = {"schema": "notarius.bench.v1", "machine": machine, "rows": [row.as_json() for row in rows]}
    file.write_text(json.dumps(value, indent=1) + "\n", encoding="utf-8")


def _short(value: Figure) -> str:
    if value is None:
        return "-"
    return f"{value:.4g}" if isinstance(value, float) else str(value)
