"""Machine code of kernels on the disk, which is never stale and never trusted when it is damaged.

numba keeps an index (`.nbi`) and data (`.nbc`) for each function and compares the index with time and size of the function's own
file. The machine code has the functions inside that it calls, so two things are added here:

    stamp      a digest of the kernel and of all kernels below it, in whichever file (`jit.Kernel.sources`): other code, other stamp
    checksum   of stamp and content at the end of each of the two: what is empty, cut, changed or of another stamp is compiled anew

Imports numba, so it is imported when a kernel is compiled.
"""

from __future__ import annotations

import hashlib
import io
import types
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from numba.core.caching import FunctionCache, IndexDataCacheFile

SIZE = 32
"""Bytes of a checksum."""


class KernelCache(FunctionCache):  # type: ignore[misc]
    """The cache of one kernel. What cannot be read is not there; what cannot be written (no room) is left out."""

    def __init__(self, function: types.FunctionType, stamp: str) -> None:
        super().__init__(function)
        self._cache_file = CheckedFile(self._cache_path, self._impl.filename_base, stamp)

    @property
    def exists(self) -> bool:
        """Whether there is an index; its content is not looked at."""
        return Path(self._cache_file._index_path).exists()

    def _load_overload(self, sig: Any, target_context: Any) -> Any:
        try:
            return super()._load_overload(sig, target_context)
        except Exception:  # pickle and LLVM have many errors for what another machine or version has written
            return None

    def _save_overload(self, sig: Any, data: Any) -> None:
        with suppress(OSError):
            super()._save_overload(sig, data)


class CheckedFile(IndexDataCacheFile):  # type: ignore[misc]
    """Index and data of a kernel, each with a checksum at its end, which numba does not read."""

    def _checksum(self, content: bytes) -> bytes:
        return hashlib.blake2b(content, digest_size=SIZE, key=self._source_stamp.encode()).digest()

    def _is_intact(self, path: str) -> bool:
        """Whether a file is there and as it was written, for this stamp."""
        try:
            data = Path(path).read_bytes()
        except OSError:
            return False
        return data[-SIZE:] == self._checksum(data[:-SIZE])

    @contextmanager
    def _open_for_write(self, filepath: str) -> Iterator[io.BytesIO]:
        with super()._open_for_write(filepath) as out:
            content = io.BytesIO()
            yield content
            out.write(content.getvalue() + self._checksum(content.getvalue()))

    def _load_index(self) -> dict[Any, str]:
        return super()._load_index() if self._is_intact(self._index_path) else {}

    def _load_data(self, name: str) -> Any:
        return super()._load_data(name) if self._is_intact(self._data_path(name)) else None
