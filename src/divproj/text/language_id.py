"""Which language a translation is in, by its words and letters; from a small table of our own, nothing is downloaded.

Latin and Cyrillic text is compared with the languages of `language_samples`; other scripts speak for themselves. A line
that is too short, or like none of them, is left undecided: the code is ''. `of_lines` pools the lines of a file.
"""

from __future__ import annotations

import math
import re
import unicodedata
from collections import Counter
from collections.abc import Iterable
from functools import lru_cache
from typing import NamedTuple

from divproj.text.language_samples import SAMPLES
from divproj.text.language_words import WORDS
from divproj.text.settings import (
    CERTAIN,
    COMMON_LANGUAGE,
    FAMILIAR,
    JAPANESE,
    LONG,
    NO_TRIGRAM,
    ONE_WORD,
    SINGLE_LETTER,
    SURE_LANGUAGE,
    TEMPER,
    WORD_SHARE,
)

LANGUAGES = (*(sample.code for sample in SAMPLES), "zh", "ja", "ko", "el", "he", "th", "ka", "hy", "ar", "fa", "hi")
"""Codes that can be the answer."""
MOST = 5000
"""Characters of one line that are looked at."""
_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)*")
_TAG = re.compile(r"<[^<>]{1,40}>|https?://\S+")
_SCRIPTS = {
    "HIRAGANA": "ja", "KATAKANA": "ja", "HANGUL": "ko", "CJK": "zh", "GREEK": "el", "HEBREW": "he", "THAI": "th",
    "GEORGIAN": "ka", "ARMENIAN": "hy", "ARABIC": "ar", "DEVANAGARI": "hi",
}  # fmt: skip


_ALSO = {"ja": ("CJK", "HIRAGANA", "KATAKANA"), "ko": ("HANGUL", "CJK"), "fa": ("ARABIC",)}
"""Scripts of languages that `_SCRIPTS` does not have, or not all of."""


class Guess(NamedTuple):
    """A language code, '' when undecided, and how probable the best one was."""

    code: str
    score: float


class _Table(NamedTuple):
    code: str
    prior: float
    words: dict[str, float]
    """Log-probability of the frequent words."""
    trigrams: dict[str, float]
    """log P(third letter | two before it)."""
    cyrillic: bool


@lru_cache(maxsize=1)
def _tables() -> tuple[_Table, ...]:
    total = sum(sample.weight for sample in SAMPLES)
    return tuple(
        _Table(
            sample.code,
            math.log(sample.weight / total),
            _frequent(f"{sample.words} {WORDS.get(sample.code, '')}"),
            _trigrams(f"{sample.words} {WORDS.get(sample.code, '')} {sample.text}"),
            "CYRILLIC" in unicodedata.name(sample.words.strip()[0], ""),
        )
        for sample in SAMPLES
    )


def _frequent(words: str) -> dict[str, float]:
    """Zipf's law by rank: P = 0.1 / (rank + 2), halved for the words that are not in the list."""
    ranked = list(dict.fromkeys(words.split()))
    return {word: math.log(WORD_SHARE / (rank + 2)) for rank, word in enumerate(ranked, 1)}


def _trigrams(text: str) -> dict[str, float]:
    counts: Counter[str] = Counter()
    for word in _WORD.findall(text.lower()):
        counts.update(_pieces(word))
    before: Counter[str] = Counter()
    singles: Counter[str] = Counter()
    for piece, count in counts.items():
        before[piece[:2]] += count
        singles[piece[2]] += count
    letters = sum(singles.values())
    single = {letter: math.log(SINGLE_LETTER * count / letters) for letter, count in singles.items()}
    found = {piece: math.log(count / (before[piece[:2]] + 2)) for piece, count in counts.items()}
    return {**single, **found}


def _pieces(word: str) -> list[str]:
    padded = f"  {word.replace('’', chr(39))} "
    return [padded[k : k + 3] for k in range(len(padded) - 2)]


def of_text(text: str, among: Iterable[str] = ()) -> Guess:
    """The language of one line; `among` limits the choice to some codes.

    >>> of_text("The man went home with his dog.").code, of_text("El hombre se fue a su casa con el perro.").code
    ('en', 'es')
    >>> of_text("Ana Maria").code
    ''
    """
    return of_lines([text], among)


def of_lines(texts: Iterable[str], among: Iterable[str] = ()) -> Guess:
    """The language that all lines are in together."""
    allowed = frozenset(among)
    clean = [unicodedata.normalize("NFC", _TAG.sub(" ", text[:MOST])) for text in texts]
    script = _by_script(clean)
    if script:
        return script if not allowed or script.code in allowed else Guess("", 0.0)
    words = [word for text in clean for word in _telling(text)]
    return _by_words(words, allowed)


def of_each(texts: Iterable[str], among: Iterable[str] = ()) -> list[Guess]:
    """A guess for each line, those of one file: short lines follow the languages that the others are in.

    >>> [guess.code for guess in of_each(["Sim.", "Eu não sei quem é a mulher dele.", "Você vai para a casa da sua mãe?"])]
    ['pt', 'pt', 'pt']
    """
    lines = list(texts)
    alone = [of_text(line, among) for line in lines]
    counts = Counter(guess.code for guess in alone if guess.code)
    whole = of_lines(lines, among)
    likely = {code for code, count in counts.items() if count >= COMMON_LANGUAGE * counts.total() and count > 1} | (
        {whole.code} - {""}
    )
    if not whole.code and 2 * counts.total() < sum(bool(line.strip()) for line in lines) and len(lines) > LONG:
        sure = [guess.score >= CERTAIN and len(line.split()) >= LONG for line, guess in zip(lines, alone, strict=True)]
        some = sum(sure) >= COMMON_LANGUAGE * len(lines)  # a few lines of a text in no known language may look like anything
        return [guess if here and some else Guess("", guess.score) for here, guess in zip(sure, alone, strict=True)]
    if not likely:
        return alone
    return [_among_likely(line, guess, likely) for line, guess in zip(lines, alone, strict=True)]


def _among_likely(line: str, alone: Guess, likely: set[str]) -> Guess:
    if not line.strip() or alone.code in likely or (alone.code and alone.score >= CERTAIN and len(line.split()) >= LONG):
        return alone
    compared = {table.code for table in _tables()}
    if alone.code and alone.code not in compared:  # the script says it
        return alone
    if len(likely) > 1:
        return of_text(line, likely)
    code = next(iter(likely))
    if code not in compared or not script_of(line) or not can_be(code, line):
        return alone if code not in compared or alone.code else Guess("", 0.0)
    return Guess(code, 1 - alone.score if alone.code else alone.score)


def script_of(text: str) -> str:
    """Return the script of most letters of a text, as Unicode names it; '' without letters.

    >>> script_of("Она ушла, OK?"), script_of("12!")
    ('CYRILLIC', '')
    """
    counts = _letters_by_script([text])
    return counts.most_common(1)[0][0] if counts else ""


def can_be(code: str, text: str) -> bool:
    """Return whether a text can be in a language, judged by its script; True where either is not known.

    >>> can_be("en", "Она ушла домой."), can_be("uk", "Она ушла домой."), can_be("en", "12")
    (False, True, True)
    """
    script, scripts = script_of(text), _scripts_of(code)
    return not script or not scripts or script in scripts


@lru_cache(maxsize=1000)
def _scripts_of(code: str) -> tuple[str, ...]:
    cyrillic = {table.code: table.cyrillic for table in _tables()}
    if code in cyrillic:
        return ("CYRILLIC",) if cyrillic[code] else ("LATIN",)
    return _ALSO.get(code, tuple(script for script, language in _SCRIPTS.items() if language == code))


def _letters_by_script(texts: list[str]) -> Counter[str]:
    counts: Counter[str] = Counter()
    for char in (char for text in texts[:200] for char in text[:500]):
        if char > "ʯ" and char.isalpha():
            counts[unicodedata.name(char, "?").split()[0].split("-")[0]] += 1
        elif char.isalpha():
            counts["LATIN"] += 1
    return counts


def _by_script(texts: list[str]) -> Guess | None:
    """The language of a script that one language of translation uses; None for Latin, Cyrillic and no letters."""
    counts = _letters_by_script(texts)
    if not counts:
        return None
    script, most = counts.most_common(1)[0]
    japanese = counts["HIRAGANA"] + counts["KATAKANA"]
    if script in ("CJK", "HIRAGANA", "KATAKANA") and japanese > JAPANESE * most:
        script, most = "HIRAGANA", japanese + counts["CJK"]
    if script not in _SCRIPTS:
        return None
    code = _SCRIPTS[script]
    if code == "ar" and re.search("[پچژگک]", "".join(texts[:200])):
        code = "fa"
    share = most / counts.total()
    return Guess(code, share) if share > 0.5 else Guess("", share)


def _telling(text: str) -> list[str]:
    """Words that tell the language: names, that is capitals within a sentence, and words of capitals tell little."""
    found: list[str] = []
    for match in _WORD.finditer(text):
        word = match[0]
        before = text[max(0, match.start() - 3) : match.start()].rstrip()
        inside = bool(before) and before[-1] not in ".!?:;“”\"'‘’«»„¿¡([—–-…"
        if len(word) > 1 and (word.isupper() or (inside and word[0].isupper() and word.lower() not in _all_frequent())):
            continue
        found.append(word.lower().replace("’", "'"))
    return found


@lru_cache(maxsize=1)
def _all_frequent() -> frozenset[str]:
    return frozenset(word for table in _tables() for word in table.words)


@lru_cache(maxsize=20_000)
def _scores(word: str) -> tuple[float, ...]:
    """log P(word | language) of all languages."""
    pieces = _pieces(word)
    found = []
    for table in _tables():
        known = table.words.get(word)
        spelled = sum(table.trigrams.get(piece, table.trigrams.get(piece[2], NO_TRIGRAM)) for piece in pieces) - 1.0
        found.append(max(known, spelled) if known is not None else spelled)
    return tuple(found)


def _by_words(words: list[str], allowed: frozenset[str]) -> Guess:
    tables = _tables()
    if not words:
        return Guess("", 0.0)
    sums = [table.prior for table in tables]
    for word in words[:2000]:
        scores = _scores(word)
        floor = max(scores) - ONE_WORD  # one word alone decides nothing
        for k, score in enumerate(scores):
            sums[k] += TEMPER * max(score, floor)
    ranked = [(value, table) for value, table in zip(sums, tables, strict=True) if not allowed or table.code in allowed]
    if not ranked:
        return Guess("", 0.0)
    top = max(value for value, _ in ranked)
    weights = [math.exp(value - top) for value, _ in ranked]
    best = weights.index(max(weights))
    score, table = weights[best] / sum(weights), ranked[best][1]
    known = sum(word in table.words for word in words)
    enough = known >= 1 and known / len(words) >= (FAMILIAR if len(words) > 6 else 0.0)
    return Guess(table.code if score >= SURE_LANGUAGE and enough else "", score)
