"""A CoNLL-U file as bytes, and as sentences that can be changed: what is not changed is written as it was read."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from divproj.data.errors import Faults, FormatError, ProjError, Where
from divproj.data.sentence import PROJECTED, Sentence, confidence_of, is_gold, misc_value
from divproj.io import conllu
from divproj.io.files import Source, name_of, reading

BOM = b"\xef\xbb\xbf"
CORRECTED = "corrected"
"""`Proj=` of a word whose head a person has chosen."""
MACHINE = ("Proj=", "ProjConf=", "ParseConf=")
"""What a projection or a parser writes into MISC."""
GOLD = "# gold = yes"
LARGEST = 512 << 20
"""Bytes of a file; the whole of it is kept in memory."""


@dataclass(frozen=True)
class State:
    """What a person may change of a sentence, and what a machine said of it.

    `sure` is the confidence of each head, None where there is none; `note` the comment on the projection, '' for none;
    `hand` the words that a person has corrected.
    """

    heads: tuple[int, ...]
    rels: tuple[str, ...]
    reasons: tuple[str, ...]
    sure: tuple[float | None, ...]
    gold: bool = False
    note: str = ""
    hand: frozenset[int] = frozenset()

    @property
    def confidence(self) -> float | None:
        """The mean over its words; None when no word has one.

        >>> State((0, 1), ("root", "obj"), ("", ""), (0.5, 1.0)).confidence
        0.75
        """
        known = [c for c in self.sure if c is not None]
        return sum(known) / len(known) if known else None


@dataclass(frozen=True)
class Block:
    """A sentence: its lines as read, line ends included, and what they say."""

    lines: tuple[bytes, ...]
    sentence: Sentence

    @cached_property
    def initial(self) -> State:
        """The sentence as the file has it; heads that cannot be right are not known."""
        tree, _ = self.sentence.usable_tree()
        misc = self.sentence.column(9)
        reasons = tuple(misc_value(cell, "Proj") for cell in misc)
        return State(
            tree.heads,
            self.sentence.column(7),
            reasons,
            tuple(_number(confidence_of(cell)) for cell in misc),
            any(is_gold(line) for line in self.sentence.comments),
            next((line for line in self.sentence.comments if _is_note(line)), ""),
            frozenset(k for k, reason in enumerate(reasons, 1) if reason == CORRECTED),
        )

    def rendered(self, state: State) -> bytes:
        """The lines with the cells and comments in which `state` differs from the file."""
        if state == self.initial:
            return b"".join(self.lines)
        cut = len(self.sentence.comments)
        comments = self._comments(state)
        rows = list(self.lines[cut:])
        for k, row in enumerate(self.sentence.word_rows):
            rows[row] = self._row(rows[row], k, state)
        return b"".join((*comments, *rows))

    def _comments(self, state: State) -> list[bytes]:
        old, end = self.initial, _end(self.lines[0]) or b"\n"
        kept = list(zip(self.sentence.comments, self.lines, strict=False))
        if old.gold and not state.gold:
            kept = [pair for pair in kept if not is_gold(pair[0])]
        if state.note != old.note:
            new = (state.note, state.note.encode() + end)
            found = [k for k, (text, _) in enumerate(kept) if _is_note(text)]
            kept[found[0] if found else len(kept) : found[0] + 1 if found else len(kept)] = [new] if state.note else []
        if state.gold and not old.gold:
            kept.append((GOLD, GOLD.encode() + end))
        return [raw for _, raw in kept]

    def _row(self, raw: bytes, k: int, state: State) -> bytes:
        old, end = self.initial, _end(raw)
        cells = raw[: len(raw) - len(end)].split(b"\t")
        if cells[8] == cells[6] + b":" + cells[7]:  # DEPS that repeat the basic tree go with it
            cells[8] = f"{max(state.heads[k], 0)}:{state.rels[k]}".encode() if state.heads[k] >= 0 else b"_"
        if state.heads[k] != old.heads[k]:
            cells[6] = str(state.heads[k]).encode() if state.heads[k] >= 0 else b"_"
        if state.rels[k] != old.rels[k]:
            cells[7] = state.rels[k].encode()
        if (state.reasons[k], state.sure[k]) != (old.reasons[k], old.sure[k]):
            cells[9] = _misc(cells[9].decode(), state.reasons[k], state.sure[k]).encode()
        return b"\t".join(cells) + end


class Document:
    """The sentences of a file in order; what lies between them, and what cannot be read, stays as it is."""

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

    def rendered(self, states: list[State]) -> Iterator[bytes]:
        """The file with each sentence in its state."""
        left = iter(states)
        for part in self.parts:
            yield part.rendered(next(left)) if isinstance(part, Block) else part


def _blocks(data: bytes) -> Iterator[tuple[int, list[bytes]]]:
    """(line number, lines) of sentences and, in turn, of the blank lines between them."""
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


def _misc(old: str, reason: str, sure: float | None) -> str:
    """MISC with another `Proj=` and `ProjConf=`, the rest in its order; a parser's confidence goes with them.

    >>> _misc("Gloss=dog|Proj=guess|ProjConf=0.31", "corrected", None)
    'Gloss=dog|Proj=corrected'
    """
    kept = [] if old == "_" else [item for item in old.split("|") if not item.startswith(MACHINE)]
    kept += [f"Proj={reason}"] if reason else []
    kept += [f"ProjConf={sure:.2f}"] if sure is not None else []
    return "|".join(kept) or "_"
