from __future__ import annotations

import pytest
from django.contrib.auth.models import User
from django.db import IntegrityError

from campaigns.actions import audit, rosters
from campaigns.models import AuditEntry, Campaign, GlossaryTerm, RosterEntry
from extraction.codes import Code
from extraction.errors import InputError

FILE = """
[campaign]
slug = "salt-ferry"
name = "The Salt Ferry"
public = true

[gm]
player = "Ottilie"
speaker_labels = ["Ottilie", "GM"]

[[party]]
character = "Sister Corwen"
player = "Bram"
speaker_labels = ["Bram"]
other_names = ["Corwen"]

[[party]]
character = "Pike"
player = "Yun"

[[glossary]]
term = "Mother Quillon"
heard_as = ["mother quill on"]
"""


def load(text: str = FILE, by: User | None = None) -> tuple[Campaign, bool]:
    return rosters.load_campaign(file=rosters.read_campaign(text, "ferry.toml"), by=by)


def test_load_campaign_creates_it_with_roster_and_glossary(db: None) -> None:
    campaign, created = load()

    assert created
    assert (campaign.slug, campaign.name, campaign.public) == ("salt-ferry", "The Salt Ferry", True)
    people = RosterEntry.objects.values_list("kind", "position", "player", "character", "speaker_labels", "other_names")
    assert list(people) == [
        ("gm", 0, "Ottilie", "", ["Ottilie", "GM"], []),
        ("party", 0, "Bram", "Sister Corwen", ["Bram"], ["Corwen"]),
        ("party", 1, "Yun", "Pike", [], []),
    ]
    assert list(GlossaryTerm.objects.values_list("term", "heard_as")) == [("Mother Quillon", ["mother quill on"])]


def test_load_campaign_again_updates_and_replaces(db: None) -> None:
    first, _ = load()

    second, created = load(FILE.replace("The Salt Ferry", "Salt and Ferry").replace('"Pike"', '"Eel"'))

    assert not created
    assert second.pk == first.pk
    assert Campaign.objects.get().name == "Salt and Ferry"
    assert list(RosterEntry.objects.values_list("character", flat=True)) == ["", "Sister Corwen", "Eel"]
    assert GlossaryTerm.objects.count() == 1


def test_load_campaign_leaves_other_campaigns_alone(db: None) -> None:
    load()
    load(FILE.replace('"salt-ferry"', '"other-ferry"'))

    load('[campaign]\nslug = "other-ferry"\nname = "Other"')

    assert RosterEntry.objects.filter(campaign__slug="salt-ferry").count() == 3
    assert RosterEntry.objects.filter(campaign__slug="other-ferry").count() == 0


@pytest.mark.parametrize("broken", [(audit, "record"), (GlossaryTerm.objects, "bulk_create")], ids=["audit", "terms"])
def test_load_campaign_changes_nothing_when_a_later_write_fails(
    db: None, monkeypatch: pytest.MonkeyPatch, broken: tuple[object, str]
) -> None:
    load()
    monkeypatch.setattr(*broken, _fails)

    with pytest.raises(IntegrityError):
        load(FILE.replace("The Salt Ferry", "Changed").replace('"Pike"', '"Eel"'))

    assert Campaign.objects.get().name == "The Salt Ferry"
    assert RosterEntry.objects.filter(character="Pike").exists()
    assert GlossaryTerm.objects.count() == 1


def test_load_campaign_audit_counts_and_names_nobody(gm: User) -> None:
    load(by=gm)

    entry = AuditEntry.objects.get(act="campaign.load")
    assert entry.by == gm
    assert entry.facts == {"created": False, "public": True, "people": 3, "terms": 1}


@pytest.mark.parametrize(
    ("old", "new", "where"),
    [
        pytest.param('"salt-ferry"', '"Salt Ferry"', "campaign.slug", id="slug"),
        pytest.param('"salt-ferry"', '"salt-ferry\\n"', "campaign.slug", id="slug-line-feed"),
        pytest.param('"The Salt Ferry"', '"  "', "campaign.name", id="empty-name"),
        pytest.param('"The Salt Ferry"', '"The\\u0000Ferry"', "campaign.name", id="nul-in-name"),
        pytest.param('"The Salt Ferry"', "7", "campaign.name", id="number-for-name"),
        pytest.param("public = true", "publik = true", "campaign.publik", id="unknown-key"),
        pytest.param("public = true", 'public = "maybe"', "campaign.public", id="no-switch"),
        pytest.param("[gm]", "[dm]", "dm", id="unknown-table"),
        pytest.param('player = "Yun"', "", "party.1.player", id="missing-player"),
        pytest.param('"Sister Corwen"', f'"{"x" * 101}"', "party.0.character", id="long-name"),
        pytest.param('["Bram"]', '["gm"]', "party.0.speaker_labels", id="label-of-two"),
        pytest.param('"Pike"', '"sister  CORWEN"', "party.1.character", id="character-twice"),
        pytest.param('["mother quill on"]', '"mother"', "glossary.0.heard_as", id="text-for-list"),
    ],
)
def test_read_campaign_names_file_and_key_and_no_value(old: str, new: str, where: str) -> None:
    assert old in FILE

    with pytest.raises(InputError) as error:
        rosters.read_campaign(FILE.replace(old, new, 1), "ferry.toml")

    message = str(error.value)
    assert error.value.code is Code.CAMPAIGN_INVALID
    assert message.startswith("ferry.toml: ")
    assert where in message
    assert "\n" not in message
    assert not [name for name in ("Corwen", "Bram", "Quillon", "CORWEN", "Salt") if name in message]


@pytest.mark.parametrize("text", ["", "campaign = 3", "not toml at all", "[campaign", "a = " + "[" * 5_000])
def test_read_campaign_of_something_else(text: str) -> None:
    with pytest.raises(InputError) as error:
        rosters.read_campaign(text, "ferry.toml")

    assert str(error.value).startswith("ferry.toml")


def test_read_campaign_takes_one_label_twice_of_one_person() -> None:
    file = rosters.read_campaign(FILE.replace('["Ottilie", "GM"]', '["Ottilie", "OTTILIE"]'), "ferry.toml")

    assert file.gm is not None
    assert file.gm.speaker_labels == ("Ottilie", "OTTILIE")


def _fails(*args: object, **kwargs: object) -> None:
    raise IntegrityError("the second write failed")
