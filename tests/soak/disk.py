"""A small disk of memory, to be filled up."""

from __future__ import annotations

import errno
import os
import subprocess
from pathlib import Path


class SmallDisk:
    """A tmpfs mounted at `folder`; only root can do that."""

    def __init__(self, folder: Path, megabytes: int) -> None:
        self.folder, self._filler = folder, folder / "filler"
        folder.mkdir()
        subprocess.run(
            ["mount", "-t", "tmpfs", "-o", f"size={megabytes}m,mode=0755", "soak", str(folder)],
            check=True,
            capture_output=True,
        )

    @staticmethod
    def available() -> bool:
        if os.geteuid() != 0:
            return False
        command = ["unshare", "-m", "mount", "-t", "tmpfs", "soak", "/mnt"]
        trial = subprocess.run(command, capture_output=True, check=False)
        return trial.returncode == 0

    def fill(self) -> None:
        """Leave no byte free."""
        piece = bytes(4096)
        with self._filler.open("wb", buffering=0) as file:
            try:
                while True:
                    file.write(piece)
            except OSError as error:
                if error.errno != errno.ENOSPC:
                    raise

    def clear(self) -> None:
        self._filler.unlink(missing_ok=True)

    def end(self) -> None:
        subprocess.run(["umount", "-l", str(self.folder)], check=True, capture_output=True)
