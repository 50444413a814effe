"""A PostgreSQL cluster of one's own, to be killed at will: never the machine's."""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
from contextlib import suppress
from pathlib import Path

DEBIAN = Path("/usr/lib/postgresql")
# PostgreSQL refuses to run as root; this user exists everywhere.
NOBODY = 65_534
OPTIONS = "-c max_wal_size=8MB -c min_wal_size=2MB -c shared_buffers=16MB -c max_connections=60"


def binaries() -> Path | None:
    """Return the folder of PostgreSQL's programs, the newest of Debian's or what the path has; None without any."""
    newest = sorted(DEBIAN.glob("*/bin/initdb"), key=lambda file: int(file.parts[-3]))
    if newest:
        return newest[-1].parent
    found = shutil.which("initdb")
    return Path(found).resolve().parent if found else None


class Postgres:
    """A cluster in `folder`, reached by a socket there and on a port of loopback."""

    def __init__(self, folder: Path) -> None:
        programs = binaries()
        assert programs is not None, "no PostgreSQL on this machine"
        self.programs, self.folder, self.data = programs, folder, folder / "cluster"
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.port = int(probe.getsockname()[1])
        if os.geteuid() == 0:
            os.chown(folder, NOBODY, NOBODY)
        self._call("initdb", "-D", self.data, "-U", "postgres", "-A", "trust", "-N", "--wal-segsize=1")
        self.start()

    def url(self, name: str = "postgres") -> str:
        """Return the address of a database over loopback."""
        return f"postgres://postgres@127.0.0.1:{self.port}/{name}"

    def socket_url(self, name: str) -> str:
        """Return the address of a database over the socket, which other network namespaces reach as well."""
        return f"postgres://postgres@/{name}?host={self.folder}&port={self.port}"

    def start(self) -> None:
        server = f"-p {self.port} -k {self.folder} -c listen_addresses=127.0.0.1 {OPTIONS}"
        self._call("pg_ctl", "-D", self.data, "-o", server, "-l", self.folder / "postgres.log", "-w", "-t", 60, "start")

    def crash(self) -> None:
        """End every process of it without a checkpoint: the next start recovers from the log."""
        self._call("pg_ctl", "-D", self.data, "-m", "immediate", "-w", "-t", 60, "stop")

    def running(self) -> bool:
        return self._run("pg_ctl", "-D", self.data, "status").returncode == 0

    def end(self) -> None:
        """End it for good: nobody will start it again."""
        with suppress(OSError, ValueError, IndexError):
            os.kill(int((self.data / "postmaster.pid").read_text(encoding="ascii").split()[0]), signal.SIGKILL)

    def _call(self, program: str, *arguments: object) -> None:
        done = self._run(program, *arguments)
        assert done.returncode == 0, f"{program}: {done.stdout} {done.stderr}"

    def _run(self, program: str, *arguments: object) -> subprocess.CompletedProcess[str]:
        as_user = {"user": NOBODY, "group": NOBODY, "extra_groups": []} if os.geteuid() == 0 else {}
        # To a file: the server would inherit a pipe and hold it open.
        with (self.folder / f"{program}.out").open("w+", encoding="utf-8") as output:
            done = subprocess.run(
                [str(self.programs / program), *map(str, arguments)],
                cwd=self.folder,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                text=True,
                check=False,
                **as_user,  # type: ignore[call-overload]  # three options of a known kind
            )
            output.seek(0)
            return subprocess.CompletedProcess(done.args, done.returncode, output.read(), "")
