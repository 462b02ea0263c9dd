"""Checkpoints of long work, saved to a folder from time to time; a resumed run gives the same bytes as an uninterrupted one."""

from __future__ import annotations

import hashlib
import os
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from threading import Lock

import numpy as np

from divproj.core.errors import ModelError, Where
from divproj.runtime.leftovers import PART, new_part
from divproj.runtime.modelfile import Array, read_arrays, write_arrays

EVERY = 60.0
"""Seconds between two checkpoints; work that takes less writes none."""
IDENTITY, SUM = "identity", "sum"
REMEDY = "give the same ones, or start without `resume`"


class Checkpoint:
    """A folder with a file for each part of the work. Without a folder nothing is saved or loaded.

    A part that goes on changing is offered (`offer`) and written when it is time; one that is finished (`finish`) is held until
    then. `resume` allows to read what an earlier run left; `tell` hears why nothing can be written, which ends no work.
    """

    def __init__(
        self,
        folder: str | Path | None = None,
        *,
        resume: bool = False,
        seconds: float = EVERY,
        tell: Callable[[str], None] = lambda text: None,
    ) -> None:
        self.folder = Path(folder) if folder is not None else None
        self.resume, self.seconds, self.tell = resume, seconds, tell
        self.identity = ""
        self.is_written = True
        """Until a part could not be written."""
        self._begun = time.monotonic()
        self._written: dict[str, float] = {}
        self._finished: dict[str, Mapping[str, Array]] = {}
        self._lock = Lock()

    def identify(self, *facts: object) -> None:
        """What the work depends on, data and settings: a checkpoint of another work is refused."""
        if self.folder is None:
            return
        from divproj import __version__

        digest = hashlib.blake2b(__version__.encode(), digest_size=16)
        for fact in facts:
            data = np.ascontiguousarray(fact).data if isinstance(fact, np.ndarray) else repr(fact).encode("utf-8", "replace")
            digest.update(f"{len(data)} ".encode())
            digest.update(data)
        self.identity = digest.hexdigest()

    @property
    def there(self) -> bool:
        """Whether an earlier run left something."""
        return self.folder is not None and any(self.folder.glob("*.npz"))

    def has(self, name: str) -> bool:
        """Whether a part can be read."""
        path = self._path(name)
        return path is not None and self.resume and path.exists()

    def read(self, name: str, largest: int | None = None) -> dict[str, Array] | None:
        """The arrays of a part, None where there are none; ModelError where they are of another work, or broken."""
        path = self._path(name)
        if path is None or not self.has(name):
            return None
        arrays = read_arrays(path, largest)
        if text_of(arrays.pop(IDENTITY, None)) != self.identity:
            raise ModelError("the checkpoint is of other data or other settings", Where(str(path)), REMEDY)
        if text_of(arrays.pop(SUM, None)) != checksum(arrays):
            raise self.broken(name, "its bytes have changed")
        return arrays

    def broken(self, name: str, why: str) -> ModelError:
        """A checkpoint that cannot be used: compiled code trusts its arrays, so they must be as they were."""
        return ModelError(f"a broken checkpoint: {why}", Where(str(self._path(name))), "start without `resume`")

    def restore(self, name: str, arrays: Mapping[str, Array]) -> bool:
        """Fill these arrays with those of a part; False where there is none."""
        saved = self.read(name, 2 * sum(array.nbytes for array in arrays.values()) + (1 << 20))
        if saved is None:
            return False
        for key, array in arrays.items():
            kept = saved.get(key)
            if kept is None or kept.shape != array.shape or kept.dtype != array.dtype:
                raise self.broken(name, f"array '{key}'")
            array[...] = kept
        return True

    def offer(self, name: str, arrays: Mapping[str, Array]) -> None:
        """Write a part as it is now, if it is time."""
        if self._due(name):
            self._write({**self._finished, name: arrays})

    def finish(self, name: str, arrays: Mapping[str, Array]) -> None:
        """A part that will not change: written when it is time for any."""
        if self.folder is not None and self.is_written:
            self._finished[name] = arrays
            self.offer(name, arrays)

    def remove(self) -> None:
        """Remove the checkpoint of finished work, also where a part of it could not be written."""
        if self.folder is not None and self.folder.is_dir():
            with suppress(OSError):
                for path in (*self.folder.glob("*.npz"), *self.folder.glob(f".*{PART}")):
                    path.unlink(missing_ok=True)
                self.folder.rmdir()

    def _path(self, name: str) -> Path | None:
        return self.folder / f"{name}.npz" if self.folder is not None else None

    def _due(self, name: str) -> bool:
        due = time.monotonic() - self._written.get(name, self._begun) >= self.seconds
        return due and self.folder is not None and self.is_written

    def _write(self, parts: Mapping[str, Mapping[str, Array]]) -> None:
        with self._lock:
            try:
                for name, arrays in parts.items():
                    self._write_part(name, arrays)
            except OSError as error:
                self.tell(f"no checkpoint in {self.folder}: {error.strerror}; the work goes on without")
                self.is_written = False

    def _write_part(self, name: str, arrays: Mapping[str, Array]) -> None:
        """Whole or not at all; what an earlier work left is removed before the first part."""
        if self.folder is None:
            return
        if not self._written and not self.resume:
            self.remove()
        self.folder.mkdir(parents=True, exist_ok=True)
        handle, part = new_part(self.folder / name)
        try:
            write_arrays(part, {**arrays, IDENTITY: np.array(self.identity), SUM: np.array(checksum(arrays))}, packed=False)
            os.fsync(handle)
            part.replace(self.folder / f"{name}.npz")
        except BaseException:
            part.unlink(missing_ok=True)
            raise
        finally:
            os.close(handle)
        self._written[name] = time.monotonic()
        self._finished.pop(name, None)


def checksum(arrays: Mapping[str, Array]) -> str:
    digest = hashlib.blake2b(digest_size=16)
    for name, array in sorted(arrays.items()):
        digest.update(f"{name} {array.dtype} {array.size} ".encode())
        whole = np.ascontiguousarray(array)
        digest.update(whole.data if array.dtype.kind in "biuf" else whole.tobytes())  # texts and dates have no buffer
    return digest.hexdigest()


def text_of(array: Array | None) -> str:
    """The text that was kept as an array; '' where it is none."""
    return str(array.item()) if array is not None and array.size == 1 else ""


NOTHING = Checkpoint()
