from __future__ import annotations

from pathlib import Path

import pytest

from campaigns.models import AuditEntry, Campaign, GameSession, GlossaryTerm, RosterEntry, Transcript, Unit
from tests import standard
from tests.campaigns.actions.test_transcripts import notarius_json
from tests.campaigns.commands.conftest import Refused, Run
from tests.conftest import ROOT


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "ferry.json"
    path.write_bytes(notarius_json())
    return path


def into(campaign: Campaign, number: object = 1) -> tuple[object, ...]:
    return ("--campaign", campaign.slug, "--session", number)


def test_import_transcript_says_what_came_in(run: Run, campaign: Campaign, file: Path) -> None:
    line = run("import_transcript", file, *into(campaign))

    assert line.count("\n") == 1
    for part in ("ferry.json", "salt-ferry.s1.t1", "36 units", "3 speakers", "notarius_json", "utf-8", " s"):
        assert part in line
    assert Unit.objects.count() == 36


def test_import_transcript_of_an_equal_one_is_one_line(run: Run, campaign: Campaign, file: Path) -> None:
    run("import_transcript", file, *into(campaign))

    line = run("import_transcript", file, *into(campaign))

    assert line.count("\n") == 1
    assert "already" in line
    assert Transcript.objects.count() == 1


def test_import_transcript_dry_run_shows_speakers_and_keeps_nothing(run: Run, campaign: Campaign, file: Path) -> None:
    lines = run("import_transcript", file, *into(campaign), "--dry-run").splitlines()

    listed = lines[1 : lines.index("First lines:")]
    counts = {line.split(None, 1)[1]: int(line.split(None, 1)[0]) for line in listed}
    assert counts == {
        speaker: sum(unit.speaker == speaker for unit in standard.UNITS)
        for speaker in (standard.GM, standard.CORWEN, standard.PIKE)
    }
    assert not GameSession.objects.exists()


def test_import_transcript_takes_title_and_format(run: Run, campaign: Campaign, tmp_path: Path) -> None:
    file = tmp_path / "notes"
    file.write_text("Ottilie: The bell rings.\nYun: Which bell?\n")

    run("import_transcript", file, *into(campaign, 7), "--title", "The Bell", "--format", "text")

    assert GameSession.objects.get(number=7).title == "The Bell"
    assert Transcript.objects.get().format == "text"


def test_import_transcript_counts_what_was_skipped(run: Run, campaign: Campaign, tmp_path: Path) -> None:
    file = tmp_path / "cues.srt"
    file.write_text("1\n00:00:01,000 --> 00:00:02,000\nOttilie: Bell.\n\n2\n00:00:03,000 --> 00:00:04,000\n\n")

    line = run("import_transcript", file, *into(campaign))

    assert "ingest.skipped: 1" in line


@pytest.mark.parametrize(
    ("number", "name"), [(1, "session-1.json"), (2, "session-2.vtt"), (3, "session-3.md")], ids=["json", "vtt", "md"]
)
def test_import_transcript_takes_the_sample(run: Run, campaign: Campaign, number: int, name: str) -> None:
    run("import_transcript", ROOT / "assets" / "sample" / name, *into(campaign, number))

    assert 300 <= Transcript.objects.get().unit_count <= 600


def test_import_transcript_takes_a_long_session(run: Run, campaign: Campaign, shared_dir: Path) -> None:
    run("import_transcript", shared_dir / "data" / "crd3" / "C1E034.json", *into(campaign, 34))

    assert Transcript.objects.get().unit_count == 3_308


@pytest.mark.parametrize("dry_run", [[], ["--dry-run"]], ids=["import", "dry-run"])
@pytest.mark.parametrize(
    "content",
    [b"", b" \n ", b"\x00\x01\x02" * 400, b"{", b"[1, 2, 3]", b"<html><body>no</body></html>"],
    ids=["empty", "blank", "binary", "cut-json", "other-json", "markup"],
)
def test_import_transcript_refuses_a_wrong_file(
    refused: Refused, campaign: Campaign, file: Path, content: bytes, dry_run: list[str]
) -> None:
    file.write_bytes(content)

    refused("import_transcript", file, *into(campaign), *dry_run)

    assert not GameSession.objects.exists()


def test_import_transcript_refuses_unknown_places(refused: Refused, campaign: Campaign, file: Path) -> None:
    assert "salt-ferry" in refused("import_transcript", file, "--campaign", "nowhere", "--session", "1")
    assert "number" in refused("import_transcript", file, *into(campaign, 0))
    assert "number" in refused("import_transcript", file, *into(campaign, 10**12))
    assert "no file" in refused("import_transcript", file.parent / "none.json", *into(campaign))
    assert "folder" in refused("import_transcript", file.parent, *into(campaign))
    assert "NUL" in refused("import_transcript", "a\x00b", *into(campaign))
    assert not GameSession.objects.exists()


def test_import_transcript_into_an_empty_archive_says_how_to_begin(refused: Refused, file: Path) -> None:
    assert "load_campaign" in refused("import_transcript", file, "--campaign", "nowhere", "--session", "1")


@pytest.mark.parametrize("arguments", [["--session", "one"], ["--session", "1", "--format", "docx"], []])
def test_import_transcript_refuses_wrong_arguments(
    refused: Refused, campaign: Campaign, file: Path, arguments: list[str]
) -> None:
    refused("import_transcript", file, "--campaign", campaign.slug, *arguments)

    assert not GameSession.objects.exists()


def test_import_transcript_dry_run_shows_what_the_preview_page_shows(
    run: Run, campaign: Campaign, tmp_path: Path
) -> None:
    RosterEntry.objects.create(campaign=campaign, kind="gm", player="Joost", speaker_labels=["Joost"])
    GlossaryTerm.objects.create(campaign=campaign, term="Saltwick", heard_as=["salt wick"])
    file = tmp_path / "cues.vtt"
    file.write_text(
        "WEBVTT\n\nNOTE by hand\n\n00:05.000 --> 00:06.000\n<v SPEAKER_05>To salt wick.\n\n"
        "00:01.000 --> 00:02.000\n<v Yun>No.\n"
    )

    lines = run("import_transcript", file, *into(campaign), "--speaker", "SPEAKER_05=Joost", "--dry-run")

    for part in (
        "      1  Joost  (Joost, GM)\n",
        "  Joost: To salt wick.\n",
        "ingest.skipped, line 3: ",
        "ingest.times: ",
    ):
        assert part in lines
    assert "salt wick -> Saltwick" in lines
    assert not GameSession.objects.exists()


def test_import_transcript_names_speakers_and_takes_an_encoding(run: Run, campaign: Campaign, tmp_path: Path) -> None:
    file = tmp_path / "night.txt"
    file.write_bytes("Speaker 1: Łódź?\nSpeaker 2: Nie.\nYun: Hm.\n".encode("cp1250"))

    names = ("--speaker", "Speaker 1=Speaker 2", "--speaker", "Speaker 2=Speaker 1", "--speaker", "Yun=")
    run("import_transcript", file, *into(campaign), "--encoding", "cp1250", *names)

    kept = list(Unit.objects.order_by("position").values_list("speaker", "text"))
    assert kept == [("Speaker 2", "Łódź?"), ("Speaker 1", "Nie."), (None, "Hm.")]
    assert AuditEntry.objects.get().facts["named_speakers"] == 3


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--speaker", "Joost"], "OLD=NEW"),
        (["--speaker", "=Joost"], "OLD=NEW"),
        (["--speaker", "A=B", "--speaker", " A =C"], "twice"),
        (["--speaker", "Nobody=Joost"], "does not occur"),
        (["--speaker", f"{standard.GM}=a\x00b"], "one line"),
        (["--encoding", "klingon"], "not known"),
    ],
)
@pytest.mark.parametrize("dry_run", [[], ["--dry-run"]], ids=["import", "dry-run"])
def test_import_transcript_refuses_names_and_encodings_that_cannot_be(
    refused: Refused, campaign: Campaign, file: Path, arguments: list[str], said: str, dry_run: list[str]
) -> None:
    assert said in refused("import_transcript", file, *into(campaign), *arguments, *dry_run)
    assert not GameSession.objects.exists()
