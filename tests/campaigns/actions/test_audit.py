from __future__ import annotations

import pytest
from django.contrib.auth.models import User

from campaigns.actions import audit
from campaigns.models import AuditEntry, Campaign
from extraction.errors import InternalError
from tests import standard


def test_record_names_the_subject_and_keeps_the_facts(gm: User, campaign: Campaign) -> None:
    entry = audit.record(by=gm, act="campaign.load", subject=campaign, campaign=campaign, people=5, lane="dnd/npcs")

    entry.refresh_from_db()
    assert (entry.by, entry.campaign, entry.subject) == (gm, campaign, f"campaign:{campaign.pk}")
    assert entry.facts == {"people": 5, "lane": "dnd/npcs"}


@pytest.mark.parametrize("content", [standard.UNITS[0].text, "Mother Quillon", "Zélie", "x" * 121, "two\nlines"])
def test_record_refuses_a_fact_that_could_be_content(campaign: Campaign, content: str) -> None:
    with pytest.raises(InternalError) as error:
        audit.record(by=None, act="campaign.load", subject=campaign, campaign=campaign, reason=content)

    assert content not in str(error.value)
    assert not AuditEntry.objects.exists()
