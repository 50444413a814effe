"""`beyond`: ten times what the site takes, sent to a form and to the API: how soon it is refused, and what it costs."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Iterator
from http.client import HTTPConnection, HTTPException
from urllib.parse import urlsplit

from bench.api import served
from bench.api_seed import SLUG
from bench.load_usage import Usage
from bench.processes import Stopped, measured
from bench.report import Row

TIMES, MOST_MIB, PIECE = 10, 64, b"x" * 2**20
WARM, TRIED = 40, 5
COMMAND = "python -m bench beyond"
DOORS = {
    "a form of the site": (f"/campaigns/{SLUG}/upload/", "multipart/form-data; boundary=b"),
    "an upload by the API": (f"/api/v1/campaigns/{SLUG}/sessions/1/transcripts", "multipart/form-data; boundary=b"),
    "a JSON body of the API": (f"/api/v1/campaigns/{SLUG}/exports", "application/json"),
}


def rows() -> Iterator[Row]:
    with tempfile.TemporaryDirectory() as folder:
        environ = {
            "DJANGO_SETTINGS_MODULE": "notarius_site.settings",
            "NOTARIUS_DATA_DIR": folder,
            "NOTARIUS_UPLOAD_MAX_BYTES": str(MOST_MIB * 2**20),
        }
        measured("bench.api_seed", "1", environ=environ)
        with served(environ) as url:
            host, usage = urlsplit(url).netloc, Usage(folder)
            for path, _ in DOORS.values():
                for _ in range(WARM):
                    _post(host, path, "text/plain", 0)
            for name, (path, media_type) in DOORS.items():
                before = usage.resident("web")
                tries = [_post(host, path, media_type, TIMES * MOST_MIB) for _ in range(TRIED)]
                figures = {
                    "slowest_s": max(seconds for seconds, _ in tries),
                    "read_mib": max(sent for _, sent in tries),
                    "grown_mib": usage.resident("web") - before,
                }
                yield Row("beyond", f"{TIMES * MOST_MIB} MiB to {name}", COMMAND, figures)


def _post(host: str, path: str, media_type: str, mib: int) -> tuple[float, int]:
    """Return the seconds until the answer, and how many MiB were taken before; Stopped where it is not refused."""
    connection = HTTPConnection(host, timeout=60)
    began, sent = time.perf_counter(), 0
    try:
        connection.putrequest("POST", path)
        connection.putheader("Content-Type", media_type)
        connection.putheader("Content-Length", str(mib * len(PIECE)))
        connection.endheaders()
        try:
            while sent < mib:
                connection.send(PIECE)
                sent += 1
        except OSError:
            pass  # the server has stopped listening: it has answered
        status = connection.getresponse().status
    except (OSError, HTTPException):
        raise Stopped(f"{path} gave no answer") from None
    finally:
        connection.close()
    if mib and status != 413:
        raise Stopped(f"{path} answered {status}")
    return time.perf_counter() - began, sent
