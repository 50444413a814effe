"""What every chunk prompt is shown: who sits at the table, the chunk, and the units around it."""

from __future__ import annotations

from extraction.framework import Chunk, JsonValue, Scope, context_material, transcript_material


def table_materials(scope: Scope) -> dict[str, JsonValue]:
    """Return the roster and the glossary."""
    return {
        "gm": scope.table.get("gm", {}),
        "party": scope.table.get("party", []),
        "glossary": scope.table.get("glossary", []),
    }


def chunk_materials(scope: Scope, chunk: Chunk) -> dict[str, JsonValue]:
    """Return the roster, the glossary, the chunk's units, and the units around it that may not be cited."""
    return {
        **table_materials(scope),
        "context": context_material(scope.index, chunk),
        "transcript": transcript_material(scope.index, chunk),
    }
