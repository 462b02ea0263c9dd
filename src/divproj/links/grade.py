"""How well an instance keeps the Leipzig Glossing Rules, what does not line up, and how to fix it.

Level 1: every word has its gloss. Level 2: and every morpheme. Level 3: and every abbreviation is known. Level 0: none.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from divproj.core.sentence import BOUNDARY, Sentence, morphs
from divproj.links.grams import LANGUAGES, Grams, gram_key

LEVELS = ("words do not line up", "words line up", "morphemes line up", "abbreviations known")
"""What each level means."""
KINDS = ("words", "glosses", "segments", "morphemes", "boundaries", "abbreviations", "translation", "tags")
LEIPZIG = frozenset({
    "1", "2", "3", "A", "ABL", "ABS", "ACC", "ADJ", "ADV", "AGR", "ALL", "ANTIP", "APPL", "ART", "AUX", "BEN", "CAUS",
    "CLF", "COM", "COMP", "COMPL", "COND", "COP", "CVB", "DAT", "DECL", "DEF", "DEM", "DET", "DIST", "DISTR", "DU",
    "DUR", "ERG", "EXCL", "F", "FOC", "FUT", "GEN", "IMP", "INCL", "IND", "INDF", "INF", "INS", "INTR", "IPFV", "IRR",
    "LOC", "M", "N", "NEG", "NMLZ", "NOM", "OBJ", "OBL", "P", "PASS", "PFV", "PL", "POSS", "PRED", "PRF", "PRS",
    "PROG", "PROH", "PROX", "PST", "PTCP", "PURP", "Q", "QUOT", "RECP", "REFL", "REL", "RES", "S", "SBJ", "SBJV",
    "SG", "TOP", "TR", "VOC",
})  # fmt: skip
"""The abbreviations of the Leipzig Glossing Rules."""
_CUT = re.compile(r"[-=~–‐‑−.:;,/\\()\[\]{}<>_+&|'’`\"“”!?*#\s]+")
_PERSON = re.compile(r"(?:12|13|23|[0-4])(?=[A-Z])")
_ROMAN = re.compile(r"X{0,3}(?:IX|IV|V?I{0,3})")
_ORDINAL = re.compile(r"\d*(?:1st|2nd|3rd|\dth)")
_NUMBERS = ("SG", "PL", "DU", "NSG", "S", "P", "D", "NS", "TRI", "PAU", "PC")
_GENDERS = ("M", "F", "N", "C", "MASC", "FEM", "NEUT", "EX", "IN", "EXC", "INC", "EXCL", "INCL")


@dataclass(frozen=True)
class Finding:
    """One thing that is wrong: its kind, what was found, how to fix it, and at which word (0: the whole instance)."""

    kind: str
    message: str
    remedy: str
    word: int = 0

    def __str__(self) -> str:
        return f"{self.message}; {self.remedy}"


@dataclass(frozen=True)
class Grade:
    """The level of an instance and why it is not higher."""

    level: int
    findings: tuple[Finding, ...] = ()
    unknown: tuple[str, ...] = ()


def grade(igt: Sentence, known: Collection[str] = LEIPZIG) -> Grade:
    """Grade an instance; `known` are the abbreviations that its reader can look up.

    >>> grade(Sentence(("Hund-e",), (), ("dog-PL",), translation="dogs")).level
    3
    >>> print(grade(Sentence(("Hunde",), (), ("dog", "PL"), translation="dogs")).findings[0])
    1 word but 2 glosses, without a word: 'PL'; write one gloss a word, parts of one gloss joined by '.'
    """
    lines = tuple(_lines(igt))
    others = tuple(_others(igt))
    if lines:
        return Grade(0, lines + others, _unknown_abbreviations(igt, known))
    parts = tuple(_morphemes(igt))
    unknown = _unknown_abbreviations(igt, known)
    findings = (*parts, *_boundaries(igt), *_abbreviations(igt, unknown), *others)
    return Grade(1 if parts else 2 if unknown else 3, findings, unknown)


def _number_of(n: int, noun: str) -> str:
    return f"{n} {noun}{'' if n == 1 else 's' if noun[-1] != 's' else 'es'}"


def _quote(tokens: Sequence[str], most: int = 4) -> str:
    return ", ".join(f"'{token}'" for token in tokens[:most]) + (", …" if len(tokens) > most else "")


def _is_punctuation(token: str) -> bool:
    return not any(char.isalnum() for char in token)


def _lines(igt: Sentence) -> Iterator[Finding]:
    """Words, segmented words and glosses must be as many."""
    n = len(igt.words)
    if not n:
        yield Finding("words", "no words", "write the sentence above its gloss or translation")
        return
    if not igt.glosses:
        yield Finding("glosses", f"no gloss line for {_number_of(n, 'word')}", "write a gloss under each word")
    elif len(igt.glosses) != n:
        yield _length_mismatch(igt.words, igt.glosses, ("word", "gloss"), "glosses")
    else:
        pairs = enumerate(zip(igt.words, igt.glosses, strict=True), 1)
        empty = [(k, word) for k, (word, gloss) in pairs if not gloss and not _is_punctuation(word)]
        if empty:
            message = f"{_number_of(len(empty), 'word')} without a gloss: {_quote([word for _, word in empty])}"
            yield Finding("glosses", message, "write a gloss under each word", empty[0][0])
    if igt.segments and len(igt.segments) != n:
        yield _length_mismatch(igt.words, igt.segments, ("word", "segmented word"), "segments")


def _length_mismatch(words: tuple[str, ...], others: tuple[str, ...], nouns: tuple[str, str], kind: str) -> Finding:
    """Two lines with different numbers of tokens, and what is likely to be the cause."""
    n, m = len(words), len(others)
    message = f"{_number_of(n, nouns[0])} but {_number_of(m, nouns[1])}"
    longer = words if n > m else others
    for k, token in enumerate(longer, 1):
        if len(token) > 1 and (token[0] in "-=~" or token[-1] in "-=~"):
            pair = longer[k - 2 : k] if token[0] in "-=~" else longer[k - 1 : k + 1]
            return Finding(kind, f"{message}: '{token}' stands apart", f"join {_quote(pair)} without a blank", k)
    marks = [token for token in longer if _is_punctuation(token)]
    if marks and len(longer) - len(marks) == sum(not _is_punctuation(x) for x in (others if longer is words else words)):
        remedy = "write it in both lines, or at the end of the word before it"
        return Finding(kind, f"{message}: only one line has {_quote(sorted(set(marks)))}", remedy, longer.index(marks[0]) + 1)
    pairs = zip(words, others, strict=False)
    parting = next((k for k, (word, other) in enumerate(pairs, 1) if len(morphs(word)) != len(morphs(other))), 0)
    if parting:
        message += f"; they no longer match from word {parting} on: '{words[parting - 1]}' is above '{others[parting - 1]}'"
    else:
        rest = longer[min(n, m) :]
        message += f", without a {nouns[1] if n > m else nouns[0]}: {_quote(rest)}"
    return Finding(kind, message, f"write one {nouns[1]} a word, parts of one gloss joined by '.'", parting or min(n, m) + 1)


def _pairs(igt: Sentence) -> list[tuple[str, str]]:
    """(segmented word, gloss) of each word, where both lines have as many."""
    parts = igt.segments if len(igt.segments) == len(igt.words) else igt.words
    return list(zip(parts, igt.glosses, strict=True)) if len(igt.glosses) == len(igt.words) else []


def _morphemes(igt: Sentence) -> Iterator[Finding]:
    pairs = _pairs(igt)
    if not any(len(morphs(part)) > 1 for part, _ in pairs):
        segmented = [gloss for _, gloss in pairs if len(morphs(gloss)) > 1]
        if segmented:
            message = f"{_number_of(len(segmented), 'gloss')} with boundaries but no word has any: {_quote(segmented)}"
            yield Finding("morphemes", message, "segment the words too, or write '.' for '-' in the glosses")
            return
    for k, (part, gloss) in enumerate(pairs, 1):
        n, m = len(morphs(part)), len(morphs(gloss))
        if n != m and not _is_punctuation(part):
            message = f"'{part}' has {_number_of(n, 'morpheme')}, its gloss '{gloss}' {m}"
            remedy = (
                "segment the word, or join glosses of one morpheme by '.'" if n < m else "gloss every morpheme, or join them"
            )
            yield Finding("morphemes", message, remedy, k)
        elif part.count("<") != gloss.count("<") and "<" in part + gloss and not _is_punctuation(part):
            yield Finding("morphemes", f"'{part}' and '{gloss}' differ in infixes <…>", "mark an infix in both", k)


def _boundaries(igt: Sentence) -> Iterator[Finding]:
    """The same marks between morphemes in both lines."""
    for k, (part, gloss) in enumerate(_pairs(igt), 1):
        above, below = ([match[0] for match in BOUNDARY.finditer(token)] for token in (part, gloss))
        if len(above) == len(below) and above != below:
            message = f"'{part}' has {' '.join(above)} where its gloss '{gloss}' has {' '.join(below)}"
            yield Finding("boundaries", message, "write the same boundary in both", k)


def _abbreviations(igt: Sentence, unknown: tuple[str, ...]) -> Iterator[Finding]:
    if unknown:
        first = next((k for k, gloss in enumerate(igt.glosses, 1) if unknown[0] in _CUT.split(gloss)), 0)
        message = f"unknown abbreviation{'s' if len(unknown) > 1 else ''} {', '.join(unknown)}"
        yield Finding("abbreviations", message, "use the usual ones or list yours", first)


def _others(igt: Sentence) -> Iterator[Finding]:
    """What does not bear on the level."""
    if not igt.translation:
        yield Finding("translation", "no translation", "write one below the glosses")
    if igt.tags and len(igt.tags) != len(igt.words):
        message = f"{_number_of(len(igt.words), 'word')} but {_number_of(len(igt.tags), 'tag')}"
        yield Finding("tags", message, "write one part of speech a word")


def _unknown_abbreviations(igt: Sentence, known: Collection[str]) -> tuple[str, ...]:
    names = _upper(frozenset(known))
    abbreviations: dict[str, None] = {}
    aligned = len(igt.glosses) == len(igt.words)
    for k, gloss in enumerate(igt.glosses):
        word = igt.words[k].upper() if aligned else ""
        if word and _is_punctuation(word):
            continue
        for piece in _CUT.split(gloss):
            if _is_abbreviation(piece) and piece not in word and not is_known(piece, names):
                abbreviations[piece] = None
    return tuple(abbreviations)


@lru_cache(maxsize=8)
def _upper(known: frozenset[str]) -> frozenset[str]:
    return frozenset(name.upper() for name in known)


def _is_abbreviation(piece: str) -> bool:
    """Whether a part of a gloss is an abbreviation rather than a word of the translation."""
    if not piece or piece == "I" or _ORDINAL.fullmatch(piece):
        return False
    letters = [char for char in piece if char.isalpha()]
    capitals = any(char.isupper() for char in letters) and not any(char.islower() for char in letters)
    return capitals or bool(re.match(r"[0-4]+[a-z]", piece))


def is_known(piece: str, known: frozenset[str] = LEIPZIG) -> bool:
    """Whether an abbreviation is in the list, or is put together from person, number, gender and what is in it.

    >>> [is_known(x) for x in ("PST", "1SG", "3sgf", "NPST", "1sPOSS", "CLF7", "XYZ")]
    [True, True, True, True, True, True, False]
    """
    name = piece.upper()
    bare = name.rstrip("0123456789") or name
    if name.isdecimal() or name in known or bare in known or (name[0] == "N" and name[1:] in known and len(name) > 2):
        return True
    if len(name) > 1 and _ROMAN.fullmatch(name):  # a class or a conjugation
        return True
    before, after = re.match(r"([A-Z]*)(.*)", name, re.DOTALL).groups()  # type: ignore[union-attr]
    if before in known and after:
        return is_known(after, known)
    person = _PERSON.match(name)
    if person:
        return _made_of(name[person.end() :], (*_NUMBERS, *_GENDERS, *known))
    return _made_of(name, (*_NUMBERS[:4], *_GENDERS[:3]))


def _made_of(name: str, parts: Collection[str]) -> bool:
    """Whether a name is a row of these parts."""
    reached = {0}
    for start in range(len(name)):
        if start in reached:
            reached |= {start + len(part) for part in parts if part and name.startswith(part, start)}
    return len(name) in reached


def known_names(tables: Iterable[Path] = (), language: str = "en") -> frozenset[str]:
    """Abbreviations of the shipped table for glosses in a language, of the English one, and of tables of your own.

    >>> "ACU" in known_names(), "ACU" in known_names(language="es")
    (False, True)
    """
    shipped = Grams.for_translations(language if language in LANGUAGES else "en")
    all_tables = [shipped, *(Grams.load(table) for table in tables)]
    return LEIPZIG | {name for table in all_tables for row in table.rows for name in (row.name, *row.synonyms)}


_ABBREVIATION = re.compile(r"\d*[A-Z][A-Z0-9]*|\d")
_NUMBERED = re.compile(r"([0-9]+)([A-Z]+)")


def abbreviations(instances: Iterable[Sentence], table: Grams | None = None) -> list[tuple[str, str]]:
    """Return the abbreviations in the glosses of a text and what each means, as grammars list them; '' for one that is not known.

    >>> abbreviations([Sentence(("a", "b", "c"), (), ("dog-3SG.POSS", "I", "go-NPST.QQ"))])
    [('3', 'third person'), ('NPST', 'nonpast'), ('POSS', 'possessive'), ('QQ', ''), ('SG', 'singular')]
    """
    grams = table or Grams.load_shipped()
    pieces = {piece for igt in instances for gloss in igt.glosses if gloss != "I" for piece in re.split(r"[^\w]+", gloss)}
    meanings: dict[str, str] = {}
    for piece in filter(_ABBREVIATION.fullmatch, pieces):
        match = _NUMBERED.fullmatch(piece)
        for name in match.groups() if match and _meaning(match[2], grams) else (piece,):
            meanings[name] = _meaning(name, grams)
    return sorted(meanings.items(), key=lambda pair: (not pair[0][0].isdecimal(), pair[0]))


def _meaning(name: str, grams: Grams) -> str:
    gram = grams.get(name)
    if gram is None:
        return ""
    spellings = {gram_key(spelling) for spelling in (gram.name, *gram.synonyms)}
    if gram_key(name) in spellings:
        return gram.meaning
    bare = grams.get(name[1:]) if name[0] == "N" and len(name) > 2 else None
    return f"non-{bare.meaning}" if bare and bare is gram else gram.meaning
