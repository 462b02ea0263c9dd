"""What the UD validator would say of a sentence: the form of its rows (level 2), and the grammar of relations (level 3)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple
from unicodedata import is_normalized

from divproj.data.sentence import Sentence
from divproj.projection.ud_grammar import RELATIONS, breaches
from divproj.projection.ud_rows import joined
from divproj.projection.universal.english import UPOS
from divproj.projection.universal.marks import descendants, fits, spanning

FEATURE = re.compile(r"[A-Z][A-Za-z0-9]*(?:\[[a-z0-9]+\])?=[A-Z0-9][A-Za-z0-9]*(?:,[A-Z0-9][A-Za-z0-9]*)*")
RELATION = re.compile(r"[a-z]+(?::[a-z]+)*")


class UdFinding(NamedTuple):
    """What is wrong, at which word (0: the sentence), and from which level of the validator on."""

    level: int
    word: int
    what: str

    def __str__(self) -> str:
        return f"level {self.level}, {f'word {self.word}' if self.word else 'sentence'}: {self.what}"

    def as_json(self) -> dict[str, object]:
        """The finding by the names of its parts."""
        return self._asdict()


def check_text(sentences: Iterable[Sentence]) -> Iterator[tuple[Sentence, list[UdFinding]]]:
    """Every sentence with its findings; a `sent_id` must not come twice."""
    seen: set[str] = set()
    for sentence in sentences:
        found = check_sentence(sentence)
        name = sentence.comment("sent_id") or ""
        if name and name in seen:
            found.insert(0, UdFinding(2, 0, f"sent_id '{name}' was there before"))
        seen.add(name)
        yield sentence, found


def check_sentence(sentence: Sentence) -> list[UdFinding]:
    """Findings of one sentence, level 2 first."""
    return sorted([*_form(sentence), *_grammar(sentence)], key=lambda finding: (finding.level, finding.word))


def _form(sentence: Sentence) -> Iterator[UdFinding]:
    if not sentence.comment("sent_id"):
        yield UdFinding(2, 0, "there is no # sent_id")
    text = sentence.comment("text")
    if text is None:
        yield UdFinding(2, 0, "there is no # text")
    elif text != joined(sentence):
        yield UdFinding(2, 0, "# text is not what the words and SpaceAfter make up")
    for k, comment in enumerate(sentence.comments, 1):
        if fault := _characters(comment):
            yield UdFinding(2, 0, f"comment {k} has {fault}")
    for word, cells in enumerate(zip(*(sentence.column(k) for k in range(10)), strict=True), 1):
        if fault := _characters("\t".join(cells)):
            yield UdFinding(2, word, f"has {fault}")
    for each in sentence.usable_tree()[1]:
        yield UdFinding(2, 0, each.what)
    rows = zip(*(sentence.column(k) for k in (3, 5, 6, 7)), strict=True)
    for word, (tag, feats, head, rel) in enumerate(rows, 1):
        if tag not in UPOS:
            yield UdFinding(2, word, f"UPOS is '{tag}', one of {' '.join(UPOS)} expected")
        if feats != "_":
            items = feats.split("|")
            if items != sorted(items, key=str.casefold) or not all(map(FEATURE.fullmatch, items)):
                yield UdFinding(2, word, f"FEATS '{feats}' are not Name=Value in alphabetical order")
        if (head == "0") != (rel.partition(":")[0] == "root"):
            yield UdFinding(2, word, f"HEAD is {head} but DEPREL is '{rel}': the root, and only the root, is 'root'")
        elif not RELATION.fullmatch(rel) or rel.partition(":")[0] not in RELATIONS:
            yield UdFinding(2, word, f"DEPREL '{rel}' is no relation of UD")


def _characters(text: str) -> str:
    """What is wrong with the characters of a line; '' for nothing."""
    if "\ufffd" in text:
        return "the replacement character U+FFFD: bytes of the source could not be read"
    return "" if is_normalized("NFC", text) else "characters that are not composed (Unicode NFC)"


def _grammar(sentence: Sentence) -> Iterator[UdFinding]:
    tree = sentence.usable_tree()[0]
    for breach in breaches(tree.heads, tree.rels, tree.upos, sentence.column(5)):
        yield UdFinding(3, breach.word, breach.what)
    below = descendants(tree.heads)
    for word, (head, rel) in enumerate(zip(tree.heads, tree.rels, strict=True), 1):
        if rel.partition(":")[0] == "punct" and head > 0 and not fits(below, word, head, spanning(tree.heads, word)):
            yield UdFinding(3, word, "punctuation crosses an edge")
