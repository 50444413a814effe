"""Where a webhook may lead: public addresses only, unless the settings allow others.

A name is resolved once for each attempt and every address of it is judged; the connection then goes to a judged
address and not to the name, so that a second answer of the name server changes nothing.
"""

from __future__ import annotations

import ipaddress
import socket
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TypeAlias
from urllib.parse import urlsplit

from extraction.codes import Code

Address: TypeAlias = "ipaddress.IPv4Address | ipaddress.IPv6Address"
PORTS = {"http": 80, "https": 443}
URL_LIMIT = 500
# What of IPv6 is the public internet at all; the library's `is_global` lets some local kinds pass.
GLOBAL_UNICAST = ipaddress.IPv6Network("2000::/3")
# Addresses that stand for an IPv4 address which a gateway would go on to: well-known NAT64 and IPv4-compatible.
EMBEDDING = (ipaddress.IPv6Network("64:ff9b::/96"), ipaddress.IPv6Network("::/96"))


class Refused(Exception):
    """The address is not one to send to; `code` says why, and nothing of it was asked."""

    def __init__(self, code: Code) -> None:
        super().__init__(code.value)
        self.code = code


@dataclass(frozen=True, slots=True)
class Target:
    """The parts of a webhook's address that sending needs."""

    scheme: str
    host: str
    port: int
    path: str

    @property
    def netloc(self) -> str:
        """Return host and port as the Host header says them."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return host if self.port == PORTS[self.scheme] else f"{host}:{self.port}"


def parse(url: str) -> Target:
    """Return the address's parts. Raises Refused for anything but http(s) with a host and without a password in it."""
    if len(url) > URL_LIMIT or not url.isascii() or any(mark.isspace() or not mark.isprintable() for mark in url):
        raise Refused(Code.WEBHOOK_INVALID)
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError as error:
        raise Refused(Code.WEBHOOK_INVALID) from error
    host = parts.hostname or ""
    if parts.scheme not in PORTS or not host or "@" in parts.netloc or "%" in host or port == 0:
        raise Refused(Code.WEBHOOK_INVALID)
    path = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    return Target(parts.scheme, host, port or PORTS[parts.scheme], path)


def resolve(target: Target, *, private: bool) -> Sequence[str]:
    """Return the host's addresses, all of them judged. Raises Refused where there is none, or one is not public.

    One bad address among good ones refuses all: a name that leads into a private network means no good.
    """
    try:
        found = socket.getaddrinfo(target.host, target.port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError) as error:
        raise Refused(Code.WEBHOOK_UNRESOLVED) from error
    addresses = list(dict.fromkeys(str(entry[4][0]) for entry in found))
    if not addresses:
        raise Refused(Code.WEBHOOK_UNRESOLVED)
    if not private and not all(map(is_public, addresses)):
        raise Refused(Code.WEBHOOK_ADDRESS)
    return addresses


def is_public(address: str) -> bool:
    """Say whether the address, and each IPv4 address that it stands for, is one of the public internet."""
    try:
        outer = ipaddress.ip_address(address)
    except ValueError:
        return False
    return all(map(_is_public, _meant(outer)))


def _is_public(address: Address) -> bool:
    if isinstance(address, ipaddress.IPv6Address) and address not in GLOBAL_UNICAST:
        return False
    return address.is_global and not address.is_multicast and not address.is_reserved


def _meant(address: Address) -> Iterator[Address]:
    """Return the address itself, or the IPv4 addresses that it leads to."""
    if isinstance(address, ipaddress.IPv4Address):
        yield address
    elif address.ipv4_mapped is not None:
        yield address.ipv4_mapped
    elif address.sixtofour is not None:
        yield address.sixtofour
    elif address.teredo is not None:
        yield from address.teredo
    elif any(address in network for network in EMBEDDING):
        yield ipaddress.IPv4Address(int(address) & 0xFFFFFFFF)
    else:
        yield address
