r"""Read CHAT transcripts of TalkBank and CHILDES (`.cha`).

    *CHI:	kolut [/] kolut uvana .          an utterance, its speaker
    %mor:	n|kolu-PL=dog v|uva-PST=run .    parts of speech, stems, glosses after `=`
    %gra:	1|2|SUBJ 2|0|ROOT 3|2|PUNCT      a dependency tree
    %gls:	kolu-t uva-na .                  glosses, or morphemes, as the line itself shows
    %eng:	The dogs ran .                   translation

`words_of` takes the words out of a line as CHAT defines them: what is repeated or corrected, fragments, events and remarks
are no words, `(be)cause` is `because`. %mor and %gra stand for these words and for the marks at the end, clitics apart.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from difflib import SequenceMatcher
from typing import Any, BinaryIO, NamedTuple

from divproj.core.errors import Faults, FormatError, Where
from divproj.core.sentence import Sentence
from divproj.core.tree import NO_HEAD
from divproj.io.files import Source
from divproj.io.interlinear.elan import TIER_GRAMS
from divproj.io.interlinear.languages import NAMES, lang_code
from divproj.io.interlinear.parts import (
    Options,
    choose_translation,
    from_file,
    instance,
    lines,
    normalize_space,
    tokens,
    tree_of,
)
from divproj.io.interlinear.sheets import check_roles, gram_share

ROLES = ("text", "morphs", "glosses", "pos", "translation")
"""Roles that the option `tiers` can give to dependent tiers."""
SEGMENTED = 0.6
"""Likeness of letters from which on a line of morphemes is the segmentation of the words."""
_LINE = re.compile(r"([*%@][^:\t]*):?[ \t]?\s*(.*)$", re.DOTALL)
_TIME = re.compile(r"\x15?(?<!\S)?(\d+)_(\d+)\x15?\s*$|\x15[^\x15]*\x15")
_TERMINATOR = re.compile(r"(?:[+][^\s\w<>\[\]]*)?[.?!]+$|\+\.\.\.$")
_RETRACED = re.compile(r"\[/{1,3}[-?]?\]|\[/-\]|\[e\]")
_BRACKET = re.compile(r"\[[^\[\]]*\]")
_NO_WORD = re.compile(r"(?:&.*|0.*|xxx?|yyy?|www|\(\.*\d*[.:]?\d*\.*\)|\+.*|#\d*|[↑↓→⇗↗⇘↘∞≡]+|‹|›|[„‡]?)$")
_MARKS = re.compile(r"[↑↓⇗↗→↘⇘∞≈≋≡∙⌈⌉⌊⌋∆∇°▁▔☺♋⁇∬Ϋ∮§↻Ἡˈˌ‹›⟨⟩“”]|(?<=\w):+|\^(?=\w)")
_SUFFIX = re.compile(r"(?<=.)@[A-Za-z:$+-]*$")
_LIST = re.compile(r"\[([^\[\]]*)\]")
_CODES = {"eng": "en", "tra": "", "xtra": "", "trans": "", "fre": "fr", "fra": "fr", "ger": "de", "xspn": "es", "xspa": "es", "xeng": "en", "xfra": "fr", "xdeu": "de"}  # fmt: skip
_GLOSS_TIERS = ("gls", "xgls", "xgloss", "xglo", "glo", "xmormea", "xcod", "cod")
_SEGMENT_TIERS = ("xmorseg", "xseg", "seg", "xmb", "xmor_seg")
_TAG_TIERS = ("xmortyp", "xpos", "pos")
_TAGS = {
    "n": "NOUN", "noun": "NOUN", "n:prop": "PROPN", "propn": "PROPN", "v": "VERB", "verb": "VERB", "adj": "ADJ", "adv": "ADV", "pro": "PRON",
    "pron": "PRON", "det": "DET", "prep": "ADP", "adp": "ADP", "conj": "CCONJ", "cconj": "CCONJ", "sconj": "SCONJ", "aux": "AUX", "cop": "AUX",
    "num": "NUM", "co": "INTJ", "intj": "INTJ", "part": "PART", "cm": "PUNCT", "punct": "PUNCT", "sym": "SYM", "x": "X", "qn": "DET", "mod": "AUX",
}  # fmt: skip
"""Universal tags of the parts of speech of %mor; in `det:art` what stands before the colon counts."""


class MorWord(NamedTuple):
    """An item of %mor: its parts (clitics apart), each with part of speech and gloss."""

    tags: tuple[str, ...]
    glosses: tuple[str, ...]


@dataclass
class _Utterance:
    line: int
    speaker: str
    text: str
    tiers: dict[str, tuple[int, str]] = field(default_factory=dict)


def load(source: Source, faults: Faults | None = None, **options: Any) -> Iterator[Sentence]:
    return from_file(read, source, faults, options)


def read(stream: BinaryIO, path: str, faults: Faults, options: Options) -> Iterator[Sentence]:
    check_roles(options.tiers, ROLES, "a tier")
    header: dict[str, str] = {}
    names: dict[str, str] = {}
    silent = 0
    speakers: set[str] = set()
    unread: Counter[str] = Counter()
    for item in _items(lines(stream, path, faults, options.encoding), path, faults):
        if not isinstance(item, _Utterance):
            key, value = item
            header[key.casefold()] = value
            if key.casefold() == "participants":
                names = {part.split()[0]: " ".join(part.split()) for part in value.split(",") if part.split()}
            continue
        igt = _sentence(item, header, names, path, faults, options, unread)
        if igt is None:
            silent += 1
        else:
            speakers.add(item.speaker)
            yield igt
    faults.reading.speakers = len(speakers)
    faults.reading.unused += [f"%{name}" for name, _ in unread.most_common()]
    faults.reading.omit("utterances without words (0, xxx, events)", silent, sentences=False)


def _items(numbered: Iterator[tuple[int, str]], path: str, faults: Faults) -> Iterator[_Utterance | tuple[str, str]]:
    """Headers and utterances; a line that begins with a blank goes on with the one before."""
    utterance: _Utterance | None = None
    for number, text in _joined(numbered):
        match = _LINE.match(text)
        if not match or text[:1] not in "*%@":
            if text.strip():
                faults.file(FormatError(f"{text.strip()[:30]!r} has no speaker or tier", Where(path, number), "left out"))
            continue
        name, value = match[1].strip(), match[2].strip()
        if name.startswith("%"):
            if utterance is None:
                faults.file(FormatError(f"{name} without an utterance above", Where(path, number), "left out"))
            else:
                tier = name[1:].casefold()
                before = utterance.tiers.get(tier)
                utterance.tiers[tier] = (number, f"{before[1]} {value}" if before else value)
            continue
        if utterance is not None:
            yield utterance
            utterance = None
        if name.startswith("*"):
            utterance = _Utterance(number, name[1:], value)
        else:
            yield name[1:], value
    if utterance is not None:
        yield utterance


def _joined(numbered: Iterator[tuple[int, str]]) -> Iterator[tuple[int, str]]:
    begin, text = 0, ""
    for number, line in numbered:
        line = line.removeprefix("\ufeff")
        if line[:1] in ("\t", " ") and text:
            text += f" {line.strip()}"
            continue
        if text:
            yield begin, text
        begin, text = number, line.rstrip()
    if text:
        yield begin, text


def words_of(text: str) -> tuple[list[str], str]:
    """The words of a line, and the mark at its end; what CHAT marks as no word is left out.

    >>> words_of("<the the> [/] the (be)cause &-uh dog@f [= a toy] goed [: went] [*] home +...")
    (['the', 'because', 'dog', 'goed', 'home'], '…')
    """
    text = _TIME.sub("", text).strip()
    text = re.sub(r"\[\^[^\[\]]*\]|\[%[^\[\]]*\]|\[=[^\[\]]*\]|\[\+[^\[\]]*\]|\[-[^\[\]]*\]|\[#[^\[\]]*\]", " ", text)
    pieces = re.findall(r"\[[^\[\]]*\]|<|>|[^\s<>\[\]]+", text)
    words: list[str] = []
    opened: list[int] = []
    group = 0
    end = ""
    for piece in pieces:
        if piece == "<":
            opened.append(len(words))
        elif piece == ">":
            group = opened.pop() if opened else len(words)
        elif piece.startswith("["):
            if _RETRACED.match(piece):
                words[group:] = []
            elif piece.startswith(("[: ", "[:: ")) and len(words) > group:
                replaced = [word for word in tokens(piece.strip("[]").lstrip(":").strip()) if not _NO_WORD.match(word)]
                if len(replaced) != len(words) - group and replaced:
                    words[group:] = replaced
            continue
        elif _TERMINATOR.match(piece):
            end = "…" if piece.endswith("...") else piece[-1]
        elif piece in (",", ";", ":", "„", "‡"):
            words.append("," if piece in "„‡" else piece)
        elif not _NO_WORD.match(piece):
            word = _SUFFIX.sub("", _MARKS.sub("", re.sub(r"[()]", "", piece)))
            if word and any(char.isalnum() for char in word):
                group = len(words) if not opened else group
                words.append(word)
        elif piece.startswith(("&", "0", "xx", "yy", "ww")):
            group = len(words) if not opened else group
    return words, end


def mor_words(text: str) -> list[MorWord]:
    """The items of a %mor line.

    >>> mor_words("pro:sub|it~cop|be&3S n|perro-PL=dog .")[1]
    MorWord(tags=('NOUN',), glosses=('dog-PL',))
    """
    items = []
    for token in tokens(text):
        if "|" not in token:
            items.append(MorWord(("PUNCT",), ("",)) if not any(map(str.isalnum, token)) else MorWord(("X",), ("",)))
            continue
        parts = re.split(r"[~$]", token)
        tags, glosses = [], []
        for part in parts:
            kind, _, rest = part.partition("|")
            kind = kind.rpartition("#")[2]
            tags.append(_TAGS.get(kind.casefold(), _TAGS.get(kind.casefold().partition(":")[0], kind or "X")))
            stem, equals, meaning = rest.partition("=")
            affixes = "".join(re.findall(r"[-&][^-&=]+", stem)).replace("&", ".")
            glosses.append(f"{meaning.replace('/', '.')}{affixes}" if equals else "")
        items.append(MorWord(tuple(tags), tuple(glosses)))
    return items


def _sentence(
    item: _Utterance,
    header: Mapping[str, str],
    names: Mapping[str, str],
    path: str,
    faults: Faults,
    options: Options,
    unread: Counter[str],
) -> Sentence | None:
    words, end = words_of(item.text)
    if not words:
        return None
    forms = [*words, end] if end else words
    where = Where(path, item.line)
    named = {name.lstrip("%"): role for role, name in options.tiers.items()}
    meta = [("speaker", names.get(item.speaker, item.speaker))]
    time = re.search(r"(\d+)_(\d+)\x15?\s*$", item.text)
    if time:
        meta += [("begin", time[1]), ("end", time[2])]
    free: list[tuple[str, str]] = []
    tags: list[str] = []
    glosses: list[str] = []
    segments: list[str] = []
    mor: list[MorWord] = []
    for name, (number, value) in item.tiers.items():
        value = _TIME.sub("", value).strip()
        role = named.get(name, "") or _role(name, value, words)
        place = Where(path, number)
        if role not in ("", "-"):
            faults.reading.assign({"mor": "pos", "gra": "trees"}.get(role, role), f"%{name}")
        if role == "mor":
            mor = mor_words(value)
            tags, found = _by_mor(mor, forms, end)
            if not tags:
                problem = f"%{name} has {len(mor)} items, the utterance {len(forms)} words"
                faults.kept(FormatError(problem, place, "left without parts of speech"))
                mor = []
            glosses = glosses or found
            meta.append((name, value))
        elif role == "translation":
            code = _CODES.get(name, name if name in NAMES or lang_code(name) in NAMES else "")
            free.append((lang_code(code) if code else "", normalize_space(_BRACKET.sub("", value))))
        elif role in ("glosses", "morphs", "pos"):
            line = _line(value, len(words), len(forms), end)
            if role == "glosses":
                glosses = line
            elif role == "morphs":
                segments = line
            elif not tags:
                tags = line
        elif role == "-":
            unread[name] += 1
            meta.append((name, value))
        elif role != "gra":
            meta.append((name, value))
    tree = _tree(item, mor, forms, tags, path, faults)
    translation, translations = choose_translation(free, options.lang, stated=True)
    return instance(
        forms, segments, glosses, tags, meta=meta, tree=tree, translation=translation, translations=translations,
        language=re.split(r"[ ,]", header.get("languages", ""))[0], where=where, text=_spaced(words, end),
    )  # fmt: skip


def _spaced(words: Sequence[str], end: str) -> str:
    text = ""
    for word in words:
        text += word if word in ",;:" or not text else f" {word}"
    return text + end


def _role(name: str, value: str, words: Sequence[str]) -> str:
    """What a dependent tier is: mor, gra, a translation, glosses, morphemes; '-' for what is not read, '' for a remark."""
    items = tokens(value)
    piped = sum("|" in token for token in items)
    if name == "gra":
        return "gra"
    if piped and 2 * piped >= len(items) - 1 and name not in ("xgra", "grt", "trn"):
        return "mor" if name in ("mor", "xmor", "xtrn", "umor") else ""
    if name == "spa" and "$" in value:
        return ""  # a code of speech acts
    if name in _CODES or (name in NAMES) or (len(name) == 3 and lang_code(name) in NAMES):
        return "translation"
    if name in _SEGMENT_TIERS:
        return "morphs"
    if name in _TAG_TIERS:
        return "pos"
    if name in _GLOSS_TIERS:
        bare = "".join(filter(str.isalnum, value.casefold()))
        said = "".join(char for word in words for char in word.casefold() if char.isalnum())
        close = SequenceMatcher(None, bare[:300], said[:300], autojunk=False).ratio() > SEGMENTED
        if close and gram_share(items) < TIER_GRAMS:
            return "morphs"
        return (
            "glosses"
            if abs(len(_line(value, len(words), len(words) + 1, ".")) - len(words)) <= 1 or gram_share(items) > TIER_GRAMS
            else "-"
        )
    return "" if name in ("com", "act", "add", "sit", "exp", "spa", "tim", "pho", "mod", "ort", "xpho", "par", "gpx", "int", "err", "alt", "coh", "def", "fac", "flo", "wor", "snd", "xspe", "umor", "ugra", "trn", "grt", "xact", "xcom") else "-"  # fmt: skip


def _line(value: str, n: int, full: int, end: str) -> list[str]:
    """Items of a tier, one a word: tokens, or what stands between commas in brackets; the mark at the end may be missing."""
    inner = _LIST.fullmatch(value.strip())
    value = inner[1] if inner else value
    items = [item for item in tokens(value) if item not in ("(.)", "(..)", "‹", "›")]
    if len(items) != n and _TERMINATOR.match(items[-1] if items else ""):
        items = items[:-1]
    if len(items) == n and full == n + 1 and end:
        items = [*items, ""]
    return items


def _by_mor(mor: Sequence[MorWord], forms: Sequence[str], end: str) -> tuple[list[str], list[str]]:
    """Tags and glosses of the words by %mor; empty where the numbers do not fit."""
    if len(mor) != len(forms):
        bare = [k for k, form in enumerate(forms) if any(map(str.isalnum, form))]
        kept = [word for word in mor if word.tags != ("PUNCT",)]
        if len(kept) != len(bare):
            return [], []
        by_word = dict(zip(bare, kept, strict=True))
        mor = [by_word.get(k, MorWord(("PUNCT",), ("",))) for k in range(len(forms))]
    return [word.tags[0] for word in mor], ["=".join(filter(None, word.glosses)) for word in mor]


def _tree(
    item: _Utterance, mor: Sequence[MorWord], forms: Sequence[str], tags: Sequence[str], path: str, faults: Faults
) -> Any:
    """The dependency tree of %gra; a word with clitics has the head of the part that is governed from outside."""
    number, value = item.tiers.get("gra", (0, ""))
    if not value:
        return None
    where = Where(path, number)
    arcs: dict[int, tuple[int, str]] = {}
    for token in tokens(value):
        match = re.fullmatch(r"(\d{1,6})\|(\d{1,6})\|([\w:-]+)", token, re.ASCII)
        if match:
            arcs[int(match[1])] = (int(match[2]), match[3].lower().replace("-", ":"))
    parts = [len(word.tags) for word in mor] if len(mor) == len(forms) else []
    if not parts and len(arcs) == len(forms):
        parts = [1] * len(forms)
    if not parts or sum(parts) != len(arcs) or set(arcs) != set(range(1, len(arcs) + 1)):
        faults.kept(
            FormatError(
                f"%gra has {len(arcs)} relations, {sum(parts) or len(forms)} words expected", where, "left without a tree"
            )
        )
        return None
    word_of = {0: 0}
    for k, count in enumerate(parts, 1):
        for _ in range(count):
            word_of[len(word_of)] = k
    heads, deprels = [NO_HEAD] * len(forms), [""] * len(forms)
    for part, (head, rel) in sorted(arcs.items(), reverse=True):
        word = word_of[part]
        if head in word_of and word_of[head] != word:
            heads[word - 1], deprels[word - 1] = word_of[head], rel
    return tree_of(tuple(forms), heads, deprels, tuple(tags))
