"""Models on disk: a folder with `model.json` (facts) and `weights.npz` (arrays), without pickle.

`save` writes both files or neither. `load` checks kind, version and that the two files belong together; `ModelFolder.array`
and `ModelFolder.fact` check the type and shape of what they return, as files may be damaged or come from anywhere.

`Estimator` has parameters by name, as scikit-learn's `clone`, grid searches and pipelines expect them.
"""

from __future__ import annotations

import ctypes
import hashlib
import inspect
import json
import os
import shutil
import stat
import zipfile
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from fnmatch import fnmatch
from pathlib import Path
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from divproj.core.errors import ModelError, Where, why
from divproj.runtime.leftovers import PART, new_folder, part_prefix

Array = NDArray[Any]
NOWHERE = Where()
META, ARRAYS = "model.json", "weights.npz"
BOUND = "arrays"
"""In `model.json`: the fingerprint of the arrays that belong to it. Models from before have none."""
MIXED = "saving was interrupted, or a file was put there by hand: train the model again"
LARGEST = 1 << 31
"""Bytes that the arrays of a model may take in memory: a small file must not unpack to fill the machine."""


@dataclass(frozen=True)
class ModelFolder:
    """A model as loaded: its kind, facts and arrays."""

    kind: str
    about: dict[str, Any]
    arrays: dict[str, Array] = field(default_factory=dict)
    where: Where = NOWHERE

    def array(self, name: str, kinds: str, *shape: int | None) -> Array:
        """An array by name, of a dtype kind in `kinds`, with this shape (None: any length), all of it finite."""
        stored = self.arrays.get(name)
        if stored is None:
            raise ModelError(f"{ARRAYS} has no array '{name}'", self.where, REMEDY)
        if stored.dtype.kind not in kinds:
            raise ModelError(f"array '{name}' is of type {stored.dtype}", self.where, REMEDY)
        if len(stored.shape) != len(shape) or any(w is not None and w != n for n, w in zip(stored.shape, shape, strict=True)):
            expected = " × ".join("any" if n is None else str(n) for n in shape)
            raise ModelError(f"array '{name}' has shape {stored.shape}, {expected} expected", self.where, REMEDY)
        if stored.dtype.kind == "f" and not np.isfinite(stored).all():
            raise ModelError(f"array '{name}' has numbers that are not finite", self.where, REMEDY)
        return stored

    def fact(self, name: str, kind: type | tuple[type, ...]) -> Any:
        """A value of `model.json`, of this type."""
        value = self.about.get(name)
        if not isinstance(value, kind) or (isinstance(value, bool) and kind is int):
            names = kind.__name__ if isinstance(kind, type) else " or ".join(k.__name__ for k in kind)
            raise ModelError(f"'{name}' is {value!r:.60}, {names} expected", Where(f"{self.where.path}/{META}"), REMEDY)
        return value


REMEDY = "the model is damaged or was made by another version: train it again"


def save(
    folder: str | Path,
    kind: str,
    version: int,
    about: Mapping[str, Any],
    arrays: Mapping[str, Array],
    beside: Sequence[str] = (),
    texts: Mapping[str, Iterable[str]] | None = None,
) -> None:
    """Write both files, and `texts` by name, whole or not at all: into a new folder, which takes the place of the old one in one step.

    The folder may hold files with names like those `beside` too (shell patterns), which stay. A folder that was not there is not there
    where the model cannot be written.
    """
    folder = check_place(folder, beside)
    new = not folder.exists()
    try:
        folder.mkdir(parents=True, exist_ok=True)
        target = folder.resolve()  # a link stays one
        with new_folder(target.parent, part_prefix(target.name)) as part:
            write_arrays(part / ARRAYS, arrays)
            with zipfile.ZipFile(part / ARRAYS) as archive:
                facts = {"format": kind, "version": version, **about, BOUND: fingerprint(archive)}
            text = json.dumps(facts, ensure_ascii=False, indent=1, sort_keys=True) + "\n"
            for name, lines in (texts or {}).items():
                with (part / name).open("w", encoding="utf-8", errors="backslashreplace", newline="\n") as out:
                    out.writelines(lines)
            (part / META).write_text(text, encoding="utf-8", errors="backslashreplace")
            with _held(target, alone=True):
                _swap(part, target)
    except OSError as error:
        if new:
            with suppress(OSError):
                folder.rmdir()  # if nothing else came into it
        raise ModelError(f"could not be written: {error.strerror}", Where(str(folder))) from None


def _swap(part: Path, folder: Path) -> None:
    """Put a new model in the place of an old one, whose other files stay; the old model is then in `part`."""
    written = sorted((path.name for path in part.iterdir()), key=META.__eq__)
    for path in _others(folder):
        if path.name not in written:
            _copy(path, part / path.name)
    part.chmod(stat.S_IMODE(folder.stat().st_mode))
    if _exchange(part, folder):
        for path in _others(part):  # written by somebody else in the meantime
            if not (folder / path.name).exists():
                path.replace(folder / path.name)
        return
    for file in written:  # one by one: cut off in between, neither model is there, and loading says so
        (part / file).replace(folder / file)


def _others(folder: Path) -> list[Path]:
    return [path for path in folder.iterdir() if path.name not in (META, ARRAYS) and path.is_file()]


def _copy(path: Path, target: Path) -> None:
    try:
        os.link(path, target)
    except OSError:  # a file system without links
        shutil.copy2(path, target)


def _exchange(one: Path, other: Path) -> bool:
    """Let two folders trade their names in one step; False where the system cannot."""
    libc: Any = ctypes.CDLL(None) if os.name == "posix" else None
    names = os.fsencode(one), os.fsencode(other)
    if libc is not None and hasattr(libc, "renameat2"):  # Linux: AT_FDCWD twice, RENAME_EXCHANGE
        return bool(libc.renameat2(-100, names[0], -100, names[1], 2) == 0)
    if libc is not None and hasattr(libc, "renamex_np"):  # macOS: RENAME_SWAP
        return bool(libc.renamex_np(*names, 2) == 0)
    return False


def check_place(folder: str | Path, beside: Sequence[str] = ()) -> Path:
    """A folder that a model can be written to: ask before long work."""
    folder = Path(folder)
    if folder.exists() and not folder.is_dir():
        raise ModelError("is a file, a folder expected", Where(str(folder)), "models are folders: choose another name")
    names = sorted(p.name for p in folder.iterdir()) if folder.is_dir() else []
    others = [n for n in names if not any(fnmatch(n, known) for known in (META, ARRAYS, "README.md", f".*{PART}", *beside))]
    if others:
        raise ModelError(f"the folder holds other things ({others[0]})", Where(str(folder)), "give a new folder for the model")
    return folder


def write_arrays(path: Path, arrays: Mapping[str, Array], packed: bool = True) -> None:
    """An npz whose bytes depend on the arrays alone, not on the clock."""
    way = zipfile.ZIP_DEFLATED if packed else zipfile.ZIP_STORED
    with zipfile.ZipFile(path, "w", way) as archive:
        for name, array in sorted(arrays.items()):
            entry = zipfile.ZipInfo(f"{name}.npy", (1980, 1, 1, 0, 0, 0))
            entry.compress_type = way
            with archive.open(entry, "w", force_zip64=True) as out:
                np.lib.format.write_array(out, np.ascontiguousarray(array), allow_pickle=False)


def load(folder: str | Path, kind: str, version: int, *others: int) -> ModelFolder:
    """The model in a folder, of one of these versions; ModelError says what is missing, wrong, or of another version."""
    folder = Path(folder)
    where = Where(str(folder))
    if not folder.is_dir():
        raise ModelError("is not there" if not folder.exists() else "is a file", where, "a model is a folder: give its name")
    with _held(folder):
        return _load(folder, kind, (version, *others), where)


def _load(folder: Path, kind: str, versions: tuple[int, ...], where: Where) -> ModelFolder:
    with _reading(folder / META):
        about: Any = json.loads((folder / META).read_text(encoding="utf-8"))
    if not isinstance(about, dict) or about.get("format") != kind:
        actual = about.get("format") if isinstance(about, dict) else about
        raise ModelError(f"format is {actual!r:.60}, '{kind}' expected", Where(str(folder / META)))
    if about.get("version") not in versions:
        message = f"version is {about.get('version')!r:.20}, {' or '.join(map(str, versions))} expected"
        raise ModelError(message, Where(str(folder / META)), "train it again with this version of divproj")
    return ModelFolder(kind, about, read_arrays(folder / ARRAYS, bound=about.pop(BOUND, None)), where)


def fingerprint(archive: zipfile.ZipFile) -> str:
    """A text that differs for other arrays; in `model.json` it binds the two files of a model to each other.

    From the archive's own checksums, which are compared with the bytes as these are read.
    """
    facts = sorted((entry.filename, entry.CRC, entry.file_size) for entry in archive.infolist())
    return hashlib.blake2b(repr(facts).encode(), digest_size=16).hexdigest()


@contextmanager
def _held(folder: Path, alone: bool = False) -> Iterator[None]:
    """Keep the two files of a model together while others write one, or (`alone`) read one, in the same folder."""
    try:
        import fcntl
    except ImportError:  # Windows: a file that is open is not replaced there
        yield
        return
    while True:
        try:
            handle = os.open(folder, os.O_RDONLY)
        except OSError as error:
            raise ModelError(f"cannot be opened: {error.strerror}", Where(str(folder))) from None
        try:
            with suppress(OSError):  # file systems without locks
                fcntl.flock(handle, fcntl.LOCK_EX if alone else fcntl.LOCK_SH)
            if _is_at(handle, folder):
                yield
                return
        finally:
            os.close(handle)


def _is_at(handle: int, folder: Path) -> bool:
    """Whether an open folder still has its name: another model may have taken its place while we waited for the lock."""
    try:
        return os.path.samestat(os.fstat(handle), folder.stat())
    except OSError:  # nothing is there: to be said when it is read
        return True


def read_arrays(
    path: Path, largest: int | None = None, only: Collection[str] | None = None, *, bound: object = None
) -> dict[str, Array]:
    """The arrays of an `.npz` file, all or those named, each in C order, as compiled code wants them.

    ModelError where it is damaged, holds objects, unpacks to more than `largest` or is not the one that is `bound`.
    """
    largest = LARGEST if largest is None else largest
    arrays = {}
    with _reading(path), zipfile.ZipFile(path) as archive:
        if sum(entry.file_size for entry in archive.infolist()) > largest:
            raise ModelError(f"unpacks to more than {_size(largest)}", Where(str(path)), REMEDY)
        for entry in archive.infolist():
            name = entry.filename.removesuffix(".npy")
            if only is not None and name not in only:
                continue
            with archive.open(entry) as stream:
                arrays[name] = _in_order(np.lib.format.read_array(stream, allow_pickle=False))
        if bound is not None and bound != fingerprint(archive):
            raise ModelError(f"is not of the same model as {META}", Where(str(path)), MIXED)
    return arrays


def _in_order(array: Array) -> Array:
    return array if array.flags.c_contiguous else np.ascontiguousarray(array)


def _size(size: int) -> str:
    return f"{size >> 30} GB" if size >> 30 else f"{size >> 20} MB"


def like_defaults(params: Any, defaults: Mapping[str, Any], where: Where) -> dict[str, Any]:
    """Parameters from a file: those known, each of the type of its default, numbers finite and none of them immense."""
    folder = ModelFolder("", params if isinstance(params, dict) else {"": params}, where=where)
    if unknown := sorted(set(folder.about) - set(defaults)):
        raise ModelError(f"no parameter {unknown[0]!r:.40}", where, f"there are {', '.join(sorted(defaults))}")
    for name in folder.about:
        value = folder.fact(name, (int, float) if isinstance(defaults[name], float) else type(defaults[name]))
        if isinstance(value, int | float) and not abs(value) <= LARGEST:
            raise ModelError(f"'{name}' is {value!r:.40}, a number of usual size expected", where, REMEDY)
    return folder.about


@contextmanager
def _reading(path: Path) -> Iterator[None]:
    try:
        yield
    except FileNotFoundError:
        raise ModelError("is missing", Where(str(path)), "is this the folder of a model?") from None
    except ModelError:
        raise
    except Exception as error:  # zipfile, numpy and json each have many errors for damaged files
        raise ModelError(f"cannot be read: {why(error)}", Where(str(path)), REMEDY) from None


def quantise(weights: NDArray[np.float32], clip: float = 0.9999) -> tuple[NDArray[np.int8], float]:
    """Weights as small whole numbers and the size of one; what rounds to 0 is pruned. The largest few are cut to fit.

    >>> quantise(np.array([0.5, -1.0, 0.001], np.float32), clip=1)
    (array([  64, -127,    0], dtype=int8), 0.00787...)
    """
    sizes = np.abs(weights[weights != 0])
    top = float(np.quantile(sizes, clip)) if len(sizes) else 1.0
    unit = top / 127 if top > 0 else 1.0
    return np.clip(np.rint(weights / unit), -127, 127).astype(np.int8), unit


class Estimator:
    """An object whose parameters are the arguments of `__init__`, kept under their names.

    Behaves as scikit-learn's `BaseEstimator` where that matters (`clone`, `get_params`, `set_params`), without importing it:
    commands that learn nothing do not wait for it.
    """

    @classmethod
    def _parameters(cls) -> list[str]:
        names = list(inspect.signature(cls).parameters)
        return [name for name in names if not name.endswith("_")]

    def __sklearn_tags__(self) -> Any:
        """What scikit-learn (from 1.6 on) asks: our estimators take sentences, in lists, and check them themselves."""
        from sklearn.utils import InputTags, Tags, TargetTags

        return Tags(None, TargetTags(required=False), no_validation=True, input_tags=InputTags(two_d_array=False, string=True))

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """The parameters by name."""
        return {name: getattr(self, name) for name in self._parameters()}

    def set_params(self, **params: Any) -> Self:
        """Change parameters; ModelError names those there are."""
        known = self._parameters()
        for name, value in params.items():
            if name not in known:
                kind = type(self).__name__
                raise ModelError(f"{kind} has no parameter '{name}'", remedy=f"it has {', '.join(sorted(known))}")
            setattr(self, name, value)
        return self
