"""Interlinear examples in LaTeX: gb4e, langsci-gb4e, covington (`\\gll … \\\\ … \\\\ \\glt`), linguex (`\\exg.`), philex,
expex (`\\begingl`).

An example ends where its package ends it. Lines that go on under `\\sn`, or in a second `\\gll` without a translation
between, are one sentence. Text between the lines and the translation, references after it and footnotes are kept apart.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, BinaryIO

from divproj.data.errors import Faults, FormatError, Where
from divproj.data.igt import Igt
from divproj.io import latex_lines, latex_translation
from divproj.io.files import Source
from divproj.io.igt_parts import instance, preferred, squeezed, without_judgement
from divproj.io.igt_text import Options, from_file, from_text, lines
from divproj.io.latex_text import plain
from divproj.io.tex_tokens import Token, argument, arguments, expanded, group_end, optional, skip_space, tokenized

_GLL = {"gll": 2, "glll": 3, "gllll": 4, "xgll": 2, "xglll": 3}
_LINGUEX = re.compile(r"(?:ex[ir]?|[a-h])g\.")
_COVINGTON = {"digloss": 2, "trigloss": 3}
_FREE = {"glt", "trans", "gltr", "glft", "glf", "tln", "tl", "glfta", "glftb", "glftc", "glttranslation"}
_ENDS = {
    "ea", "eal", "eas", "exal", "ex", "exi", "exr", "exp", "exa", "exb", "pex", "xe", "z", "zl", "zlast", "zlst", "end", "begin",
    "item", "chapter", "section", "subsection", "subsubsection", "paragraph", "subparagraph", "part", "glend", "endgl", "lb", "lba",
    "lbb", "lbp", "lbpa", "lbpb", "lbu", "lbz", "sn", "exewidth", "eabox", "eanoraggedright", "beispiel",
}  # fmt: skip
"""Macros that cannot stand within an example with its translation."""
_JUDGED = {"ljudge", "judge", "gljudge", "Judge"}
_MARKS = re.compile(r"[*?#%!†°✗]+$")
KEPT = frozenset(_GLL) | frozenset(_COVINGTON) | _FREE | _ENDS | _JUDGED | {"begingl", "endgl", "label", "langinfo"}
FIELD = re.compile(r"gl(?:preamble|[a-e]|ft[a-c]?|tr|trans)$")


def load(source: Source, faults: Faults | None = None, **options: Any) -> Iterator[Igt]:
    return from_file(read, source, faults, options)


def loads(text: str, faults: Faults | None = None, **options: Any) -> list[Igt]:
    r"""
    >>> loads(r"\gll can-es \\ dog-\textsc{pl} \\ \glt `dogs'")[0].glosses
    ('dog-PL',)
    """
    return from_text(read, text, faults, options)


def read(stream: BinaryIO, path: str, faults: Faults, options: Options) -> Iterator[Igt]:
    tokens = expanded(tokenized(lines(stream, path, faults, options.encoding)), KEPT)
    found = list(_joined(_Finder(tokens, path, faults).pieces()))
    layout = latex_lines.layout([piece.rows for piece in found])
    for piece in found:
        yield _instance(piece, layout, path, options)


@dataclass
class Piece:
    """Lines that stand under one opening macro, and what belongs to them."""

    line: int
    rows: list[Sequence[Token]]
    free: list[Sequence[Token]]
    preamble: Sequence[Token] = ()
    judgement: str = ""
    labels: tuple[str, ...] = ()
    language: tuple[str, str] = ("", "")
    goes_on: bool = False
    """Whether no new example began since the piece before."""
    soft: bool = False
    """Whether `\\sn` stands before it."""
    parts: int = 1
    more: list[list[Sequence[Token]]] = field(default_factory=list)
    """Lines of the pieces that go on."""


class _Finder:
    """Walks through the tokens of a file, and keeps what was said since an example began."""

    def __init__(self, tokens: list[Token], path: str, faults: Faults) -> None:
        self.tokens, self.path, self.faults = tokens, path, faults
        self.k = 0
        self._began(0)
        self.fresh = self.soft = True
        self.has_pex = any(token.kind == "macro" and token.text == "pex" for token in tokens)

    def _began(self, at: int) -> None:
        self.start, self.judgement, self.language = at, "", ("", "")
        self.labels: tuple[str, ...] = ()

    def pieces(self) -> Iterator[Piece]:
        tokens = self.tokens
        while self.k < len(tokens):
            token = tokens[self.k]
            if token.kind == "macro" and self._opens(token.text):
                yield self._piece(token)
                continue
            if token.kind == "par":
                self._began(self.k + 1)
                self.fresh = True
            elif token.kind == "macro":
                self._macro(token)
            self.k += 1

    def _opens(self, name: str) -> bool:
        if name in _GLL or name == "begingl" or _LINGUEX.fullmatch(name):
            return True
        if name not in _COVINGTON:
            return False
        return len(arguments(self.tokens, self.k + 1)[1]) > _COVINGTON[name]

    def _macro(self, token: Token) -> None:
        name = token.text
        if name == "label":
            said, after = argument(self.tokens, self.k + 1)
            self.labels = (*self.labels, plain_label(said))
            self.k = after - 1
        elif name in _JUDGED:
            options, found, after = arguments(self.tokens, self.k + 1)
            inner = found[0] if found else argument(self.tokens, self.k + 1)[0]
            self.judgement = _marks(options[0] if options and not _marks(inner) else inner)
            self.k = max(after - 1, self.k)
        elif name == "langinfo":
            _, found, after = arguments(self.tokens, self.k + 1)
            if len(found) == 3:
                self.language = (
                    plain(found[1]).strip(" ()") or plain(found[0]).strip(),
                    squeezed(plain(found[2])).strip(" ()"),
                )
                self.language = (plain(found[0]).strip() or self.language[0], self.language[1])
            self.k = max(after - 1, self.k)
        elif self._is_end(name):
            keep = self.labels if name in ("begin", "ex", "ea", "item") and not self._has_text() else ()
            if name == "sn":
                self.soft = True
                return
            self._began(self.k + 1)
            self.labels, self.fresh, self.soft = keep if name == "begin" else (), True, False
            option, after = optional(self.tokens, self.k + 1)
            if option is not None:
                self.judgement = _marks(option)
                self.start, self.k = after, after - 1

    def _has_text(self) -> bool:
        return any(token.kind == "text" for token in self.tokens[self.start : self.k])

    def _is_end(self, name: str) -> bool:
        if name in _ENDS or _LINGUEX.fullmatch(name) or re.fullmatch(r"(?:ex[ir]?|[a-h]|z)\.", name):
            return True
        return name == "a" and self.has_pex

    def _piece(self, token: Token) -> Piece:
        k = self.k
        linguex = bool(_LINGUEX.fullmatch(token.text))
        if linguex:
            self._began(k + 1)
            self.fresh = True
            while k + 1 < len(self.tokens) and self.tokens[k + 1].kind == "macro" and self.tokens[k + 1].text == "label":
                said, after = argument(self.tokens, k + 2)
                self.labels = (*self.labels, plain_label(said))
                k = after - 1
        preamble = self._preamble() if not linguex else ()
        made = Piece(token.line, [], [], preamble, self.judgement, self.labels, self.language, not self.fresh, self.soft)
        if token.text == "begingl":
            end = self._expex(made, k + 1)
        elif token.text in _COVINGTON:
            found, end = arguments(self.tokens, k + 1)[1:]
            made.rows, made.free = list(found[:-1]), [found[-1]]
        else:
            end = self._gll(made, k + 1, token.text, linguex)
        tail = self.tokens[k:end]
        made.labels = (*made.labels, *_labels(tail), *self._closing_labels(end))
        self.start, self.k = end, max(end, k + 1)
        self.fresh = self.soft = False
        return made

    def _preamble(self) -> Sequence[Token]:
        """What stands between the beginning of the example and its lines, when that is one line of text."""
        found = self.tokens[self.start : self.k]
        return found if len(found) < 400 else ()

    def _closing_labels(self, k: int) -> tuple[str, ...]:
        while k < len(self.tokens) and self.tokens[k].kind in ("space", "close"):
            k += 1
        if k < len(self.tokens) and self.tokens[k].kind == "macro" and self.tokens[k].text == "label":
            return (plain_label(argument(self.tokens, k + 1)[0]),)
        return ()

    def _gll(self, made: Piece, k: int, name: str, linguex: bool) -> int:
        """Lines up to `\\\\`, then the translation."""
        wanted = _GLL.get(name, 2)
        closed = True
        while len(made.rows) < wanted and closed:
            end, closed = self._line_end(k)
            made.rows.append(self.tokens[k:end])
            k = end + 1 if closed else end
        if len(made.rows) == wanted - 1 and closed:
            made.rows.append(())
        if len([row for row in made.rows if row]) < wanted:
            what = f"\\{name} with {len([row for row in made.rows if row])} of its {wanted} lines, each ended by \\\\"
            self.faults.file(FormatError(what, Where(self.path, made.line), "read as far as it goes"))
        end = self.example_end(k)
        region = self.tokens[k:end]
        starts = _at_top(region, _FREE)
        if starts:
            for at, after in zip(starts, [*starts[1:], len(region)], strict=True):
                made.free.append(region[at + 1 : after])
        elif latex_translation.begins_quoted(region) or (linguex and plain(region).strip()):
            made.free.append(region)
        return end

    def _line_end(self, k: int) -> tuple[int, bool]:
        """Where a line of an example ends, and whether by `\\\\`."""
        depth = 0
        while k < len(self.tokens):
            token = self.tokens[k]
            depth += (token.kind == "open") - (token.kind == "close")
            if depth < 0:
                return k, False
            if not depth and token.kind == "break":
                return k, True
            if not depth and (token.kind == "par" or (token.kind == "macro" and self._stops(token.text))):
                return k, False
            k += 1
        return k, False

    def _stops(self, name: str) -> bool:
        return name in _FREE or self._is_end(name) or name in _GLL or name in ("begingl", *_COVINGTON)

    def example_end(self, k: int) -> int:
        """Where an example ends: at the next one, at what closes it, or at a blank line after which no translation comes."""
        depth = 0
        while k < len(self.tokens):
            token = self.tokens[k]
            depth += (token.kind == "open") - (token.kind == "close")
            if depth < 0:
                return k
            if not depth and token.kind == "par":
                after = skip_space(self.tokens, k + 1)
                if not (after < len(self.tokens) and self.tokens[after].kind == "macro" and self.tokens[after].text in _FREE):
                    return k
            elif not depth and token.kind == "macro" and self._opens_or_ends(token.text):
                return k
            k += 1
        return k

    def _opens_or_ends(self, name: str) -> bool:
        return self._is_end(name) or name in _GLL or name == "begingl"

    def _expex(self, made: Piece, k: int) -> int:
        option, k = optional(self.tokens, skip_space(self.tokens, k))
        del option
        end, depth, closed = k, 0, False
        while end < len(self.tokens):
            token = self.tokens[end]
            depth += (token.kind == "open") - (token.kind == "close")
            name = token.text if token.kind == "macro" else ""
            closed = name == "endgl"
            ended = name and not depth and (self._is_end(name) or name in _GLL or name == "begingl") and not FIELD.match(name)
            if closed or ended or depth < 0 or (token.kind == "par" and not self._field_follows(end)):
                break
            end += 1
        if not closed:
            what = "\\begingl without \\endgl"
            self.faults.file(FormatError(what, Where(self.path, made.line), "read up to where the example ends"))
        region = self.tokens[k:end]
        starts = [at for at in _at_top(region, None) if FIELD.match(region[at].text)]
        for at, after in zip(starts, [*starts[1:], len(region)], strict=True):
            name = region[at].text
            option, first = optional(region, skip_space(region, at + 1))
            del option
            said = _until_slashes(region[first:after])
            if name == "glpreamble":
                made.preamble = said
            elif len(name) == 3:
                made.rows.append(_without_breaks(said))
            else:
                made.free.append(said)
        return end + 1 if closed else end

    def _field_follows(self, k: int) -> bool:
        """Whether after a blank line a line of the same example comes."""
        after = skip_space(self.tokens, k + 1)
        return after < len(self.tokens) and self.tokens[after].kind == "macro" and (
            bool(FIELD.match(self.tokens[after].text)) or self.tokens[after].text == "endgl"
        )  # fmt: skip


def plain_label(tokens: Sequence[Token]) -> str:
    return squeezed("".join(token.text if token.kind in ("text", "macro", "slashes") else " " for token in tokens))


def _labels(tokens: Sequence[Token]) -> tuple[str, ...]:
    return tuple(plain_label(argument(tokens, k + 1)[0]) for k in _at_top(tokens, {"label"}))


def _marks(tokens: Sequence[Token]) -> str:
    """Judgement marks among tokens: `*`, `\\#`, raised ones."""
    text = plain(tokens) or "".join(token.text for token in tokens if token.text in "#%*?")
    raised = "".join(token.text for token in tokens if token.kind == "text" and _MARKS.match(token.text))
    text = (text.strip() or raised).strip()
    return text if _MARKS.match(text) else raised if _MARKS.match(raised) else ""


def _at_top(tokens: Sequence[Token], names: set[str] | None) -> list[int]:
    """Places of macros that stand in no group; of all when no names are given."""
    found, k = [], 0
    while k < len(tokens):
        token = tokens[k]
        if token.kind == "open":
            k = group_end(tokens, k)
            continue
        if token.kind == "macro" and (names is None or token.text in names):
            found.append(k)
        k += 1
    return found


def _until_slashes(tokens: Sequence[Token]) -> Sequence[Token]:
    depth = 0
    for k, token in enumerate(tokens):
        depth += (token.kind == "open") - (token.kind == "close")
        if not depth and token.kind == "slashes":
            return tokens[:k]
    return tokens


def _without_breaks(tokens: Sequence[Token]) -> Sequence[Token]:
    return [Token("space", " ", token.line) if token.kind == "break" else token for token in tokens]


def _joined(pieces: Iterator[Piece]) -> Iterator[Piece]:
    """Pieces of one example that only the last has a translation for, as one."""
    waiting: list[Piece] = []
    for piece in pieces:
        if waiting and not (piece.goes_on or piece.soft):
            yield from waiting
            waiting = []
        waiting.append(piece)
        if piece.free:
            first = waiting[0]
            first.more = [later.rows for later in waiting[1:]]
            first.free, first.parts = piece.free, len(waiting)
            first.labels = tuple(label for some in waiting for label in some.labels)
            first.judgement = next((some.judgement for some in waiting if some.judgement), "")
            yield first
            waiting = []
    yield from waiting


def _instance(piece: Piece, layout: str, path: str, options: Options) -> Igt:
    rows = latex_lines.fields(piece.rows, layout)
    for more in piece.more:
        for role, values in latex_lines.fields(more, layout).items():
            rows[role] = [*rows.get(role, []), *values]
    words = rows.get("words", [])
    own, first = without_judgement(words[0]) if words else ("", "")
    if own:
        words = [first, *words[1:]] if first else words[1:]
    free = [latex_translation.taken(tokens) for tokens in piece.free]
    translation, translations = preferred([("", made.text) for made in free if made.text], options.lang)
    meta = [("preamble", latex_translation.preamble(piece.preamble)), ("line", " ".join(rows.get("line", [])))]
    meta += [made.beside for made in free]
    meta += [("source", piece.language[1]), ("parts", str(piece.parts) if piece.parts > 1 else "")]
    sent_id = next((label for label in piece.labels if label), "")
    return instance(
        words,
        rows.get("segments", []),
        rows.get("glosses", []),
        translation=translation,
        translations=translations,
        judgement=piece.judgement or own,
        sent_id=sent_id,
        language=piece.language[0],
        meta=meta,
        where=Where(path, piece.line, sent_id),
    )
