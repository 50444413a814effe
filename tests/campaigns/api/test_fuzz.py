from __future__ import annotations

import pytest
from django.test import override_settings

from campaigns.api.root import api
from tests.campaigns.api.fuzzing import fuzz
from tests.campaigns.api.world import CAST, build

EXAMPLES = 2


@pytest.mark.parametrize("role", CAST)
def test_every_operation_keeps_its_promises(role: str, db: None) -> None:
    """Nobody in particular asks about a public campaign, where there is something to see; the others a private one."""
    operations = sum(len(methods) for methods in api.document["paths"].values())
    with override_settings(API_RATE=10**9, API_RATE_ANONYMOUS=10**9):
        asked = fuzz(build(public=role == "nobody"), role, EXAMPLES)

    assert asked == operations
