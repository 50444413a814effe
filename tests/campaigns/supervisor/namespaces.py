"""Machines within the machine: network, process and host names of their own, where root runs the tests."""

from __future__ import annotations

import os
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

MADE_OF = ("ip", "unshare")
PREFIX = "notarius"


@dataclass(frozen=True, slots=True)
class Host:
    """`prefix` runs a command on the host; `outside` is the address at which it reaches us."""

    number: int

    @property
    def name(self) -> str:
        return f"{PREFIX}-{os.getpid()}-{self.number}"

    @property
    def outside(self) -> str:
        return f"10.213.{self.number}.1"

    @property
    def prefix(self) -> tuple[str, ...]:
        apart = ("unshare", "--pid", "--fork", "--kill-child", "--mount-proc", "--uts")
        return ("ip", "netns", "exec", self.name, *apart)

    def make(self) -> None:
        link = f"nt{os.getpid() % 100_000}-{self.number}"
        _ip("netns", "add", self.name)
        _ip("link", "add", link, "type", "veth", "peer", "name", "eth0", "netns", self.name)
        _ip("addr", "add", f"{self.outside}/24", "dev", link)
        _ip("link", "set", link, "up")
        for words in (("addr", "add", f"10.213.{self.number}.2/24", "dev", "eth0"), ("link", "set", "eth0", "up")):
            _ip("-n", self.name, *words)

    def remove(self) -> None:
        """Remove the namespace, and the link with it. Its processes must have ended."""
        _ip("netns", "del", self.name)


def remove_earlier() -> None:
    """Remove the hosts of test runs that were killed; their processes ended with them."""
    for place in Path("/run/netns").glob(f"{PREFIX}-*-*"):
        owner = place.name.split("-")[1]
        if owner.isdecimal() and not Path(f"/proc/{owner}").exists():
            _ip("netns", "del", place.name)


def can_be_made() -> bool:
    """Return whether hosts can be made here: by root, with the programs for it, where the kernel allows it."""
    if os.geteuid() != 0 or not all(map(shutil.which, MADE_OF)):
        return False
    trial = subprocess.run(
        ["unshare", "--net", "--pid", "--fork", "--mount-proc", "true"], capture_output=True, check=False
    )
    return trial.returncode == 0


def _ip(*words: str) -> None:
    subprocess.run(["ip", *words], check=True, capture_output=True)
