"""One attempt to hand a message over: one POST to a judged address, no redirects, no proxy, little time."""

from __future__ import annotations

import http.client
import socket
import ssl
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass

from campaigns.webhooks.addresses import Refused, Target, parse, resolve
from extraction.codes import Code

CONNECT_S = 5.0
# For everything together: a receiver that trickles its answer byte by byte holds nobody up for longer.
TOTAL_S = 10.0
MOST_READ = 4_096
AGENT = "Notarius-Webhook/1"


@dataclass(frozen=True, slots=True)
class Outcome:
    """How an attempt ended: `code` is None where the receiver took the message, `status` is what it answered."""

    code: Code | None
    status: int | None = None


def send(url: str, body: bytes, headers: Mapping[str, str], *, private: bool) -> Outcome:
    """Post the body and return how it went; raises nothing that a receiver or a network can cause.

    Any answer of 2xx is taken as received. A redirect is not followed: it would lead past the judgement of the address.
    """
    try:
        target = parse(url)
        addresses = resolve(target, private=private)
        status = _post(target, addresses[0], body, headers)
    except Refused as refused:
        return Outcome(refused.code)
    except TimeoutError:
        return Outcome(Code.WEBHOOK_TIMEOUT)
    except ssl.SSLError:
        return Outcome(Code.WEBHOOK_TLS)
    except (OSError, http.client.HTTPException, ValueError):
        return Outcome(Code.WEBHOOK_CONNECTION)
    if 200 <= status < 300:
        return Outcome(None, status)
    return Outcome(Code.WEBHOOK_GONE if status == http.client.GONE else Code.WEBHOOK_STATUS, status)


def _post(target: Target, address: str, body: bytes, headers: Mapping[str, str]) -> int:
    plain = socket.create_connection((address, target.port), CONNECT_S)
    with plain if target.scheme == "http" else _secured(plain, target.host) as line, _deadline(line):
        if isinstance(line, ssl.SSLSocket):
            line.do_handshake()
        return _talk(line, target, body, headers)


def _talk(line: socket.socket, target: Target, body: bytes, headers: Mapping[str, str]) -> int:
    connection = http.client.HTTPConnection(target.host, target.port)
    # A connection that has its socket makes none: the name is not looked up again.
    connection.auto_open = 0
    connection.sock = line
    own = {"Host": target.netloc, "Content-Type": "application/json", "User-Agent": AGENT, "Connection": "close"}
    connection.request("POST", target.path, body, own | dict(headers))
    response = connection.getresponse()
    # Some servers count an answer that nobody reads as an error of theirs; what it says is of no use to us.
    response.read(MOST_READ)
    return response.status


def _secured(plain: socket.socket, host: str) -> ssl.SSLSocket:
    context = ssl.create_default_context()
    return context.wrap_socket(plain, server_hostname=host, do_handshake_on_connect=False)


@contextmanager
def _deadline(line: socket.socket) -> Iterator[None]:
    """Cut the line when the time is over, whatever the other end does; then raise TimeoutError."""
    late = threading.Event()

    def cut() -> None:
        late.set()
        with suppress(OSError):
            # Not the method of a TLS socket, which would first forget its state under the reader's feet.
            socket.socket.shutdown(line, socket.SHUT_RDWR)

    watch = threading.Timer(TOTAL_S, cut)
    watch.daemon = True
    watch.start()
    try:
        yield
    except (OSError, http.client.HTTPException) as error:
        if late.is_set():
            raise TimeoutError from error
        raise
    else:
        # Headers that were cut short still read as an answer.
        if late.is_set():
            raise TimeoutError
    finally:
        watch.cancel()
