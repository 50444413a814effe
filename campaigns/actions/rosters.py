"""Campaign files: who sits at the table, and how the names of the campaign are written."""

from __future__ import annotations

import tomllib
import unicodedata
from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated, Self

from django.db import transaction
from pydantic import AfterValidator, BaseModel, ConfigDict, Field, StringConstraints, ValidationError, model_validator

from campaigns.actions import audit
from campaigns.models import Campaign, GlossaryTerm, RosterEntry
from extraction.codes import Code
from extraction.errors import InputError
from extraction.identity import comparison_key

if TYPE_CHECKING:
    from django.contrib.auth.models import User


def _one_line(text: str) -> str:
    if any(unicodedata.category(character) in ("Cc", "Cs") for character in text):
        raise ValueError("a name has no line breaks or other control characters")
    return text


Name = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=100), AfterValidator(_one_line)]
LongName = Annotated[
    str, StringConstraints(strip_whitespace=True, min_length=1, max_length=200), AfterValidator(_one_line)
]
Names = Annotated[tuple[Name, ...], Field(max_length=100)]


class _Table(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class CampaignTable(_Table):
    slug: Annotated[str, StringConstraints(pattern=r"^[a-z0-9]+(-[a-z0-9]+)*$", max_length=60)]
    name: LongName
    public: bool = False


class GmTable(_Table):
    player: Name
    speaker_labels: Names = ()


class PartyTable(_Table):
    character: Name
    player: Name
    speaker_labels: Names = ()
    other_names: Names = ()


class GlossaryTable(_Table):
    term: LongName
    heard_as: Annotated[tuple[LongName, ...], Field(max_length=100)] = ()


class CampaignFile(_Table):
    """The TOML of `load_campaign` (contracts, Commands and settings)."""

    campaign: CampaignTable
    gm: GmTable | None = None
    party: Annotated[tuple[PartyTable, ...], Field(max_length=100)] = ()
    glossary: Annotated[tuple[GlossaryTable, ...], Field(max_length=5_000)] = ()

    @model_validator(mode="after")
    def _names_belong_to_one(self) -> Self:
        labels = [("gm", label) for label in (self.gm.speaker_labels if self.gm else ())]
        labels += [(f"party.{at}", label) for at, entry in enumerate(self.party) for label in entry.speaker_labels]
        for place, first in _repeated(labels):
            raise ValueError(f"{place}.speaker_labels repeats a label of {first}: a label belongs to one person")
        for place, first in _repeated([(f"party.{at}", entry.character) for at, entry in enumerate(self.party)]):
            raise ValueError(f"{place}.character is that of {first} already")
        for place, first in _repeated([(f"glossary.{at}", entry.term) for at, entry in enumerate(self.glossary)]):
            raise ValueError(f"{place}.term is that of {first} already")
        return self


def read_campaign(text: str, label: str) -> CampaignFile:
    """Return the campaign file; InputError names `label`, the key and the reason, and none of the file's values."""
    try:
        return CampaignFile.model_validate(tomllib.loads(text))
    except tomllib.TOMLDecodeError as error:
        raise InputError(f"{label} is not valid TOML: {error}.", code=Code.CAMPAIGN_INVALID) from error
    except RecursionError as error:
        raise InputError(f"{label} is nested too deeply.", code=Code.CAMPAIGN_INVALID) from error
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        where = "".join(f"{step}: " for step in [".".join(str(part) for part in first["loc"])] if step)
        reason = first["msg"].removeprefix("Value error, ")
        raise InputError(f"{label}: {where}{reason}.", code=Code.CAMPAIGN_INVALID) from error


@transaction.atomic
def load_campaign(*, file: CampaignFile, by: User | None) -> tuple[Campaign, bool]:
    """Create the campaign of the file's slug, or make it as the file says; say whether it was created.

    Roster and glossary are replaced as a whole. Another slug is another campaign.
    """
    about = file.campaign
    campaign, created = Campaign.objects.select_for_update().update_or_create(
        slug=about.slug, defaults={"name": about.name, "public": about.public}
    )
    campaign.roster.all().delete()
    campaign.glossary.all().delete()
    roster = RosterEntry.objects.bulk_create(_roster(campaign, file))
    glossary = GlossaryTerm.objects.bulk_create(
        GlossaryTerm(campaign=campaign, position=at, term=entry.term, heard_as=list(entry.heard_as))
        for at, entry in enumerate(file.glossary)
    )
    audit.record(
        by=by,
        act="campaign.load",
        subject=campaign,
        campaign=campaign,
        created=created,
        public=campaign.public,
        people=len(roster),
        terms=len(glossary),
    )
    return campaign, created


def _roster(campaign: Campaign, file: CampaignFile) -> Iterator[RosterEntry]:
    if file.gm is not None:
        yield RosterEntry(
            campaign=campaign,
            kind=RosterEntry.Kind.GM,
            player=file.gm.player,
            speaker_labels=list(file.gm.speaker_labels),
        )
    for at, entry in enumerate(file.party):
        yield RosterEntry(
            campaign=campaign,
            kind=RosterEntry.Kind.PARTY,
            position=at,
            player=entry.player,
            character=entry.character,
            speaker_labels=list(entry.speaker_labels),
            other_names=list(entry.other_names),
        )


def _repeated(names: list[tuple[str, str]]) -> Iterator[tuple[str, str]]:
    """Yield each place whose name stood before, with the place where it stood first."""
    seen: dict[str, str] = {}
    for place, name in names:
        first = seen.setdefault(comparison_key(name), place)
        if first != place:
            yield place, first
