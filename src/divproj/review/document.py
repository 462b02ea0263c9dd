"""A reviewed file on disk: its bytes, the sentences in them, and the journal of changes.

A `Document` keeps the bytes of a CoNLL-U file. Only the cells and comments that a person changed are written anew, everything
else byte for byte. Another head for word 2, for instance, changes two cells of one line (blanks stand for tabs):

    2  kolu  _  NOUN  _  _  1  obj  _  Gloss=dog|Proj=guess|ProjConf=0.31        as read
    2  kolu  _  NOUN  _  _  3  obj  _  Gloss=dog|Proj=corrected                  as written

A `Journal` is a log to which every change is added, and flushed to disk, before the page shows it as done. A line is a
checksum (CRC-32), a blank and a JSON object:

    81b1d8e1 {"op":"gold","n":3,"on":true,"told":"marked gold"}

After a crash the last line may be incomplete: such a change was never acknowledged, and the line is cut off. A broken line
before intact ones means that the journal is damaged, and it is refused. Files are written whole or not at all.
"""

from __future__ import annotations

import contextlib
import gzip
import hashlib
import json
import os
import zlib
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, BinaryIO

from divproj.core.errors import Faults, FormatError, ModelError, ProjError, Where, shell_word
from divproj.core.sentence import PROJECTED, Rows, confidence_of, is_gold, misc_value
from divproj.io.files import Source, name_of, reading, replacing
from divproj.io.trees import conllu
from divproj.runtime.leftovers import name_beside

BOM = b"\xef\xbb\xbf"
CORRECTED = "corrected"
"""`Proj=` of a word whose head a person has chosen."""
MACHINE = ("Proj=", "ProjConf=", "ParseConf=")
"""What a projection or a parser writes into MISC."""
GOLD = "# gold = yes"
LARGEST = 512 << 20
"""Bytes of a file; the whole of it is kept in memory."""


@dataclass(frozen=True)
class SentenceState:
    """The annotation of a sentence: what a person can change, and what the system wrote.

    `machine_confidence` is the confidence of each head, None where there is none; `note` the comment on the projection, '' for none;
    `hand` the words that a person has corrected.
    """

    heads: tuple[int, ...]
    deprels: tuple[str, ...]
    reasons: tuple[str, ...]
    machine_confidence: tuple[float | None, ...]
    gold: bool = False
    note: str = ""
    hand: frozenset[int] = frozenset()

    @property
    def confidence(self) -> float | None:
        """Return the mean confidence of the words; None if no word has one.

        >>> SentenceState((0, 1), ("root", "obj"), ("", ""), (0.5, 1.0)).confidence
        0.75
        """
        known = [c for c in self.machine_confidence if c is not None]
        return sum(known) / len(known) if known else None


@dataclass(frozen=True)
class Block:
    """A sentence of the file: its lines as read, with their line ends, and the parsed sentence."""

    lines: tuple[bytes, ...]
    sentence: Rows

    @cached_property
    def initial(self) -> SentenceState:
        """Return the annotation in the file; heads that cannot be right count as unknown."""
        tree, _ = self.sentence.usable_tree()
        misc = self.sentence.column(9)
        reasons = tuple(misc_value(cell, "Proj") for cell in misc)
        return SentenceState(
            tree.heads,
            self.sentence.column(7),
            reasons,
            tuple(_number(confidence_of(cell)) for cell in misc),
            any(is_gold(line) for line in self.sentence.comments),
            next((line for line in self.sentence.comments if _is_note(line)), ""),
            frozenset(k for k, reason in enumerate(reasons, 1) if reason == CORRECTED),
        )

    def render(self, state: SentenceState) -> bytes:
        """Return the lines, changed in the cells and comments in which `state` differs from the file."""
        if state == self.initial:
            return b"".join(self.lines)
        cut = len(self.sentence.comments)
        comments = self._comments(state)
        rows = list(self.lines[cut:])
        for k, row in enumerate(self.sentence.word_rows):
            rows[row] = self._row(rows[row], k, state)
        return b"".join((*comments, *rows))

    def _comments(self, state: SentenceState) -> list[bytes]:
        old, end = self.initial, _end(self.lines[0]) or b"\n"
        kept = list(zip(self.sentence.comments, self.lines, strict=False))
        if old.gold and not state.gold:
            kept = [pair for pair in kept if not is_gold(pair[0])]
        if state.note != old.note:
            new = (state.note, state.note.encode() + end)
            positions = [k for k, (text, _) in enumerate(kept) if _is_note(text)]
            kept[positions[0] if positions else len(kept) : positions[0] + 1 if positions else len(kept)] = (
                [new] if state.note else []
            )
        if state.gold and not old.gold:
            kept.append((GOLD, GOLD.encode() + end))
        return [raw for _, raw in kept]

    def _row(self, raw: bytes, k: int, state: SentenceState) -> bytes:
        old, end = self.initial, _end(raw)
        cells = raw[: len(raw) - len(end)].split(b"\t")
        if cells[8] == cells[6] + b":" + cells[7]:  # DEPS that repeat the basic tree go with it
            cells[8] = f"{max(state.heads[k], 0)}:{state.deprels[k]}".encode() if state.heads[k] >= 0 else b"_"
        if state.heads[k] != old.heads[k]:
            cells[6] = str(state.heads[k]).encode() if state.heads[k] >= 0 else b"_"
        if state.deprels[k] != old.deprels[k]:
            cells[7] = state.deprels[k].encode()
        if (state.reasons[k], state.machine_confidence[k]) != (old.reasons[k], old.machine_confidence[k]):
            cells[9] = _misc(cells[9].decode(), state.reasons[k], state.machine_confidence[k]).encode()
        return b"\t".join(cells) + end


class Document:
    """A CoNLL-U file as a list of sentences; bytes between them and sentences with errors are kept unchanged."""

    def __init__(self, data: bytes, path: str = "", faults: Faults | None = None) -> None:
        self.path, self.size = path, len(data)
        self.digest = hashlib.sha256(data).hexdigest()
        faults = faults or Faults()
        self.parts: list[Block | bytes] = []
        if data.startswith(BOM):
            self.parts.append(BOM)
            data = data[len(BOM) :]
        for line, lines in _blocks(data):
            self.parts.append(self._part(line, lines, faults))
        self.blocks = [part for part in self.parts if isinstance(part, Block)]
        if not self.blocks:
            raise ProjError("no sentence in the file", Where(path), "is it CoNLL-U, as `proj project` writes it?")

    @classmethod
    def open(cls, source: Source, faults: Faults | None = None) -> Document:
        with reading(source) as stream:
            data = stream.read(LARGEST + 1)
        if len(data) > LARGEST:
            raise ProjError(f"the file is larger than {LARGEST >> 20} MB", Where(name_of(source)), "review it in parts")
        return cls(data, name_of(source), faults)

    def _part(self, line: int, lines: list[bytes], faults: Faults) -> Block | bytes:
        if not _text(lines[0]):
            return b"".join(lines)
        try:
            return Block(tuple(lines), conllu.parse(b"\n".join(map(_text, lines)), self.path, line))
        except FormatError as error:
            faults.sentence(error)
            return b"".join(lines)

    def render(self, states: list[SentenceState]) -> Iterator[bytes]:
        """Yield the bytes of the file, with each sentence in its state."""
        left = iter(states)
        for part in self.parts:
            yield part.render(next(left)) if isinstance(part, Block) else part


def _blocks(data: bytes) -> Iterator[tuple[int, list[bytes]]]:
    """Yield line number and lines of each sentence, and of the blank lines between sentences."""
    held: list[bytes] = []
    start = 1
    for number, line in enumerate(_lines(data), 1):
        if held and bool(_text(line)) != bool(_text(held[0])):
            yield start, held
            held, start = [], number
        held.append(line)
    if held:
        yield start, held


def _lines(data: bytes) -> list[bytes]:
    """Lines with their ends; only LF ends a line, as in the reader."""
    lines = [line + b"\n" for line in data.split(b"\n")]
    last = lines.pop()[:-1]
    return [*lines, last] if last else lines


def _end(line: bytes) -> bytes:
    return b"\r\n" if line.endswith(b"\r\n") else b"\n" if line.endswith(b"\n") else b""


def _text(line: bytes) -> bytes:
    return line[: len(line) - len(_end(line))]


def _is_note(comment: str) -> bool:
    return comment.startswith(PROJECTED)


def _number(text: str) -> float | None:
    """A confidence, None for anything that is none.

    >>> _number("0.93"), _number("nan"), _number("")
    (0.93, None, None)
    """
    try:
        value = float(text)
    except ValueError:
        return None
    return value if 0.0 <= value <= 1.0 else None


def _misc(old: str, reason: str, confidence: float | None) -> str:
    """MISC with another `Proj=` and `ProjConf=`, the rest in its order; a parser's confidence goes with them.

    >>> _misc("Gloss=dog|Proj=guess|ProjConf=0.31", "corrected", None)
    'Gloss=dog|Proj=corrected'
    """
    kept = [] if old == "_" else [item for item in old.split("|") if not item.startswith(MACHINE)]
    kept += [f"Proj={reason}"] if reason else []
    kept += [f"ProjConf={confidence:.2f}"] if confidence is not None else []
    return "|".join(kept) or "_"


try:
    import fcntl
except ImportError:  # not POSIX: two reviews of one file are not noticed there
    fcntl = None  # type: ignore[assignment]


FORMAT, VERSION = "divproj review journal", 1
Entry = dict[str, Any]
ANEW = "review the file itself (proj review {}), name another with -o, or begin anew with `fresh`"


class Journal:
    """An open journal; `entries` are those it had when it was opened, each with its line number."""

    def __init__(self, path: Path, about: Entry, reviewed: Path | None = None) -> None:
        """Open the journal; if `reviewed`, the file saved with it, exists, a journal without a first line is damaged."""
        self.reviewed = reviewed if reviewed is not None and reviewed.exists() else None
        self.path, self.header = path, {"format": FORMAT, "version": VERSION, **about}
        self.entries: list[tuple[int, Entry]] = []
        self.broken = ""
        try:
            self._file: BinaryIO = open(path, "a+b", buffering=0)  # noqa: SIM115
        except OSError as error:
            raise ProjError(f"the journal cannot be opened: {error.strerror}", Where(str(path))) from None
        try:
            self._lock()
            self._read()
        except BaseException:
            self._file.close()
            raise

    def _lock(self) -> None:
        if not _take_lock(self._file):
            raise _in_use(self.path)

    def write_address(self, url: str) -> None:
        """Write process and address of this review to a file that only the user can read, for one who opens it a second time."""
        path = _address_file(self.path)
        with contextlib.suppress(OSError):  # a convenience: where it cannot be written the review goes on
            path.unlink(missing_ok=True)
            handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
            with open(handle, "w", encoding="utf-8") as out:
                out.write(f"process {os.getpid()}, {url}\n")

    def _read(self) -> None:
        self._file.seek(0)
        data = self._file.read()
        lines = data.split(b"\n")
        kept = 0
        for number, line in enumerate(lines[:-1], 1):
            entry = _entry(line)
            if entry is None:
                if number < len(lines) - 1 and any(map(_entry, lines[number:])):
                    raise ModelError("this line is damaged", Where(str(self.path), number), "put a copy of the journal back")
                break
            kept += len(line) + 1
            self.entries.append((number, entry))
        if not self.entries:
            if lines[0] and not _torn(lines):
                raise ModelError("this is no journal of `proj review`", Where(str(self.path)), "move it away")
            if self.reviewed is not None:
                message = f"the journal is empty or cut off, and {self.reviewed.name} has what it cannot give back"
                raise ModelError(
                    message,
                    Where(str(self.path)),
                    f"put a copy of the journal back, {ANEW.format(shell_word(self.reviewed.name))}",
                )
            self._file.truncate(0)
            self._write(self.header)
            sync_folder(self.path.parent)
            return
        self._check(self.entries.pop(0)[1])
        if kept < len(data):
            self._file.truncate(kept)

    def _check(self, header: Entry) -> None:
        where = Where(str(self.path))
        if header.get("format") != FORMAT:
            raise ModelError("this is no journal of `proj review`", where, "move it away")
        if header.get("version") != VERSION:
            raise ModelError(f"version {header.get('version')} of the journal, {VERSION} expected", where)
        if header.get("sha256") != self.header.get("sha256"):
            raise ProjError(
                f"{header.get('input', 'the file')} has changed since its review began",
                where,
                "put the earlier file back, or begin anew with `fresh`, which keeps the old review under another name",
            )

    def append(self, entry: Entry) -> None:
        """Write an entry to disk; after an error the journal is as it was."""
        if self.broken:
            raise ProjError(f"the journal is no longer written to: {self.broken}", Where(str(self.path)))
        self._write(entry)

    def _write(self, entry: Entry) -> None:
        text = json.dumps(entry, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "surrogatepass")
        line = b"%08x %s\n" % (zlib.crc32(text), text)
        size = os.fstat(self._file.fileno()).st_size
        try:
            while line:
                line = line[self._file.write(line) :]
            os.fsync(self._file.fileno())
        except OSError as error:
            try:
                self._file.truncate(size)
            except OSError:
                self.broken = error.strerror or "write error"
            raise ProjError(f"the change could not be journalled: {error.strerror}", Where(str(self.path))) from None

    def close(self) -> None:
        if not self._file.closed:
            with contextlib.suppress(OSError):
                _address_file(self.path).unlink(missing_ok=True)
        self._file.close()


def _take_lock(file: BinaryIO) -> bool:
    """Return whether an open journal is this process's alone; always where there are no locks."""
    try:
        if fcntl is not None:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True


def _address_file(journal: Path) -> Path:
    return journal.with_name(name_beside(f".{journal.name}", ".address"))


def _read_address(journal: Path) -> str:
    """Return process and address of the review that has a journal open, in brackets; '' where they are not known."""
    try:
        said = _address_file(journal).read_text(encoding="utf-8")[:500].strip()
    except (OSError, ValueError):
        return ""
    return f" ({said})" if said.isprintable() and said else ""


def refuse_if_open(journal: Path) -> None:
    """Raise the error of a second review if a review has this journal open: it may not be moved away under it."""
    if journal.exists():
        with open(journal, "rb") as file:
            if not _take_lock(file):
                raise _in_use(journal)


def journalled_file(journal: Path) -> str:
    """Return the digest of the file whose review a journal has; '' where there is no journal, or none that can be read."""
    try:
        with open(journal, "rb") as file:
            header = _entry(file.readline().rstrip(b"\n"))
    except OSError:
        return ""
    return str((header or {}).get("sha256", ""))


def _in_use(journal: Path) -> ProjError:
    message = f"another `proj review` has this file open{_read_address(journal)}"
    return ProjError(message, Where(str(journal)), "use its page, or end it first")


def _entry(line: bytes) -> Entry | None:
    check, _, text = line.partition(b" ")
    try:
        if len(check) != 8 or int(check, 16) != zlib.crc32(text):
            return None
        entry = json.loads(text.decode("utf-8", "surrogatepass"))
    except (ValueError, RecursionError):
        return None
    return entry if isinstance(entry, dict) else None


def _torn(lines: list[bytes]) -> bool:
    """Return whether there is only the beginning of a first line."""
    return len(lines) == 1 and (len(lines[0]) < 9 or lines[0][9:].startswith(b'{"format":"divproj'[: len(lines[0]) - 9]))


def save(path: Path, chunks: Iterable[bytes]) -> None:
    """Write a file whole or not at all, and only return when it is on disk; `.gz` is packed."""
    with replacing(path, durable=True) as raw:
        if path.suffix == ".gz":
            with gzip.GzipFile("", "wb", fileobj=raw, mtime=0) as packed:
                packed.writelines(chunks)
        else:
            raw.writelines(chunks)
    sync_folder(path.parent)


def sync_folder(folder: Path) -> None:
    """Flush the names of files in a folder to disk, on systems that can."""
    with contextlib.suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def keep_other(path: Path, known: Callable[[bytes], bool]) -> Path | None:
    """Copy a reviewed file that its journal does not account for, before it is overwritten; return the copy or None."""
    if not path.exists():
        return None
    with reading(path) as stream:
        content = stream.read()
    if known(content):
        return None
    name = _old_name(path)
    save(name, (content,))
    return name


def set_aside(path: Path) -> Path | None:
    """Give an old file another name, `.old`, `.old2` …; None when there is none."""
    if not path.exists():
        return None
    name = _old_name(path)
    path.replace(name)
    return name


def _old_name(path: Path) -> Path:
    name = path.with_name(name_beside(path.name, ".old"))
    count = 1
    while name.exists():
        count += 1
        name = path.with_name(name_beside(path.name, f".old{count}"))
    return name
