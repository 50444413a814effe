"""Documents for the tests of order: ids fall, jump and leave gaps unless a test says otherwise."""

from __future__ import annotations

from collections.abc import Sequence

from hypothesis import strategies as st

from extraction.source.documents import SourceDocument, SourceUnit
from extraction.source.index import DocumentIndex
from extraction.source.references import SourceRef

SOURCE_ID = "glass-tithe.s1.t1"


def document(unit_ids: Sequence[int], source_id: str = SOURCE_ID) -> SourceDocument:
    return SourceDocument(source_id, tuple(SourceUnit(unit_id, "Mara", f"line {unit_id}") for unit_id in unit_ids))


def ref(start: int, end: int, source_id: str = SOURCE_ID) -> SourceRef:
    return SourceRef(source_id, start, end)


unit_id_lists = st.lists(st.integers(1, 500), unique=True, min_size=1, max_size=40)
indexes = unit_id_lists.map(lambda unit_ids: DocumentIndex(document(unit_ids)))


@st.composite
def indexes_with_refs(draw: st.DrawFn, *, ordered: bool = False) -> tuple[DocumentIndex, list[SourceRef]]:
    """An index and references into it, of which some do not resolve unless all are asked to be `ordered`."""
    index = draw(indexes)
    known = st.sampled_from(index.unit_ids)
    ids = known if ordered else st.one_of(known, st.integers(501, 510))
    sources = st.just(SOURCE_ID) if ordered else st.sampled_from([SOURCE_ID, "glass-tithe.s2.t1"])
    refs = draw(st.lists(st.builds(SourceRef, sources, ids, ids), max_size=12))
    if ordered:
        pairs = [sorted((one.start_unit_id, one.end_unit_id), key=index.position) for one in refs]
        refs = [ref(start, end) for start, end in pairs]
    return index, refs
