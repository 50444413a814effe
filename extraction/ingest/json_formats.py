"""The JSON formats: how each is known by its content, and what reads it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from extraction.codes import Code
from extraction.errors import IngestError
from extraction.ingest.crd3 import is_crd3, read_crd3
from extraction.ingest.json_assemblyai import is_assemblyai, read_assemblyai
from extraction.ingest.json_aws import is_aws, read_aws
from extraction.ingest.json_azure import is_azure, read_azure
from extraction.ingest.json_deepgram import is_deepgram, read_deepgram
from extraction.ingest.json_google import is_google, read_google
from extraction.ingest.json_kaldi import is_kaldi, read_kaldi
from extraction.ingest.json_podcast import is_podcast, read_podcast
from extraction.ingest.json_rev import is_rev, read_rev
from extraction.ingest.json_speechmatics import is_speechmatics, read_speechmatics
from extraction.ingest.json_text import ParsedJson
from extraction.ingest.json_whisper import is_whisper, is_whisper_cpp, read_whisper, read_whisper_cpp, whisper_kind
from extraction.ingest.limits import Limits
from extraction.ingest.notarius_json import is_notarius_json, read_notarius_json
from extraction.ingest.transcript import Format, ReadTranscript


@dataclass(frozen=True, slots=True)
class JsonFormat:
    """`recognises` answers for any parsed JSON; `read` raises IngestError for one that is not of the format."""

    recognises: Callable[[ParsedJson], bool]
    read: Callable[[ParsedJson, str, Limits], ReadTranscript]


def _whisper(kind: Format) -> JsonFormat:
    return JsonFormat(lambda parsed: is_whisper(parsed) and whisper_kind(parsed) is kind, read_whisper)


JSON_FORMATS: Mapping[Format, JsonFormat] = MappingProxyType(
    {
        Format.NOTARIUS_JSON: JsonFormat(is_notarius_json, read_notarius_json),
        Format.CRD3: JsonFormat(is_crd3, read_crd3),
        Format.WHISPER: _whisper(Format.WHISPER),
        Format.WHISPER_TIMESTAMPED: _whisper(Format.WHISPER_TIMESTAMPED),
        Format.WHISPERX: _whisper(Format.WHISPERX),
        Format.WHISPER_CPP: JsonFormat(is_whisper_cpp, read_whisper_cpp),
        Format.PODCAST_JSON: JsonFormat(is_podcast, read_podcast),
        Format.DEEPGRAM: JsonFormat(is_deepgram, read_deepgram),
        Format.ASSEMBLYAI: JsonFormat(is_assemblyai, read_assemblyai),
        Format.AWS_TRANSCRIBE: JsonFormat(is_aws, read_aws),
        Format.GOOGLE_STT: JsonFormat(is_google, read_google),
        Format.AZURE_SPEECH: JsonFormat(is_azure, read_azure),
        Format.REV: JsonFormat(is_rev, read_rev),
        Format.SPEECHMATICS: JsonFormat(is_speechmatics, read_speechmatics),
        Format.KALDI: JsonFormat(is_kaldi, read_kaldi),
    }
)


def claims(parsed: ParsedJson) -> list[Format]:
    """Return every format that takes the JSON for its own."""
    return [format for format, known in JSON_FORMATS.items() if known.recognises(parsed)]


def read_json(named: Format, parsed: ParsedJson, encoding: str, limits: Limits) -> ReadTranscript:
    """Return the transcript read as the format; IngestError also where nothing in the JSON is of that format."""
    known = JSON_FORMATS[named]
    try:
        return known.read(parsed, encoding, limits)
    except IngestError as error:
        if error.code is not Code.INGEST_NO_UNITS or known.recognises(parsed):
            raise
    raise IngestError("The JSON is not of the format named for it.", code=Code.INGEST_MALFORMED)
