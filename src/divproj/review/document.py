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
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any, BinaryIO

from divproj.core.errors import Faults, FormatError, ModelError, ProjError, Where, plural, shell_word
from divproj.core.sentence import PROJECTED, Rows, confidence_of, is_gold, misc_value
from divproj.io.files import REVIEWED, Source, name_of, reading, replacing
from divproj.io.trees import conllu
from divproj.runtime.leftovers import name_beside

BOM = b"\xef\xbb\xbf"
CORRECTED = "corrected"
"""`Proj=` of a word whose head a person has chosen."""
MACHINE = ("Proj=", "ProjConf=", "ParseConf=")
"""What a projection or a parser writes into MISC."""
GOLD = "# gold = yes"
STATE = "# state ="
"""Beginning of the comment that says how far a sentence is that is not gold."""
LARGEST = 512 << 20
"""Bytes of a file; the whole of it is kept in memory."""


EMPTY = Rows((), ((),) * 10)


@dataclass(frozen=True)
class SentenceState:
    """The annotation of a sentence: what a person can change, and what the system wrote.

    `machine_confidence` is the confidence of each head, None where there is none; `note` the comment on the projection, '' for none;
    `hand` the words whose head or relation a person has chosen, `cells` the columns (word, column) that a person has filled. `rows` has
    the other columns and comments; where heads, relations, reasons, confidence, mark and note differ from it, they go before it.
    """

    heads: tuple[int, ...]
    deprels: tuple[str, ...]
    reasons: tuple[str, ...]
    machine_confidence: tuple[float | None, ...]
    gold: bool = False
    note: str = ""
    hand: frozenset[int] = frozenset()
    rows: Rows = EMPTY
    cells: frozenset[tuple[int, int]] = frozenset()

    @property
    def confidence(self) -> float | None:
        """Return the mean confidence of the words, of which those with a head that a person chose are certain; None if no word has one.

        >>> SentenceState((0, 1), ("root", "obj"), ("", ""), (0.5, 1.0)).confidence
        0.75
        >>> SentenceState((0, 1), ("root", "obj"), ("", "corrected"), (0.5, None)).confidence
        0.75
        """
        known = [c for c in self.machine_confidence if c is not None]
        certain = sum(
            c is None and reason == CORRECTED for c, reason in zip(self.machine_confidence, self.reasons, strict=False)
        )
        return (sum(known) + certain) / (len(known) + certain) if known else None

    @cached_property
    def sentence(self) -> Rows:
        """The sentence as it is written to the file."""
        old = state_of(self.rows)
        rows = zip(*(self.rows.column(k) for k in range(10)), strict=True)
        changed = [self._row(list(cells), k, old) for k, cells in enumerate(rows)]
        columns = {k: tuple(cells[k] for cells in changed) for k in (6, 7, 8, 9)}
        same = all(columns[k] == self.rows.column(k) for k in columns)
        new = self.rows if same else self.rows.with_columns(columns)
        comments = self._comments(old)
        return new if comments == new.comments else Rows(comments, new.columns, new.where, new.end)

    def _comments(self, old: SentenceState) -> tuple[str, ...]:
        kept = [line for line in self.rows.comments if self.gold or not is_gold(line)]
        if self.gold and not old.gold:
            kept = [line for line in kept if not line.startswith(STATE)]
        if self.note != old.note:
            positions = [k for k, line in enumerate(kept) if _is_note(line)]
            first = positions[0] if positions else len(kept)
            kept[first : first + 1 if positions else first] = [self.note] if self.note else []
        return (*kept, GOLD) if self.gold and not old.gold else tuple(kept)

    def _row(self, cells: list[str], k: int, old: SentenceState) -> list[str]:
        head = str(self.heads[k]) if self.heads[k] >= 0 else "_"
        if cells[8] == f"{cells[6]}:{cells[7]}":  # DEPS that repeat the basic tree go with it
            cells[8] = f"{head}:{self.deprels[k]}" if self.heads[k] >= 0 else "_"
        if self.heads[k] != old.heads[k]:
            cells[6] = head
        cells[7] = self.deprels[k]
        if (self.reasons[k], self.machine_confidence[k]) != (old.reasons[k], old.machine_confidence[k]):
            cells[9] = _misc(cells[9], self.reasons[k], self.machine_confidence[k])
        return cells


def state_of(sentence: Rows) -> SentenceState:
    """Return the annotation that a sentence has; heads that cannot be right count as unknown."""
    tree, _ = sentence.usable_tree()
    misc = sentence.column(9)
    reasons = tuple(misc_value(cell, "Proj") for cell in misc)
    return SentenceState(
        tree.heads,
        sentence.column(7),
        reasons,
        tuple(_number(confidence_of(cell)) for cell in misc),
        any(is_gold(line) for line in sentence.comments),
        next((line for line in sentence.comments if _is_note(line)), ""),
        frozenset(k for k, reason in enumerate(reasons, 1) if reason == CORRECTED),
        sentence,
    )


@dataclass(frozen=True)
class Block:
    """A sentence of the file: its lines as read, with their line ends, and the parsed sentence."""

    lines: tuple[bytes, ...]
    sentence: Rows

    @cached_property
    def initial(self) -> SentenceState:
        """Return the annotation in the file."""
        return state_of(self.sentence)

    def render(self, states: Sequence[SentenceState]) -> bytes:
        """Return the lines of the sentences that this one has become: itself, the parts it was split into, or nothing.

        Lines that are as in the file keep their bytes.
        """
        if len(states) == 1 and states[0] == self.initial:
            return b"".join(self.lines)
        end = _end(self.lines[0]) or b"\n"
        raw = {_text(line): line for line in self.lines[:-1]}
        parts = []
        for state in states:
            lines = [*state.sentence.comments, *map("\t".join, state.sentence.lines)]
            parts.append(b"".join(raw.get(line, line + end) for line in (line.encode() for line in lines)))
        whole = end.join(parts)
        last = _end(self.lines[-1])
        return whole if last or not parts else _text(whole)


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

    def render(self, groups: Iterable[Sequence[SentenceState]]) -> Iterator[bytes]:
        """Yield the bytes of the file, with the states of the sentences that each sentence of the file has become."""
        left = iter(groups)
        gone = False
        for part in self.parts:
            if isinstance(part, Block):
                states = next(left)
                gone = not states
                yield part.render(states)
            elif not gone or part.strip():
                yield part


def sentence_texts(data: bytes) -> Iterator[bytes]:
    """Yield the lines of each sentence of a file, readable or not, without line ends."""
    for _, lines in _blocks(data.removeprefix(BOM)):
        if _text(lines[0]):
            yield b"\n".join(map(_text, lines))


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
PERSONAL_COMMENTS = ("state", "annotator", "note")
"""Comments on a sentence that people write in a review, besides its mark."""
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


def beside(path: Path) -> Path:
    """Return the file to which the reviewed trees of a file are saved.

    >>> beside(Path("texts/trees.conllu.gz")).name
    'trees.reviewed.conllu'
    """
    name = path.name.removesuffix(".gz").removesuffix(".conllu")
    return path.with_name(name_beside(name, REVIEWED))


def journal_file(target: Path) -> Path:
    """Return the journal of the review that is saved to a file."""
    return target.with_name(name_beside(target.name, ".journal"))


def journal_for(document: Document, target: Path, *, fresh: bool, on_message: Callable[[str], None]) -> Journal:
    """Open the journal beside the output; an output without a journal is not overwritten."""
    path = journal_file(target)
    if target.resolve() == Path(document.path).resolve():
        raise ProjError("the output is the file itself", Where(str(target)), "give another name with -o")
    if fresh:
        refuse_if_open(path)
        for old in (path, target):
            if kept := set_aside(old):
                on_message(f"the earlier {old.name} is now {kept.name}")
    elif target.exists() and not path.exists():
        raise ProjError(
            "is there already, and no journal beside it says how it came about",
            Where(str(target)),
            f"review it itself (proj review {shell_word(target.name)}), name another with -o, or begin anew with `fresh`",
        )
    about = {"input": Path(document.path).name, "sha256": document.digest, "bytes": document.size}
    return Journal(path, about, target)


def carry_over(document: Document, target: Path, on_message: Callable[[str], None]) -> dict[int, SentenceState]:
    """Return the corrections of an earlier review, by the sentence of the file as it is now; nothing where this is the same file.

    The file was made anew since (`proj run` with more gold trees, say). Sentences that a person corrected or marked gold are
    taken over where id and words are as they were, with the columns that a person has filled, state, annotator and notes. The earlier
    review is kept under another name.
    """
    path = journal_file(target)
    earlier = journalled_file(path)
    if earlier in ("", document.digest):
        return {}
    if not target.exists() and path.read_bytes().count(b"\n") < 2:  # killed before the first edit: there is nothing to keep
        refuse_if_open(path)
        path.unlink()
        return {}
    if not target.exists() or target.stat().st_mtime_ns < path.stat().st_mtime_ns:
        return {}
    refuse_if_open(path)
    waiting: dict[tuple[str, tuple[str, ...]], list[SentenceState]] = {}
    cells = _filled_cells(path)
    comments = {(block.sentence.sent_id, block.sentence.forms): _personal_comments(block.sentence) for block in document.blocks}
    for block in reversed(Document.open(str(target), Faults(strict=False)).blocks):
        key, said = (block.sentence.sent_id, block.sentence.forms), _personal_comments(block.sentence)
        state = replace(block.initial, cells=cells.get(key, frozenset()))
        if state.gold or state.hand or state.cells or (any(said) and said != comments.get(key)):
            waiting.setdefault(key, []).append(state)
    carried = {
        n: states.pop()
        for n, block in enumerate(document.blocks)
        if (states := waiting.get((block.sentence.sent_id, block.sentence.forms)))
    }
    lost = sum(map(len, waiting.values()))
    for old in (path, target):
        kept = set_aside(old)
    beside_them = (
        f"; {plural(lost, 'corrected sentence')} of it {'is' if lost == 1 else 'are'} not in this file" if lost else ""
    )
    on_message(
        f"{Path(document.path).name} is new: {plural(len(carried), 'corrected sentence')} taken over from the earlier review, "
        f"which is now {kept and kept.name}{beside_them}"
    )
    return carried


def _personal_comments(sentence: Rows) -> tuple[str | None, ...]:
    return tuple(sentence.comment(key) for key in PERSONAL_COMMENTS)


def _filled_cells(journal: Path) -> dict[tuple[str, tuple[str, ...]], frozenset[tuple[int, int]]]:
    """Return the columns (word, column) that a person has filled in the review of a journal, by id and words of the sentence."""
    history: list[Entry] = []
    undone: list[Entry] = []
    for entry in filter(None, map(_entry, journal.read_bytes().split(b"\n")[1:])):
        source, goal = {"undo": (history, undone), "redo": (undone, history)}.get(entry.get("op", ""), ([entry], history))
        if goal is history and entry.get("op") != "redo":
            undone.clear()
        if source:
            goal.append(source.pop())
    cells = {}
    for entry in history:
        for _, text, _, filled in entry.get("rows", ()):
            sentence = conllu.parse(text.encode("utf-8", "surrogatepass"), str(journal))
            cells[sentence.sent_id, sentence.forms] = frozenset((word, column) for word, column in filled)
    return cells
