"""Where a webhook may not lead, however the address is dressed up."""

from __future__ import annotations

import ipaddress
import socket
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from campaigns.webhooks import sending
from campaigns.webhooks.addresses import Refused, is_public, parse, resolve
from extraction.codes import Code
from tests.campaigns.webhooks.receiver import Receiver

V4 = st.ip_addresses(v=4)


@pytest.mark.parametrize(
    "url",
    [
        "ftp://example.org/",
        "file:///etc/passwd",
        "gopher://example.org/",
        "//example.org/",
        "example.org",
        "http://",
        "http://user:word@example.org/",
        "http://example.org:99999/",
        "http://example.org:0/",
        "http://exa mple.org/",
        "http://example.org/\r\nX-More: 1",
        "http://example.org/\tx",
        "http://bücher.example/",
        "http://[fe80::1%25eth0]/",
        "http://[::1/",
        "http://example.org/" + "a" * 500,
    ],
)
def test_address_that_is_no_address_of_a_program_is_refused(url: str) -> None:
    with pytest.raises(Refused) as refused:
        parse(url)

    assert refused.value.code is Code.WEBHOOK_INVALID


@pytest.mark.parametrize(
    ("url", "netloc", "path"),
    [
        ("https://Example.org", "example.org", "/"),
        ("https://example.org:8443/a?b=c#d", "example.org:8443", "/a?b=c"),
        ("http://[2001:db8::1]:80/x", "[2001:db8::1]", "/x"),
    ],
)
def test_parts_of_an_address(url: str, netloc: str, path: str) -> None:
    target = parse(url)

    assert (target.netloc, target.path) == (netloc, path)


@pytest.mark.parametrize(
    "address",
    [
        "127.0.0.1", "127.255.255.254", "10.1.2.3", "172.16.0.1", "172.31.255.255", "192.168.0.1", "169.254.169.254",
        "100.64.0.1", "0.0.0.1", "0.1.2.3", "224.0.0.1", "239.255.255.250", "240.0.0.1", "255.255.255.255",
        "192.0.2.1", "198.18.0.1", "198.51.100.1", "203.0.113.1",
        "::", "::1", "fe80::1", "fec0::1", "fc00::1", "fd12::1", "ff02::1", "2001:db8::1",
        "::ffff:127.0.0.1", "::ffff:10.0.0.1", "::127.0.0.1", "64:ff9b::7f00:1", "64:ff9b::a9fe:a9fe", "64:ff9b:1::1",
        "2002:7f00:1::", "2002:a00:1::", "2001:0:7f00:1::", "fe80::1%eth0", "not-an-address", "",
    ],
)  # fmt: skip
def test_address_of_a_private_network_is_not_public(address: str) -> None:
    assert not is_public(address)


@pytest.mark.parametrize(
    "address", ["93.184.216.34", "8.8.8.8", "2606:4700::1111", "::ffff:8.8.8.8", "64:ff9b::808:808"]
)
def test_address_of_the_internet_is_public(address: str) -> None:
    assert is_public(address)


@given(V4)
def test_every_dress_of_an_ipv4_address_is_judged_like_the_address(plain: ipaddress.IPv4Address) -> None:
    number = int(plain)
    dressed = [
        ipaddress.IPv6Address((0xFFFF << 32) | number),
        ipaddress.IPv6Address((0x64FF9B << 96) | number),
        ipaddress.IPv6Address((0x2002 << 112) | (number << 80)),
    ]

    assert {is_public(str(each)) for each in dressed} == {is_public(str(plain))}


@pytest.mark.parametrize(
    "host", ["127.1", "2130706433", "0x7f.0.0.1", "0177.0.0.1", "localhost", "[::1]", "[::ffff:7f00:1]"]
)
def test_other_spellings_of_this_machine_are_refused(host: str) -> None:
    with pytest.raises(Refused) as refused:
        resolve(parse(f"http://{host}/"), private=False)

    assert refused.value.code in (Code.WEBHOOK_ADDRESS, Code.WEBHOOK_UNRESOLVED)


def answering(*addresses: str) -> Callable[..., list[tuple[object, ...]]]:
    """Return a name server that gives these addresses, whatever it is asked."""

    def getaddrinfo(host: str, port: int, **kwargs: object) -> list[tuple[object, ...]]:
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (address, port)) for address in addresses]

    return getaddrinfo


def test_one_private_address_among_public_ones_refuses_all(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(socket, "getaddrinfo", answering("93.184.216.34", "10.0.0.5"))

    assert sending.send("http://mixed.example/", b"{}", {}, private=False).code is Code.WEBHOOK_ADDRESS


def test_name_that_changes_its_answer_is_asked_once_and_not_believed_twice(monkeypatch: pytest.MonkeyPatch) -> None:
    """DNS rebinding: the first answer is public, every later one is this machine, where a server listens."""
    asked: list[str] = []
    connected: list[tuple[str, int]] = []

    def getaddrinfo(host: str, port: int, **kwargs: object) -> list[tuple[object, ...]]:
        asked.append(host)
        return answering("93.184.216.34" if len(asked) == 1 else "127.0.0.1")(host, port)

    def create_connection(address: tuple[str, int], *args: object) -> socket.socket:
        connected.append(address)
        raise ConnectionRefusedError

    with Receiver() as receiver:
        port = receiver.url.rpartition(":")[2].partition("/")[0]
        monkeypatch.setattr(socket, "getaddrinfo", getaddrinfo)
        monkeypatch.setattr(socket, "create_connection", create_connection)
        outcome = sending.send(f"http://rebinding.example:{port}/", b"{}", {}, private=False)

    assert (outcome.code, asked) == (Code.WEBHOOK_CONNECTION, ["rebinding.example"])
    assert connected == [("93.184.216.34", int(port))]
    assert receiver.seen == []


def test_name_without_an_address_is_said_to_be_unknown() -> None:
    assert sending.send("http://nowhere.invalid/", b"{}", {}, private=False).code is Code.WEBHOOK_UNRESOLVED
