"""The zip of a JSON export as the folder that was packed.

What the zip claims is checked before anything is unpacked, and the sizes again while it is. Only files that a backup
has are unpacked, under the names that a backup gives them; whoever opens the folder checks what is in them.
"""

from __future__ import annotations

import lzma
import struct
import tempfile
import zipfile
import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from campaigns.exports.folder import Refused
from campaigns.exports.layout import BACKUP_PATHS, MANIFEST, MOST_BYTES, MOST_FILE_BYTES, MOST_FILES

MOST_RATIO = 200
SMALL = 64 * 1024
"""Files up to this size may be packed as well as they can; no bomb is made of them."""
CHUNK = 64 * 1024
DAMAGES = (
    zipfile.BadZipFile,
    zlib.error,
    lzma.LZMAError,
    EOFError,
    RuntimeError,
    ValueError,
    OverflowError,
    struct.error,
)


@contextmanager
def unpacked(archive: Path) -> Iterator[Path]:
    """Give a folder with the backup of the zip, which is gone afterwards.

    Raises Refused for what is no zip of one backup, for one larger than any, and where the disk refuses.
    """
    with tempfile.TemporaryDirectory(prefix="notarius-") as folder:
        try:
            _unpack(archive, Path(folder))
        except DAMAGES as error:
            raise Refused("The file is no zip, or is damaged.") from error
        except OSError as error:
            raise Refused("The zip could not be unpacked: it cannot be read, or the disk is full.") from error
        yield Path(folder)


def _unpack(archive: Path, folder: Path) -> None:
    with zipfile.ZipFile(archive) as packed:
        root = _root(packed.namelist())
        # Other files, such as those that systems add when they pack a folder anew, stay where they are.
        wanted = [info for info in packed.infolist() if _is_ours(info.filename, root)]
        _refuse_sizes(wanted, archive.stat().st_size)
        for info in wanted:
            target = folder / info.filename.removeprefix(root)
            target.parent.mkdir(parents=True, exist_ok=True)
            with packed.open(info) as source, target.open("wb") as out:
                while chunk := source.read(CHUNK):
                    out.write(chunk)
                    if out.tell() > info.file_size:
                        raise _too_large()


def _root(names: Sequence[str]) -> str:
    """Return what stands before the paths of the backup: the folder that was packed, or nothing."""
    found = [name.removesuffix(MANIFEST) for name in names if name.rpartition("/")[2] == MANIFEST]
    if len(found) != 1:
        raise Refused(f"The zip is no JSON export: it has not one {MANIFEST}.")
    return found[0]


def _is_ours(name: str, root: str) -> bool:
    path = name.removeprefix(root)
    return name.startswith(root) and (path == MANIFEST or BACKUP_PATHS.fullmatch(path) is not None)


def _refuse_sizes(infos: Sequence[zipfile.ZipInfo], packed_bytes: int) -> None:
    if len(infos) > MOST_FILES or sum(info.file_size for info in infos) > MOST_BYTES:
        raise _too_large()
    if any(info.file_size > min(MOST_FILE_BYTES, max(SMALL, info.compress_size * MOST_RATIO)) for info in infos):
        raise _too_large()
    if sum(info.compress_size for info in infos) > packed_bytes:
        raise Refused("The zip has less in it than it says: it is damaged.")


def _too_large() -> Refused:
    return Refused("The zip unpacks to more than any backup that Notarius makes.")
