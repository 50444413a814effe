"""From a model's ranges to references: the one place where the order of endpoints is mended."""

from __future__ import annotations

from collections.abc import Iterable

from extraction.dnd.shared.reply import RangeReply
from extraction.framework import DocumentIndex, SourceRef, canonical, order_endpoints


def cited_refs(ranges: Iterable[RangeReply], index: DocumentIndex) -> tuple[SourceRef, ...]:
    """Return the reply's evidence as canonical references of this document.

    Endpoints that both resolve are put in document order; whatever does not resolve stays as the model sent it, for
    the validators to reject. Every evidence-bearing family reads its evidence through here.
    """
    sent = (SourceRef(index.source_id, given.start_unit_id, given.end_unit_id) for given in ranges)
    return canonical((order_endpoints(ref, index) for ref in sent), index)
