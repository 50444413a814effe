"""Ask one address again and again over kept connections: `python -m bench.api_load URL SECONDS CONNECTIONS HEADER…`."""

from __future__ import annotations

import socket
import sys
import time
from threading import Thread
from urllib.parse import urlsplit

from bench.processes import print_result


def ask(connection: socket.socket, request: bytes) -> tuple[int, int]:
    """Send the request, read the whole answer, and return its status and the length of its body."""
    connection.sendall(request)
    buffer = b""
    while b"\r\n\r\n" not in buffer:
        piece = connection.recv(65_536)
        if not piece:
            raise ConnectionError("the server closed the connection")
        buffer += piece
    head, _, body = buffer.partition(b"\r\n\r\n")
    lines = head.split(b"\r\n")
    lengths = [int(line.partition(b":")[2]) for line in lines if line.lower().startswith(b"content-length:")]
    left = (lengths[0] if lengths else 0) - len(body)
    while left > 0:
        left -= len(connection.recv(min(left, 262_144)))
    return int(lines[0].split()[1]), lengths[0] if lengths else 0


def load(url: str, seconds: float, connections: int, headers: list[str]) -> dict[str, object]:
    """Return how many answers came in a second, how long they took, and which statuses they had."""
    parts = urlsplit(url)
    target = f"{parts.path}?{parts.query}" if parts.query else parts.path
    lines = [f"GET {target} HTTP/1.1", f"Host: {parts.netloc}", "Accept: */*", *headers]
    request = ("\r\n".join(lines) + "\r\n\r\n").encode()
    took: list[float] = []
    seen: set[tuple[int, int]] = set()

    def work(until: float) -> None:
        with socket.create_connection((parts.hostname or "", parts.port or 80)) as connection:
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            while (began := time.perf_counter()) < until:
                seen.add(ask(connection, request))
                took.append(time.perf_counter() - began)

    started = time.perf_counter()
    threads = [Thread(target=work, args=(started + seconds,)) for _ in range(connections)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    wall = time.perf_counter() - started
    return {
        "took_ms": [each * 1000 for each in took],
        "wall_s": wall,
        "statuses": sorted({status for status, _ in seen}),
        "bytes": max(length for _, length in seen),
    }


if __name__ == "__main__":
    print_result(load(sys.argv[1], float(sys.argv[2]), int(sys.argv[3]), sys.argv[4:]))
