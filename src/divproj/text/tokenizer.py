"""Words and sentences of running text as a treebank has them: marks, elisions, abbreviations, and words written as one.

A `Tokenizer` is learned from the surface of a treebank and kept in the language pack. Text is cut in three steps:

    L'ami du roi est-il venu ?     text
    L' ami du roi est -il venu ?   marks, elided words (`l'`), enclitics (`-il`)
    L' ami de le roi est -il venu ?   words written as one, which are rows of their own in CoNLL-U (`3-4 du`)

Whether a word stands for several is known from the treebank where it has the word: from how often it does, and, where both occur
(French *des* is *de les*, or an article), from the words beside it. Words that the treebank does not have go by their endings
(Spanish *verla* like *hacerla*).
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import log
from typing import Any

from divproj.core.errors import ModelError
from divproj.core.sentence import Rows, misc_value

ONE_READING = 0.98
"""Share of a written word's occurrences from which it always is, or never is, several words; the words beside it are not asked then."""


Span = tuple[int, int]
Parts = tuple[str, ...]


_TOKEN = re.compile(
    r"""
    (?:https?://|ftp://|www\.)[^\s<>"]*[^\s<>".,;:!?)\]}'’»]
    | (?<![\w.+-])[\w.+-]{1,64}@[\w-]+(?:\.[\w-]+)+
    | \d+(?:[.,:/-]\d+)*(?:-?[^\W\d_]+(?:-[^\W\d_]+)*)?
    | [^\W_]+(?:['’ʼ\u00ad][^\W_]+)*(?:[-‑][^\W_]+(?:['’ʼ][^\W_]+)*)*['’]?
    | \.{2,} | [-–—]{2,} | [!?]{2,} | _+ | `` | ''
    | \S
    """,
    re.VERBOSE,
)
_STOP = re.compile(r"[.!?…]+")
_CLOSING = frozenset("\"'”’)]}»›“«")
_OPENING = frozenset("\"'“”‘’«»‹›„([{¿¡—–-")
_APOSTROPHES = str.maketrans({"’": "'", "ʼ": "'", "‑": "-"})
SUFFIX = 7
"""Most letters of an ending that is learned."""
SUPPORT = 2
"""Different words that an ending must have been seen with."""


@dataclass(frozen=True)
class Token:
    """A stretch of the text without spaces inside, and the words that it stands for."""

    start: int
    end: int
    words: Parts


@dataclass(frozen=True)
class Tokenizer:
    """Rules for cutting text, learned from a treebank. Forms are kept in lower case with straight apostrophes."""

    elided: frozenset[str] = frozenset()
    """Beginnings that are words of their own, such as `l'`."""
    enclitics: frozenset[str] = frozenset()
    """Ends with a hyphen that are words of their own, such as `-il`."""
    whole: frozenset[str] = frozenset()
    """Words that would be cut, and are not: `aujourd'hui`, `rendez-vous`."""
    abbreviations: frozenset[str] = frozenset()
    cut_hyphens: bool = False
    ordinals: bool = False
    """Whether a number keeps its full stop (`3. Mai`)."""
    parts: dict[str, Parts] = field(default_factory=dict)
    """What words that are written as one stand for."""
    share: dict[str, float] = field(default_factory=dict)
    """How often words that are both do stand for several."""
    beside: dict[str, dict[str, float]] = field(default_factory=dict)
    """Of these words: what a neighbour adds to the log odds that they stand for several."""
    endings: dict[str, tuple[int, Parts]] = field(default_factory=dict)
    """Endings of words that stand for several: how many letters go, and what comes instead."""
    single: frozenset[str] = frozenset()
    """Words that end so and are one word."""

    # use

    def sentence_spans(self, text: str) -> list[Span]:
        """Return where each sentence of a text begins and ends.

        >>> [text[a:b] for text in ["¿Quién vino? El Sr. Li vino."] for a, b in Tokenizer().sentence_spans(text)]
        ['¿Quién vino?', 'El Sr.', 'Li vino.']
        """
        spans = list(self._surface(text))
        sentences, first = [], 0
        for k in range(len(spans)):
            if self._ends(text, spans, k):
                sentences.append((spans[first][0], spans[k][1]))
                first = k + 1
        return sentences

    def tokens(self, text: str) -> list[Token]:
        """Return the tokens of one sentence.

        >>> french = Tokenizer(elided=frozenset({"l'"}), enclitics=frozenset({"-il"}), parts={"du": ("de", "le")})
        >>> [word for token in french.tokens("L'ami du roi vient-il ?") for word in token.words]
        ["L'", 'ami', 'de', 'le', 'roi', 'vient', '-il', '?']
        """
        spans = list(self._surface(text))
        forms = [text[start:end] for start, end in spans]
        if forms and len(forms[-1]) > 1 and forms[-1].endswith(".") and forms[-1][0].isalpha() and forms[-1].count(".") == 1:
            start, end = spans.pop()
            spans += [(start, end - 1), (end - 1, end)]
            forms[-1:] = [text[start : end - 1], "."]
        low = [_low(form) for form in forms]
        return [Token(*span, self._words(forms[k], low, k)) for k, span in enumerate(spans)]

    def words(self, text: str) -> Parts:
        """Return the words of one sentence."""
        return tuple(word for token in self.tokens(text) for word in token.words)

    def _surface(self, text: str) -> Iterator[Span]:
        """Where tokens begin and end, before words are taken apart."""
        at = 0
        for match in _TOKEN.finditer(text):
            start, end = match.span()
            if start < at:
                continue
            word = text[start:end]
            if text[end : end + 1] == "." and text[end + 1 : end + 2] != "." and self._keeps_stop(word, text, end):
                end += 1
            at = end
            yield from self._cut(text, start, end) if word[0].isalnum() else [(start, end)]

    def _keeps_stop(self, word: str, text: str, end: int) -> bool:
        """Whether the full stop after a word belongs to it."""
        after = text[end + 1 :].lstrip()
        if word.isdigit():
            return self.ordinals and len(word) < 3 and after[:1].isalpha()
        initial = len(word) == 1 and word.isupper() and bool(after)
        return initial or _low(word) + "." in self.abbreviations

    def _cut(self, text: str, start: int, end: int) -> Iterator[Span]:
        """Take elided words off the beginning of a word, and enclitics off its end."""
        while start < end:
            word = _low(text[start:end])
            apostrophe = word.find("'") + 1
            if not apostrophe or word in self.whole or word[:apostrophe] not in self.elided or apostrophe == len(word):
                break
            yield start, start + apostrophe
            start += apostrophe
        word, ends = _low(text[start:end]), []
        if word.endswith("'") and word not in self.elided and len(word) > 1:  # a closing quotation mark
            ends.append((end - 1, end))
            end, word = end - 1, word[:-1]
        while "-" in word and word not in self.whole:
            cut = next((k for k, letter in enumerate(word) if k and letter == "-" and word[k:] in self.enclitics), 0)
            if not cut:
                break
            ends.append((start + cut, end))
            end, word = start + cut, word[:cut]
        if self.cut_hyphens and "-" in word and word not in self.whole and not word[0].isdigit():
            at = start
            for k, letter in enumerate(word):
                if letter == "-":
                    if at < start + k:
                        yield at, start + k
                    yield start + k, start + k + 1
                    at = start + k + 1
            start = at
        if start < end:
            yield start, end
        yield from reversed(ends)

    def _words(self, form: str, low: Sequence[str], k: int) -> Parts:
        """Return what a token stands for."""
        word = low[k]
        if word in self.parts:
            share = self.share.get(word, 1.0)
            if 1 - ONE_READING < share < ONE_READING:
                odds = log(share / (1 - share)) + sum(self.beside.get(word, {}).get(sign, 0.0) for sign in _neighbours(low, k))
                return _apply_case(form, self.parts[word]) if odds > 0 else (form,)
            return _apply_case(form, self.parts[word]) if share >= ONE_READING else (form,)
        if word in self.single or not self.endings or not form[:1].isalpha():
            return (form,)
        for size in range(min(SUFFIX, len(word) - 1), 0, -1):
            rule = self.endings.get(word[-size:])
            if rule:
                gone, (tail, *more) = rule
                return (form[: len(form) - gone] + tail, *more) if gone < len(form) or tail else (form,)
        return (form,)

    def _ends(self, text: str, spans: list[Span], k: int) -> bool:
        """Whether a sentence ends after token k: at a stop, before a space and something that may begin a sentence."""
        if k + 1 == len(spans):
            return True
        back = k
        while back and self._closes(text, spans, back):
            back -= 1
        form, after = text[slice(*spans[back])], text[spans[k + 1][0]]
        if self._closes(text, spans, k + 1):
            return False
        if spans[k][1] == spans[k + 1][0] or not _STOP.fullmatch(form):
            return False
        if form == "." and back == 1 and text[slice(*spans[0])].isdigit():
            return False  # the number of an item
        return after.isupper() or after.isdigit() or after in _OPENING or (back == k and form == "." and after.isalpha())

    @staticmethod
    def _closes(text: str, spans: list[Span], k: int) -> bool:
        """Whether a token closes a quotation or brackets: it stands at the word before it, or is `»` with spaces as the French write it."""
        form, near = text[slice(*spans[k])], spans[k - 1][1] == spans[k][0]
        apart = k + 1 == len(spans) or spans[k + 1][0] > spans[k][1]
        return (near and form in _CLOSING) or (form == "»" and apart)

    # learning

    @classmethod
    def learn(cls, sentences: Iterable[Rows], parts: Mapping[str, Parts] | None = None) -> Tokenizer:
        """Learn from the forms of a treebank, its multiword tokens, and where SpaceAfter=No joins them.

        `parts` has words that always stand for several; the treebank is believed where it knows better.
        """
        count = _Counts()
        for sentence in sentences:
            count.add(_surface_of(sentence))
        tokenizer = count.tokenizer()
        more = {word: words for word, words in (parts or {}).items() if word not in count.plain}
        return replace(tokenizer, parts={**more, **tokenizer.parts})

    # files

    def facts(self) -> dict[str, Any]:
        """Return what a model's file keeps."""
        return {
            "elided": sorted(self.elided),
            "enclitics": sorted(self.enclitics),
            "whole": sorted(self.whole),
            "abbreviations": sorted(self.abbreviations),
            "cut_hyphens": self.cut_hyphens,
            "ordinals": self.ordinals,
            "parts": {word: list(parts) for word, parts in sorted(self.parts.items())},
            "share": dict(sorted(self.share.items())),
            "beside": {word: dict(sorted(signs.items())) for word, signs in sorted(self.beside.items())},
            "endings": {ending: [gone, list(parts)] for ending, (gone, parts) in sorted(self.endings.items())},
            "single": sorted(self.single),
        }

    @classmethod
    def from_facts(cls, facts: dict[str, Any]) -> Tokenizer:
        """Return the tokenizer that a model's file describes; ModelError where it does not describe one."""
        try:
            words = {
                name: frozenset(map(_text, facts[name])) for name in ("elided", "enclitics", "whole", "abbreviations", "single")
            }
            return cls(
                **words,
                cut_hyphens=bool(facts["cut_hyphens"]),
                ordinals=bool(facts["ordinals"]),
                parts={_text(word): _parts(parts) for word, parts in facts["parts"].items()},
                share={_text(word): float(share) for word, share in facts["share"].items()},
                beside={word: {s: float(x) for s, x in signs.items()} for word, signs in facts["beside"].items()},
                endings={_text(ending): (int(gone), _parts(parts)) for ending, (gone, parts) in facts["endings"].items()},
            )
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise ModelError(f"'tokenizer' does not describe how text is cut: {error!r}") from None


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise TypeError(f"{value!r} is no text")
    return value


def _parts(values: Iterable[object]) -> Parts:
    parts = tuple(map(_text, values))
    if len(parts) < 2:
        raise ValueError(f"{parts} are not several words")
    return parts


def _low(form: str) -> str:
    return form.translate(_APOSTROPHES).lower()


def _apply_case(form: str, parts: Parts) -> Parts:
    """The parts, written as the word is."""
    if form.isupper() and len(form) > 1:
        return tuple(part.upper() for part in parts)
    if form[:1].isupper():
        return (parts[0][:1].upper() + parts[0][1:], *parts[1:])
    return parts


def _neighbours(low: Sequence[str], k: int) -> list[str]:
    """What is seen beside a word."""
    before = low[k - 1] if k else "^"
    after = low[k + 1] if k + 1 < len(low) else "$"
    return [f"<{before}", f"<-{before[-2:]}", f">{after}", f">-{after[-2:]}"]


@dataclass(frozen=True)
class _Piece:
    """A surface token of a treebank: its form, whether a space follows, and its words where these are several."""

    form: str
    space: bool
    parts: Parts = ()


def _surface_of(sentence: Rows) -> list[_Piece]:
    """Return the surface tokens of a sentence."""
    pieces, until, forms = [], 0, dict(zip(sentence.column(0), sentence.forms, strict=True))
    for row in sentence.lines:
        first, dash, last = row[0].partition("-")
        space = misc_value(row[9], "SpaceAfter") != "No"
        if dash and first.isdecimal() and last.isdecimal():
            until = int(last)
            words = tuple(forms.get(str(k), "") for k in range(int(first), until + 1))
            pieces.append(_Piece(row[1], space, words if all(words) and len(words) > 1 else ()))
        elif row[0].isdecimal() and int(row[0]) > until:
            pieces.append(_Piece(row[1], space))
    return pieces


@dataclass
class _Counts:
    """What is counted in a treebank."""

    split: dict[str, Counter[Parts]] = field(default_factory=lambda: defaultdict(Counter))
    plain: Counter[str] = field(default_factory=Counter)
    elided: Counter[str] = field(default_factory=Counter)
    enclitics: Counter[str] = field(default_factory=Counter)
    stopped: Counter[str] = field(default_factory=Counter)
    apart: Counter[bool] = field(default_factory=Counter)
    ordinals: Counter[bool] = field(default_factory=Counter)
    signs: dict[tuple[str, bool], Counter[str]] = field(default_factory=lambda: defaultdict(Counter))

    def add(self, pieces: list[_Piece]) -> None:
        low = [_low(piece.form) for piece in pieces]
        for k, piece in enumerate(pieces):
            word, near = low[k], not piece.space and k + 1 < len(pieces)
            if piece.parts:
                self.split[word][tuple(map(str.lower, piece.parts))] += 1
            else:
                self.plain[word] += 1
            self.signs[word, bool(piece.parts)].update(_neighbours(low, k))
            glued = bool(k) and not pieces[k - 1].space
            if near and word.endswith("'") and word[:-1].isalpha() and low[k + 1][:1].isalpha():
                self.elided[word] += 1
            if glued and len(word) > 1 and word[0] == "-" and word[1:2].isalpha() and low[k - 1][-1:].isalpha():
                self.enclitics[word] += 1
            if word.endswith(".") and word[:-1].isalpha() and k + 1 < len(pieces):
                self.stopped[word] += 1
            if word == "-" and glued and near and low[k - 1].isalpha() and low[k + 1].isalpha():
                self.apart[True] += 1
            if "-" in word[1:-1] and all(part.isalpha() for part in word.split("-")) and not piece.parts:
                self.apart[False] += 1
            if word.rstrip(".").isdigit() and k + 1 < len(pieces) and len(word.rstrip(".")) < 3:
                if word.endswith("."):
                    self.ordinals[True] += 1
                elif near and low[k + 1] == ".":
                    self.ordinals[False] += 1

    def tokenizer(self) -> Tokenizer:
        parts = {word: max(sorted(splits), key=splits.__getitem__) for word, splits in self.split.items()}
        known = {word: parts[word] for word in parts if self.split[word].total() > 1 or not self.plain[word]}
        share = {w: self.split[w].total() / (self.split[w].total() + self.plain[w]) for w in known if self.plain[w]}
        beside = {word: self._beside(word) for word, value in share.items() if 1 - ONE_READING < value < ONE_READING}
        endings, single = self._endings(parts)
        elided = frozenset(word for word, count in self.elided.items() if count > 1)
        enclitics = frozenset(word for word, count in self.enclitics.items() if count > 1 or len(word) < 5)
        cut = self.apart[True] > self.apart[False]
        whole = {word for word, count in self.plain.items() if count > 1 and self._would_be_cut(word, elided, enclitics, cut)}
        single = frozenset(word for word in single if word not in known)
        return Tokenizer(
            elided,
            enclitics,
            frozenset(whole),
            frozenset(word for word, count in self.stopped.items() if count > 1 or len(word) < 5),
            cut,
            self.ordinals[True] > self.ordinals[False],
            known,
            {word: round(value, 4) for word, value in share.items()},
            beside,
            endings,
            single,
        )

    def _would_be_cut(self, word: str, elided: frozenset[str], enclitics: frozenset[str], cut: bool) -> bool:
        apostrophe = word.find("'") + 1
        if 0 < apostrophe < len(word):
            return word[:apostrophe] in elided
        at = word.find("-", 1)
        inner = at > 0 and all(part.isalpha() for part in word.split("-"))
        return inner and (cut or any(word[k:] in enclitics for k, letter in enumerate(word) if k and letter == "-"))

    def _beside(self, word: str) -> dict[str, float]:
        """What neighbours add to the log odds that a word stands for several (naive Bayes; half of it, as they are two views)."""
        several, one = self.signs[word, True], self.signs[word, False]
        totals = self.split[word].total(), self.plain[word]
        odds = {
            sign: round(0.5 * log((several[sign] + 0.5) / (totals[0] + 1) * (totals[1] + 1) / (one[sign] + 0.5)), 2)
            for sign in {*several, *one}
            if several[sign] + one[sign] > 1
        }
        return {sign: value for sign, value in odds.items() if abs(value) >= 0.3}

    def _endings(self, parts: dict[str, Parts]) -> tuple[dict[str, tuple[int, Parts]], frozenset[str]]:
        """Endings that mostly stand for several words, and the known words among those with such an ending that do not."""
        rules: dict[str, Counter[tuple[int, Parts]]] = defaultdict(Counter)
        for word, word_parts in parts.items():
            same = 0
            while same < min(len(word), len(word_parts[0])) and word[same] == word_parts[0][same]:
                same += 1
            if not same:
                continue
            rule = (len(word) - same, (word_parts[0][same:], *word_parts[1:]))
            for size in range(max(2, len(word) - same), min(SUFFIX, len(word) - 1) + 1):
                rules[word[-size:]][rule] += 1
        others: Counter[str] = Counter()
        for word in self.plain:
            if word not in parts and word[:1].isalpha():
                others.update(word[-size:] for size in range(2, min(SUFFIX, len(word) - 1) + 1) if word[-size:] in rules)
        kept: dict[str, tuple[int, Parts]] = {}
        for ending, found_rules in sorted(rules.items()):
            rule, count = max(sorted(found_rules.items()), key=lambda item: item[1])
            if count >= SUPPORT and count > others[ending] + found_rules.total() - count:
                kept[ending] = rule
        shortest = {e: rule for e, rule in kept.items() if not any(kept.get(e[k:]) == rule for k in range(1, len(e) - 1))}
        single = {
            word
            for word in self.plain
            if word not in parts and any(word[-size:] in shortest for size in range(2, min(SUFFIX, len(word) - 1) + 1))
        }
        return shortest, frozenset(single)
