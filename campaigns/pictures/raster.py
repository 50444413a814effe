"""A picture as pixels, for places that take no SVG."""

from __future__ import annotations

import resvg_py

SCALE = 2


def png(svg: str) -> bytes:
    """Return the SVG drawn at twice its size. Text takes the first of its fonts that this machine has."""
    return resvg_py.svg_to_bytes(svg_string=svg, zoom=SCALE)
