"""Interlinear examples in LaTeX: gb4e, langsci-gb4e, covington (`\\gll … \\\\ … \\\\ \\glt`), linguex (`\\exg.`), philex,
expex (`\\begingl`).

An example ends where its package ends it. Lines that go on under `\\sn`, or in a second `\\gll` without a translation
between, are one sentence. Text between the lines and the translation, references after it and footnotes are kept apart.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any, BinaryIO

from divproj.data.errors import Faults, FormatError, Where
from divproj.data.igt import Igt
from divproj.io import latex_lines, latex_parts, latex_translation
from divproj.io.files import Source
from divproj.io.igt_parts import instance, preferred, squeezed, without_judgement
from divproj.io.igt_text import Options, from_file, from_text, lines
from divproj.io.latex_parts import COVINGTON, ENDS, FIELD, GLL, JUDGED, KEPT, LANGINFO, LINGUEX, PHILEX, is_free, plain_label
from divproj.io.latex_text import plain
from divproj.io.tex_tokens import Token, argument, arguments, expanded, optional, skip_space, tokenized


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
    asides: list[str] = field(default_factory=list)
    """What stands at the right edge of the lines."""
    more: list[list[Sequence[Token]]] = field(default_factory=list)
    """Lines of the pieces that go on."""


_NAMED = ("begin", "end", "exi", "exr", "exp")
"""Macros that begin or end an example and have an argument."""


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
        if name in GLL or name == "begingl" or LINGUEX.fullmatch(name):
            return True
        if name in COVINGTON:
            return len(latex_parts.spaced_arguments(self.tokens, self.k + 1)[0]) > COVINGTON[name]
        return self._by_shape(name) is not None

    def _by_shape(self, name: str) -> tuple[list[Sequence[Token]], int] | None:
        """(words, gloss, translation) of a macro of the author's own that has three arguments or more which look so."""
        if not name.isalpha() or self._is_end(name) or PHILEX.fullmatch(name) or name in LANGINFO:
            return None
        found, end = latex_parts.spaced_arguments(self.tokens, self.k + 1)
        chosen = latex_lines.glossed(found) if len(found) >= 3 else None
        return (chosen, end) if chosen else None

    def _macro(self, token: Token) -> None:
        name = token.text
        if name == "label":
            said, after = argument(self.tokens, self.k + 1)
            self.labels = (*self.labels, plain_label(said))
            self.k = after - 1
        elif name.rstrip("*") in JUDGED:
            options, found, after = arguments(self.tokens, self.k + 1)
            mark = found[0] if found else argument(self.tokens, self.k + 1)[0]
            shown = latex_parts.marks(options[0] if options and not latex_parts.marks(mark) else mark)
            self.judgement = "*" if name.endswith("*") else shown
            self.k = max(after - 1, self.k)
            self.start = self.k + 1
        elif name in LANGINFO:
            _, found, after = arguments(self.tokens, self.k + 1)
            if len(found) == 3:
                named = [squeezed(plain(part)).strip(" ()") for part in found]
                self.language = (named[0] or named[1], named[2])
            self.k = max(after - 1, self.k)
            self.start = self.k + 1
        elif PHILEX.fullmatch(name):
            self._philex()
        elif self._is_end(name):
            if name == "sn":
                self.soft = True
                return
            self._new_example(name)

    def _new_example(self, name: str) -> None:
        """An example begins, or one ends: what was said before does not belong to the next."""
        keep = self.labels if name == "begin" and not self._has_text() else ()
        inner, after = argument(self.tokens, self.k + 1) if name in _NAMED else ((), self.k + 1)
        number = plain(inner).strip(" ()[].") if name == "exi" else ""
        self._began(after)
        self.labels, self.fresh, self.soft = (number,) if number.isalnum() else keep, True, False
        option, after = optional(self.tokens, after)
        if option is not None:
            self.judgement = latex_parts.marks(option)
        tag, after = latex_parts.tag(self.tokens, after)
        if tag:
            self.labels = (tag,)
        self.start, self.k = after, after - 1

    def _philex(self) -> None:
        """`\\lb{label}{…}`, `\\lbp{label}{mark or name}{…}`: the example is inside the last group."""
        found, end = latex_parts.spaced_arguments(self.tokens, self.k + 1)
        self._began(self.k + 1)
        self.fresh, self.soft = True, False
        if len(found) < 2:
            return
        self.labels = (plain_label(found[0]),)
        self.judgement = latex_parts.marks(found[1]) if len(found) > 2 else ""
        inside = 1 if not self.judgement else 2
        for _ in range(inside):
            self.k = argument(self.tokens, skip_space(self.tokens, self.k + 1))[1] - 1
        self.start = self.k + 1
        del end

    def _has_text(self) -> bool:
        return any(token.kind == "text" for token in self.tokens[self.start : self.k])

    def _is_end(self, name: str) -> bool:
        if name in ENDS or LINGUEX.fullmatch(name) or PHILEX.fullmatch(name) or re.fullmatch(r"(?:ex[ir]?|[a-h]|z)\.", name):
            return True
        return name == "a" and self.has_pex

    def _piece(self, token: Token) -> Piece:
        k = self.k
        linguex = bool(LINGUEX.fullmatch(token.text))
        if linguex:
            self._began(k + 1)
            self.fresh = True
            while k + 1 < len(self.tokens) and self.tokens[k + 1].kind == "macro" and self.tokens[k + 1].text == "label":
                said, after = argument(self.tokens, k + 2)
                self.labels = (*self.labels, plain_label(said))
                k = after - 1
            k = optional(self.tokens, k + 1)[1] - 1
        preamble = self._preamble() if not linguex else ()
        made = Piece(token.line, [], [], preamble, self.judgement, self.labels, self.language, not self.fresh, self.soft)
        marked = latex_parts.marks([token for token in preamble if token.kind != "space"])
        if marked and not self.judgement:
            made.judgement, made.preamble = marked, ()
        if token.text == "begingl":
            end = self._expex(made, k + 1)
        elif token.text in COVINGTON:
            found, end = latex_parts.spaced_arguments(self.tokens, k + 1)
            count = COVINGTON[token.text]
            made.rows, made.free = list(found[:count]), [found[count]]
        elif shaped := None if token.text in GLL or linguex else self._by_shape(token.text):
            (*made.rows, free), end = shaped
            made.free = [free]
        else:
            end = self._gll(made, k + 1, token.text, linguex)
        rows = [latex_parts.without_aside(row) for row in made.rows]
        made.rows, made.asides = [row for row, _ in rows], [aside for _, aside in rows if aside]
        tail = self.tokens[k:end]
        made.labels = (*made.labels, *latex_parts.labels(tail), *self._closing_labels(end))
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
        wanted = GLL.get(name, 2)
        closed = True
        while len(made.rows) < wanted and closed:
            end, closed = self._line_end(k)
            made.rows.append(self.tokens[k:end])
            k = end + 1 if closed else end
        if len(made.rows) == wanted - 1 and closed:
            made.rows.append(())
        if len(made.rows) == 1 and not closed:
            by_line = latex_parts.by_source_lines(made.rows[0])
            made.rows = by_line if len(by_line) == wanted else made.rows
        if not closed and len(made.rows) > 1 and (cut := latex_parts.unclosed(made.rows[-1])):
            k -= len(made.rows[-1]) - cut
            made.rows[-1] = made.rows[-1][:cut]
        if len([row for row in made.rows if row]) < wanted:
            what = f"\\{name} with {len([row for row in made.rows if row])} of its {wanted} lines, each ended by \\\\"
            self.faults.file(FormatError(what, Where(self.path, made.line), "read as far as it goes"))
        end = self.example_end(k)
        made.free = latex_translation.parts(self.tokens[k:end], linguex)
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
        return is_free(name) or name in ("gln", "glend") or self._is_end(name) or name in GLL or name in ("begingl", *COVINGTON)

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
                if not (after < len(self.tokens) and self.tokens[after].kind == "macro" and is_free(self.tokens[after].text)):
                    return k
            elif not depth and token.kind == "macro" and self._opens_or_ends(token.text):
                return k
            k += 1
        return k

    def _opens_or_ends(self, name: str) -> bool:
        return self._is_end(name) or name in GLL or name == "begingl"

    def _expex(self, made: Piece, k: int) -> int:
        option, k = optional(self.tokens, skip_space(self.tokens, k))
        columns = "nlevel" in plain_label(option or ())
        end, depth, closed = k, 0, False
        while end < len(self.tokens):
            token = self.tokens[end]
            depth += (token.kind == "open") - (token.kind == "close")
            name = token.text if token.kind == "macro" else ""
            closed = name == "endgl"
            ended = name and not depth and (self._is_end(name) or name in GLL or name == "begingl") and not FIELD.match(name)
            if closed or ended or depth < 0 or (token.kind == "par" and not self._field_follows(end)):
                break
            end += 1
        if not closed:
            what = "\\begingl without \\endgl"
            self.faults.file(FormatError(what, Where(self.path, made.line), "read up to where the example ends"))
        region = self.tokens[k:end]
        starts = [at for at in latex_parts.at_top(region, None) if FIELD.match(region[at].text)]
        if columns and not any(region[at].text == "glpreamble" for at in starts):
            made.rows = latex_parts.nlevel(region[: starts[0] if starts else len(region)])
        for at, after in pairwise((*starts, len(region))):
            name = region[at].text
            option, first = optional(region, skip_space(region, at + 1))
            del option
            said = latex_parts.until_slashes(region[first:after])
            if columns and name == "glpreamble":
                head = first + len(said) + 1
                made.rows = latex_parts.nlevel(region[head:after])
            if name == "glpreamble":
                made.preamble = said
            elif len(name) == 3:
                made.rows.append(latex_parts.without_breaks(said))
            else:
                made.free.append(said)
        return end + 1 if closed else end

    def _field_follows(self, k: int) -> bool:
        """Whether after a blank line a line of the same example comes."""
        after = skip_space(self.tokens, k + 1)
        return after < len(self.tokens) and self.tokens[after].kind == "macro" and (
            bool(FIELD.match(self.tokens[after].text)) or self.tokens[after].text == "endgl"
        )  # fmt: skip


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
    glosses = rows.get("glosses", [])
    if words and latex_parts.MARKS.match(words[0]) and glosses[:1] == [""]:
        own, words, rows["glosses"] = words[0], words[1:], glosses[1:]
        rows["segments"] = rows.get("segments", [])[1:]
    elif own:
        words = [first, *words[1:]] if first else words[1:]
    free = [made for tokens in piece.free for made in latex_translation.taken_all(tokens)]
    translation, translations = preferred([(made.code, made.text) for made in free if made.text], options.lang)
    meta = [("preamble", latex_translation.preamble(piece.preamble)), ("line", " ".join(rows.get("line", [])))]
    meta += [made.beside for made in free]
    meta += [("note", aside) for aside in piece.asides]
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
