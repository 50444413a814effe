"""One attempt over a real connection: what arrives, and every way in which a receiver can be bad."""

from __future__ import annotations

import base64
import hashlib
import hmac
import socket
import ssl
import threading

import pytest

from campaigns.webhooks import sending, signing
from extraction.codes import Code
from tests.campaigns.webhooks.receiver import Receiver


def test_message_arrives_byte_for_byte_under_the_name_of_the_host() -> None:
    with Receiver() as receiver:
        outcome = sending.send(receiver.url, b'{"a":1}', {"webhook-id": "msg_1"}, private=True)

    (message,) = receiver.seen
    assert (outcome.code, outcome.status) == (None, 200)
    assert (message.path, message.body) == ("/hook?from=notarius", b'{"a":1}')
    assert message.headers["webhook-id"] == "msg_1"
    assert message.headers["Content-Type"] == "application/json"
    assert message.headers["Host"] in receiver.url


def test_private_address_is_refused_unless_the_settings_allow_it() -> None:
    with Receiver() as receiver:
        outcome = sending.send(receiver.url, b"{}", {}, private=False)

    assert outcome.code is Code.WEBHOOK_ADDRESS
    assert receiver.seen == []


def test_signature_is_what_the_convention_says() -> None:
    secret = signing.secret("salt")
    body = b'{"type":"ping"}'

    sent = signing.headers(salt="salt", event_id="msg_1", timestamp=1_700_000_000, body=body)

    key = base64.b64decode(secret.removeprefix("whsec_"))
    signed = hmac.new(key, b"msg_1.1700000000." + body, hashlib.sha256).digest()
    assert sent == {
        "webhook-id": "msg_1",
        "webhook-timestamp": "1700000000",
        "webhook-signature": "v1," + base64.b64encode(signed).decode(),
    }
    assert signing.secret("other") != secret


@pytest.mark.parametrize(
    ("status", "code"),
    [(204, None), (299, None), (400, Code.WEBHOOK_STATUS), (410, Code.WEBHOOK_GONE), (500, Code.WEBHOOK_STATUS)],
)
def test_answers_and_what_they_mean(status: int, code: Code | None) -> None:
    with Receiver([status]) as receiver:
        outcome = sending.send(receiver.url, b"{}", {}, private=True)

    assert (outcome.code, outcome.status) == (code, status)


def test_redirect_is_not_followed() -> None:
    with Receiver() as target, Receiver([307], {"Location": target.url}) as receiver:
        outcome = sending.send(receiver.url, b"{}", {}, private=True)

    assert (outcome.code, outcome.status) == (Code.WEBHOOK_STATUS, 307)
    assert target.seen == []


def test_large_answer_is_not_read_to_its_end() -> None:
    with Receiver(body=b"x" * 20_000_000) as receiver:
        outcome = sending.send(receiver.url, b"{}", {}, private=True)

    assert outcome.code is None


@pytest.mark.parametrize("bad", [{"hang": True}, {"trickle": True}], ids=["silent", "byte-by-byte"])
def test_slow_receiver_is_cut_off(monkeypatch: pytest.MonkeyPatch, bad: dict[str, bool]) -> None:
    """The whole attempt has one deadline: a byte now and then does not prolong it."""
    monkeypatch.setattr(sending, "TOTAL_S", 0.3)

    with Receiver(**bad) as receiver:  # type: ignore[arg-type]
        outcome = sending.send(receiver.url, b"{}", {}, private=True)

    assert outcome.code is Code.WEBHOOK_TIMEOUT
    assert len(receiver.seen) == 1


def test_nobody_there() -> None:
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        port = closed.getsockname()[1]

    assert sending.send(f"http://127.0.0.1:{port}/", b"{}", {}, private=True).code is Code.WEBHOOK_CONNECTION


def test_something_that_speaks_no_http() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        thread = threading.Thread(target=_babble, args=(server,))
        thread.start()
        outcome = sending.send(f"http://127.0.0.1:{server.getsockname()[1]}/", b"{}", {}, private=True)
        thread.join(timeout=30)

    assert outcome.code is Code.WEBHOOK_CONNECTION


def test_plain_server_behind_https_is_a_fault_of_tls() -> None:
    with Receiver() as receiver:
        outcome = sending.send(receiver.url.replace("http:", "https:"), b"{}", {}, private=True)

    assert outcome.code is Code.WEBHOOK_TLS
    assert receiver.seen == []


def test_tls_asks_for_the_name_and_not_for_the_address(monkeypatch: pytest.MonkeyPatch) -> None:
    """The connection goes to an address; the certificate must still be for the host that the webhook names."""
    names: list[str] = []
    real = ssl.SSLContext.wrap_socket

    def wrap_socket(self: ssl.SSLContext, sock: socket.socket, **kwargs: object) -> ssl.SSLSocket:
        names.append(str(kwargs["server_hostname"]))
        assert (self.check_hostname, self.verify_mode) == (True, ssl.CERT_REQUIRED)
        return real(self, sock, **kwargs)  # type: ignore[arg-type]

    monkeypatch.setattr(ssl.SSLContext, "wrap_socket", wrap_socket)
    with Receiver() as receiver:
        sending.send(receiver.url.replace("http://127.0.0.1", "https://localhost"), b"{}", {}, private=True)

    assert names == ["localhost"]


def _babble(server: socket.socket) -> None:
    line, _ = server.accept()
    with line:
        line.recv(4_096)
        line.sendall(b"good evening\r\n\r\n")
