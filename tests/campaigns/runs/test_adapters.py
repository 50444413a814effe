from __future__ import annotations

import threading
import zlib

import pytest
from django.utils import timezone

from campaigns.actions import leases, runs
from campaigns.adapters.checkpoints import SessionCheckpoints
from campaigns.adapters.documents import load_document
from campaigns.adapters.exchanges import ExchangeLog
from campaigns.adapters.progress import LaneRecord
from campaigns.adapters.table import table_of
from campaigns.models import Campaign, Checkpoint, Exchange, GlossaryTerm, LaneRun, RosterEntry
from extraction.errors import LeaseLost, RunCancelled
from extraction.llm.boundary import Exchange as RoundTrip
from extraction.llm.boundary import Usage
from tests import factories
from tests.standard import UNITS


class Desk:
    """A claimed lane with what it writes through, and a clock that the test moves."""

    def __init__(self, lane: LaneRun) -> None:
        self.lane, self.now = lane, 0.0
        self.token = leases.claim(lane_id=lane.pk, at=timezone.now()) or ""
        self.log = ExchangeLog(lane.pk)
        self.record = LaneRecord(lane.pk, self.token, self.log, clock=lambda: self.now)
        self.checkpoints = SessionCheckpoints(lane.run.session_id, self.record)

    def lose(self) -> None:
        leases.claim(lane_id=self.lane.pk, at=timezone.now() + 2 * leases.LEASE)

    def row(self) -> LaneRun:
        self.lane.refresh_from_db()
        return self.lane


@pytest.fixture
def desk(lane: LaneRun) -> Desk:
    return Desk(lane)


def round_trip(number: int = 0, usage: Usage | None = None) -> RoundTrip:
    return RoundTrip(
        prompt_id="dnd/npcs.extract",
        request=f"request {number}".encode(),
        reply=f"reply {number}".encode(),
        outcome="ok",
        usage=usage or Usage(prompt_tokens=10, cached_tokens=4, completion_tokens=2),
        latency_ms=7,
        model="m",
        provider="openai",
        provider_request_id="r",
    )


def test_load_document_is_the_stored_transcript(db: None) -> None:
    transcript = factories.make_transcript()

    document = load_document(transcript)

    assert document.units == UNITS
    assert (document.source_id, document.digest) == (transcript.source_id, transcript.digest)


def test_table_of_campaign_without_people_has_every_key(campaign: Campaign) -> None:
    assert table_of(campaign) == {"gm": {"player": None, "speaker_labels": []}, "party": [], "glossary": []}


def test_table_of_campaign_keeps_the_order(campaign: Campaign) -> None:
    people = RosterEntry.objects
    people.create(campaign=campaign, kind="party", position=2, player="Yun", character="Pike", speaker_labels=["Yun"])
    people.create(campaign=campaign, kind="party", position=1, player="Bram", character="Corwen", other_names=["Cor"])
    people.create(campaign=campaign, kind="gm", position=0, player="Ottilie", speaker_labels=["GM"])
    GlossaryTerm.objects.create(campaign=campaign, position=1, term="Quillon", heard_as=["quill on"])
    GlossaryTerm.objects.create(campaign=campaign, position=0, term="Voss")

    assert table_of(campaign) == {
        "gm": {"player": "Ottilie", "speaker_labels": ["GM"]},
        "party": [
            {"character": "Corwen", "player": "Bram", "speaker_labels": [], "other_names": ["Cor"]},
            {"character": "Pike", "player": "Yun", "speaker_labels": ["Yun"], "other_names": []},
        ],
        "glossary": [{"term": "Voss", "heard_as": []}, {"term": "Quillon", "heard_as": ["quill on"]}],
    }


def test_put_replaces_an_older_value(desk: Desk) -> None:
    desk.checkpoints.put("k", b"one")
    desk.checkpoints.put("k", b"two")

    assert desk.checkpoints.get("k") == b"two"
    assert desk.checkpoints.get("other") is None
    assert Checkpoint.objects.count() == 1


def test_get_does_not_see_another_session(desk: Desk) -> None:
    desk.checkpoints.put("k", b"one")
    elsewhere = SessionCheckpoints(factories.make_session().pk, desk.record)

    assert elsewhere.get("k") is None


def test_put_with_stale_token_writes_nothing(desk: Desk) -> None:
    desk.log(round_trip())
    desk.lose()

    with pytest.raises(LeaseLost):
        desk.checkpoints.put("k", b"one")

    assert not Checkpoint.objects.exists()
    assert not Exchange.objects.exists()
    assert desk.row().calls == 0


def test_exchanges_of_a_write_that_was_rolled_back_are_written_with_the_next(desk: Desk) -> None:
    desk.log(round_trip(1))
    desk.log(round_trip(2))

    with pytest.raises(RuntimeError), desk.record.writing():
        raise RuntimeError("the write fails")
    lost = Exchange.objects.count()
    desk.checkpoints.put("k", b"one")

    assert lost == 0
    assert [zlib.decompress(bytes(row.request)) for row in Exchange.objects.order_by("pk")] == [
        b"request 1",
        b"request 2",
    ]
    assert desk.row().calls == 2


def test_put_of_cancelled_run_still_keeps_what_was_paid_for(desk: Desk) -> None:
    runs.cancel(run=desk.lane.run, by=None)

    desk.checkpoints.put("k", b"one")

    assert desk.checkpoints.get("k") == b"one"


def test_exchanges_from_several_threads_are_each_written_once(desk: Desk) -> None:
    def log_fifty(start: int) -> None:
        for number in range(start, start + 50):
            desk.log(round_trip(number))

    threads = [threading.Thread(target=log_fifty, args=(start,)) for start in range(0, 200, 50)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    desk.record.write()
    desk.record.write()

    kept = {zlib.decompress(bytes(row.request)): zlib.decompress(bytes(row.reply)) for row in Exchange.objects.all()}
    assert kept == {f"request {n}".encode(): f"reply {n}".encode() for n in range(200)}
    row = desk.row()
    assert (row.calls, row.prompt_tokens, row.cached_tokens, row.completion_tokens) == (200, 2000, 800, 400)


def test_exchange_without_usage_counts_no_tokens(desk: Desk) -> None:
    desk.log(round_trip(usage=Usage()))
    desk.record.write()

    row = desk.row()
    assert (row.calls, row.prompt_tokens) == (1, 0)
    assert Exchange.objects.get().prompt_tokens is None


def test_pulse_writes_only_when_it_is_time(desk: Desk) -> None:
    LaneRun.objects.update(lease_until=timezone.now())

    early = desk.record.pulse()
    desk.now = leases.BEAT_S
    due = desk.record.pulse()

    lease = desk.row().lease_until
    assert (early, due) == (False, True)
    assert lease is not None
    assert lease > timezone.now() + leases.LEASE / 2


def test_pulse_flushes_exchanges_and_progress(desk: Desk) -> None:
    desk.log(round_trip())
    desk.record.progress(1, 9)
    desk.now = leases.BEAT_S

    desk.record.pulse()

    row = desk.row()
    assert (row.calls, row.chunks_done, row.chunks_total) == (1, 1, 9)


def test_pulse_of_cancelled_run_stops_the_lane(desk: Desk) -> None:
    runs.cancel(run=desk.lane.run, by=None)
    desk.now = leases.BEAT_S

    with pytest.raises(RunCancelled):
        desk.record.pulse()


def test_pulse_with_stale_token_stops_the_lane(desk: Desk) -> None:
    desk.lose()
    desk.now = leases.BEAT_S

    with pytest.raises(LeaseLost):
        desk.record.pulse()


def test_progress_shows_after_a_second_and_at_the_end(desk: Desk) -> None:
    seen = []
    for now, done in ((0.1, 1), (1.5, 2), (1.6, 3), (1.7, 4)):
        desk.now = now
        desk.record.progress(done, 4)
        seen.append(desk.row().chunks_done)

    assert seen == [0, 2, 2, 4]
