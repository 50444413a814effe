"""The standard document with its index, and the bundled prompts."""

from __future__ import annotations

import pytest

from extraction.prompts.catalog import Catalog
from extraction.source.documents import SourceDocument
from extraction.source.index import DocumentIndex
from tests.extraction import story


@pytest.fixture
def document() -> SourceDocument:
    """Three invented pages whose unit ids fall, jump and leave gaps."""
    return story.DOCUMENT


@pytest.fixture
def index(document: SourceDocument) -> DocumentIndex:
    return DocumentIndex(document)


@pytest.fixture
def catalog() -> Catalog:
    return story.CATALOG
