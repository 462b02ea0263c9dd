"""The grammar of UD: which relations go with which tags and places, to check and to correct trees.

`breaches` yields what is not allowed in a tree: what the official validator checks at level 3, and one fact more, that a
noun which is no predicate has no subject. `check_text` and `check_sentence` report what the validator would report: the
form of rows (level 2) and the grammar of relations (level 3).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from operator import ne
from typing import NamedTuple
from unicodedata import is_normalized

from divproj.core.errors import ProjError
from divproj.core.sentence import Rows
from divproj.core.tree import DepTree
from divproj.ud.rows import descendants, fits, spanning, surface_text
from divproj.ud.tagsets import LABELS, ONLY, RIGHTWARD, UPOS, relation_of

RELATIONS = frozenset({*LABELS, "root", "punct"})
"""The universal relations, without subtypes."""
LEGACY = {
    "dobj": "obj", "nsubjpass": "nsubj:pass", "csubjpass": "csubj:pass", "auxpass": "aux:pass", "neg": "advmod", "nn": "compound",
    "num": "nummod", "number": "compound", "poss": "nmod:poss", "possessive": "case", "prep": "case", "pobj": "obl", "rcmod": "acl:relcl",
    "partmod": "acl", "infmod": "acl", "vmod": "acl", "prt": "compound:prt", "mwe": "fixed", "name": "flat", "foreign": "flat",
    "npadvmod": "obl", "tmod": "obl", "remnant": "orphan", "complm": "mark", "abbrev": "appos", "quantmod": "advmod", "predet": "det",
    "preconj": "cc", "purpcl": "advcl", "attr": "xcomp", "acomp": "xcomp", "agent": "obl", "rel": "mark",
}  # fmt: skip
"""Relations of older schemes and what they are called now."""
NEVER = {
    "case": frozenset({"PROPN", "ADJ", "PRON", "DET", "NUM", "AUX"}),
    "mark": frozenset({"NOUN", "PROPN", "ADJ", "PRON", "DET", "NUM", "AUX", "INTJ"}),
    "cc": frozenset({"NOUN", "PROPN", "ADJ", "PRON", "DET", "NUM", "VERB", "AUX", "INTJ"}),
    "fixed": frozenset({"PROPN"}),
}
"""Relations that words of these tags do not have."""
_JOINED = frozenset({"goeswith", "fixed", "reparandum", "conj", "punct"})
_ADVERBIAL = _JOINED | {"advmod", "obl", "cc"}
LEAVES = {
    "case": _ADVERBIAL, "mark": _ADVERBIAL, "clf": _ADVERBIAL, "aux": _JOINED | {"cc"}, "cop": _JOINED | {"cc"}, "cc": _JOINED,
    "det": _ADVERBIAL | {"det", "case", "clf", "flat", "compound", "discourse", "parataxis"},
    "fixed": _JOINED - {"fixed"}, "goeswith": frozenset[str](), "punct": frozenset({"punct"}),
}  # fmt: skip
"""Relations of function words and punctuation, and the relations that their dependents may have."""
NOUNS = frozenset({"NOUN", "PROPN", "PRON"})
ARGUMENTS = frozenset({"nsubj", "obj", "iobj", "obl", "vocative", "dislocated", "expl", "nmod"})
"""Relations of nouns that are no predicates."""
SUBJECTS = frozenset({"nsubj", "csubj"})
_COUNTED = SUBJECTS | {"obj", "obl"}
ROUNDS = 20
"""Times that a tree is gone through; each time some relations become more general, so few are needed."""


class Breach(NamedTuple):
    """A fact that does not hold: its name, at which word, in words."""

    fact: str
    word: int
    message: str


@lru_cache(maxsize=1024)
def base(rel: str) -> str:
    return rel.partition(":")[0]


def breaches(heads: Sequence[int], deprels: Sequence[str], tags: Sequence[str], feats: Sequence[str] = ()) -> Iterator[Breach]:
    """What UD does not allow in a tree, of level 3; words are counted from 1.

    >>> [breach.message for breach in breaches((2, 0), ("aux", "root"), ("NOUN", "VERB"))]
    ["'aux' does not go with NOUN"]
    """
    names = ["", *map(base, deprels)]
    kinds = ["", *tags]
    kids: list[list[int]] = [[] for _ in range(len(names))]
    for k, head in enumerate(heads, 1):
        if 0 < head < len(names):
            kids[head].append(k)
    for k, head in enumerate(heads, 1):
        rel, tag = names[k], kinds[k]
        if feats and "ExtPos=" in feats[k - 1]:  # the word stands for another part of speech
            tag = _feature(feats[k - 1], "ExtPos")
        if not _go_together(rel, tag, head == 0) and not (rel == "advmod" and any(names[kid] == "goeswith" for kid in kids[k])):
            yield Breach("tag", k, f"'{rel}' does not go with {tag}")
        if rel in RIGHTWARD and head > k:
            yield Breach("order", k, f"'{rel}' must follow its head")
        if rel in LEAVES:
            for kid in kids[k]:
                if names[kid] not in LEAVES[rel] and not _negates(rel, names[kid], kinds[kid], feats[kid - 1] if feats else ""):
                    yield Breach("leaf", k, f"is '{rel}' and has word {kid} as '{names[kid]}', which such a word does not have")
                    break
        if rel in ("obl", "nsubj", "csubj") and head > 0 and _argument(head, names, kinds, kids[head], rel):
            fact = "oblique" if rel == "obl" else "noun's subject"
            yield Breach(fact, k, f"'{rel}' is attached to a noun that is no predicate")
    for k in [k for k, children in enumerate(kids) if len(children) > 1]:
        subjects = [c for c in kids[k] if names[c] in SUBJECTS and not deprels[c - 1].endswith(":outer")]
        objects = [c for c in kids[k] if names[c] == "obj"]
        if len(subjects) > 1:
            yield Breach("subjects", k, f"has {len(subjects)} subjects")
        if len(objects) > 1:
            yield Breach("objects", k, f"has {len(objects)} objects")


def _feature(feats: str, name: str) -> str:
    return next((value for key, _, value in (item.partition("=") for item in feats.split("|")) if key == name), "")


def _negates(rel: str, kid: str, tag: str, feats: str) -> bool:
    """Negation may modify any function word."""
    return rel != "punct" and kid == "advmod" and tag in ("PART", "ADV") and "Polarity=Neg" in feats


def _argument(head: int, names: Sequence[str], kinds: Sequence[str], kids: Sequence[int], rel: str) -> bool:
    """Whether a head is a noun that is no predicate; a subject makes one only of the head of an oblique."""
    if kinds[head] not in NOUNS or names[head] not in ARGUMENTS:
        return False
    shows = {"cop", "nsubj", "csubj"} if rel == "obl" else {"cop"}
    return not any(names[kid] in shows for kid in kids)


class Convention(NamedTuple):
    """A way to annotate where annotators of UD differ: the relation `name` instead of `other`."""

    name: str
    other: str
    tags: frozenset[str]
    """Tags of the words that it concerns."""
    meaning: str


CONVENTIONS = (
    Convention("nmod", "compound", frozenset({"NOUN", "PROPN"}), "a noun that stands beside a noun modifies it (house door: nmod)"),
    Convention("compound", "nmod", frozenset({"NOUN", "PROPN"}), "a noun beside a noun, without a case marker, makes one word with it (house door: compound)"),
    Convention("mark", "aux", frozenset({"AUX"}), "words of person and aspect introduce the clause (3SG.PFV: PART, mark)"),
    Convention("advmod", "discourse", frozenset({"PART", "ADV"}), "particles modify the clause (also, then: advmod)"),
    Convention("discourse", "advmod", frozenset({"PART"}), "particles other than negation belong to the discourse (also, then: discourse)"),
)  # fmt: skip
"""Conventions that a user can choose from; of two that exclude each other only one."""


def parse_conventions(text: str) -> tuple[Convention, ...]:
    """Return the conventions that are named, with commas between them; ProjError for one that there is not.

    >>> [convention.other for convention in parse_conventions("nmod, advmod")]
    ['compound', 'discourse']
    """
    known = {convention.name: convention for convention in CONVENTIONS}
    names = list(dict.fromkeys(filter(None, (name.strip().lower() for name in text.split(",")))))
    for name in names:
        if name not in known:
            rows = "; ".join(f"{each.name}: {each.meaning}" for each in CONVENTIONS)
            raise ProjError(f"`conventions={name}`: one of {', '.join(known)} expected", remedy=rows)
        if known[name].other in names:
            raise ProjError(
                f"`conventions={text}`: {name} and {known[name].other} exclude each other", remedy="choose one of them"
            )
    return tuple(known[name] for name in names)


def follow(
    conventions: Sequence[Convention],
    heads: Sequence[int],
    deprels: Sequence[str],
    tags: Sequence[str],
    feats: Sequence[str],
    bare: Sequence[bool] = (),
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return relations and tags that follow the conventions; `bare` are words whose gloss has grams of person and no word.

    >>> follow(parse_conventions("nmod"), (2, 0), ("compound", "root"), ("NOUN", "NOUN"), ("_", "_"))
    (('nmod', 'root'), ('NOUN', 'NOUN'))
    """
    names, kinds = list(deprels), list(tags)
    governs: dict[int, set[str]] = {}
    for head, rel in zip(heads, deprels, strict=True):
        governs.setdefault(head, set()).add(base(rel))
    for k, (head, rel, tag) in enumerate(zip(heads, deprels, tags, strict=True)):
        for convention in conventions:
            if base(rel) != convention.other or tag not in convention.tags or not head:
                continue
            if convention.name == "compound" and (
                abs(head - k - 1) > 1 or "case" in governs.get(k + 1, ()) or "Case=" in feats[k]
            ):
                continue
            if convention.name == "mark":
                if not (bare and bare[k]) or governs.get(k + 1):
                    continue
                kinds[k] = "PART"
            if convention.name == "discourse" and "Polarity=Neg" in feats[k]:
                continue
            names[k] = convention.name
    return tuple(names), tuple(kinds)


def repair(
    heads: Sequence[int],
    deprels: Sequence[str],
    tags: Sequence[str],
    feats: Sequence[str] = (),
    counts: Counter[str] | None = None,
) -> tuple[str, ...]:
    """Relations that UD allows, heads untouched; what was changed is counted by fact.

    Relations of older schemes get their new names. A tree with relations of another scheme altogether is left as it is.

    >>> repair((2, 0, 2), ("nsubj", "root", "nsubj"), ("NOUN", "VERB", "NOUN"))
    ('nsubj', 'root', 'obl')
    """
    new_rels = [LEGACY.get(rel, rel) for rel in deprels]
    names = [*map(base, new_rels)]
    if not RELATIONS.issuperset(names) and any(
        name not in RELATIONS and rel != "_" for name, rel in zip(names, new_rels, strict=True)
    ):
        return tuple(deprels)
    tally: dict[str, int] = {}
    if older := sum(map(ne, new_rels, deprels)):
        tally["older"] = older
    for k, (head, name, tag) in enumerate(zip(heads, names, tags, strict=True)):
        right = "root" if head == 0 else "dep" if name in ("root", "_") else "punct" if tag == "PUNCT" else new_rels[k]
        if right != new_rels[k]:
            new_rels[k], fact = right, "tag" if right == "punct" else "root"
            tally[fact] = tally.get(fact, 0) + 1
    for _ in range(ROUNDS):
        if _is_sound(heads, new_rels, tags):
            break
        violations = list(breaches(heads, new_rels, tags, feats))
        if not violations:
            break
        for breach in violations:
            _repair(breach, heads, new_rels, tags)
            tally[breach.fact] = tally.get(breach.fact, 0) + 1
    if counts is not None and tally:
        counts.update(tally)
    return tuple(new_rels)


def _is_sound(heads: Sequence[int], deprels: Sequence[str], tags: Sequence[str]) -> bool:
    """Whether a tree plainly has no breach, as most have none; False where `breaches` must look closer."""
    names, taken = [*map(base, deprels)], set()
    for k, (head, name, tag) in enumerate(zip(heads, names, tags, strict=True), 1):
        if not _go_together(name, tag, head == 0):
            return False
        if head > 0:
            above = names[head - 1]
            if above in LEAVES or (head > k and name in RIGHTWARD):
                return False
            if name in _COUNTED:
                if name != "obj" and above in ARGUMENTS and tags[head - 1] in NOUNS:
                    return False
                if name != "obl":
                    if (head, name == "obj") in taken:
                        return False
                    taken.add((head, name == "obj"))
    return True


@lru_cache(maxsize=4096)
def _go_together(rel: str, tag: str, top: bool) -> bool:
    return not (
        (rel in ONLY and tag not in ONLY[rel])
        or tag in NEVER.get(rel, ())
        or ((rel == "punct") != (tag == "PUNCT") and not top)
    )


def _repair(breach: Breach, heads: Sequence[int], deprels: list[str], tags: Sequence[str]) -> None:
    k = breach.word
    if breach.fact in ("subjects", "objects"):
        wanted = SUBJECTS if breach.fact == "subjects" else {"obj"}
        rivals = [c for c, head in enumerate(heads, 1) if head == k and base(deprels[c - 1]) in wanted]
        for c in rivals[1:]:
            clause = base(deprels[c - 1]) == "csubj" or tags[c - 1] in ("VERB", "AUX")
            deprels[c - 1] = "parataxis" if clause else "iobj" if breach.fact == "objects" else "obl"
    elif breach.fact in ("oblique", "noun's subject"):
        deprels[k - 1] = "nmod" if base(deprels[k - 1]) != "csubj" else "acl"
    elif breach.fact == "tag" and base(deprels[k - 1]) == "fixed":
        deprels[k - 1] = "flat" if heads[k - 1] < k else "dep"
    else:
        usual = relation_of(tags[k - 1], tags[heads[k - 1] - 1] if heads[k - 1] > 0 else "", k < heads[k - 1])
        fits = usual and usual != base(deprels[k - 1]) and not (usual in ONLY and tags[k - 1] not in ONLY[usual])
        deprels[k - 1] = usual if breach.fact != "leaf" and fits and usual not in LEAVES else "dep"


FEATURE = re.compile(r"[A-Z][A-Za-z0-9]*(?:\[[a-z0-9]+\])?=[A-Z0-9][A-Za-z0-9]*(?:,[A-Z0-9][A-Za-z0-9]*)*")
_COMMENT = re.compile(r"#\s*(sent_id|text|newdoc|newpar)\s*(?:=|\Z|\sid\s*=)")
_BLANK, _BLANKS = re.compile(r"\s"), re.compile(r"\s\s")
_ONCE = ("SpaceAfter", "Lang", "Translit", "LTranslit", "Gloss", "LId", "LDeriv", "Ref")
"""Keys of MISC that a word has once."""
RELATION = re.compile(r"[a-z]+(?::[a-z]+)*")


class UdFinding(NamedTuple):
    """What is wrong, at which word (0: the sentence), and from which level of the validator on."""

    level: int
    word: int
    message: str
    is_advice: bool = False
    """Whether only we say so, and the validator does not."""

    def __str__(self) -> str:
        return f"level {self.level}, {f'word {self.word}' if self.word else 'sentence'}: {self.message}"

    def as_json(self) -> dict[str, object]:
        """The finding by the names of its parts."""
        return {"level": self.level, "word": self.word, "what": self.message}


def check_text(sentences: Iterable[Rows]) -> Iterator[tuple[Rows, list[UdFinding]]]:
    """Every sentence with its findings; a `sent_id` must not come twice."""
    seen: set[str] = set()
    for sentence in sentences:
        findings = check_sentence(sentence)
        name = sentence.comment("sent_id") or ""
        if name and name in seen:
            findings.insert(0, UdFinding(2, 0, f"sent_id '{name}' was there before"))
        seen.add(name)
        yield sentence, findings


def check_sentence(sentence: Rows) -> list[UdFinding]:
    """Findings of one sentence, level 2 first."""
    return sorted([*_form(sentence), *_grammar(sentence)], key=lambda finding: (finding.level, finding.word))


def _form(sentence: Rows) -> Iterator[UdFinding]:
    if not sentence.comment("sent_id"):
        yield UdFinding(2, 0, "there is no # sent_id")
    text = sentence.comment("text")
    if text is None:
        yield UdFinding(2, 0, "there is no # text")
    elif text != surface_text(sentence):
        yield UdFinding(2, 0, "# text is not what the words and SpaceAfter make up")
    yield from _comments(sentence)
    yield from _tokens(sentence)
    for k, comment in enumerate(sentence.comments, 1):
        if fault := _characters(comment):
            yield UdFinding(2, 0, f"comment {k} has {fault}")
    for word, cells in enumerate(zip(*(sentence.column(k) for k in range(10)), strict=True), 1):
        if fault := _characters("\t".join(cells)):
            yield UdFinding(2, word, f"has {fault}")
    for each in sentence.usable_tree()[1]:
        yield UdFinding(2, 0, each.message)
    rows = zip(*(sentence.column(k) for k in (3, 5, 6, 7)), strict=True)
    for word, (tag, feats, head, rel) in enumerate(rows, 1):
        if tag not in UPOS:
            yield UdFinding(2, word, f"UPOS is '{tag}', one of {' '.join(UPOS)} expected")
        if feats != "_":
            items = feats.split("|")
            names = [item.partition("=")[0] for item in items]
            values = [item.partition("=")[2].split(",") for item in items]
            in_order = all(some == sorted(set(some), key=str.casefold) for some in (names, *values))
            if not in_order or not all(map(FEATURE.fullmatch, items)):
                yield UdFinding(2, word, f"FEATS '{feats}' are not Name=Value in alphabetical order, each once")
        if (head == "0") != (rel.partition(":")[0] == "root"):
            yield UdFinding(2, word, f"HEAD is {head} but DEPREL is '{rel}': the root, and only the root, is 'root'")
        elif not RELATION.fullmatch(rel) or rel.partition(":")[0] not in RELATIONS:
            yield UdFinding(2, word, f"DEPREL '{rel}' is no relation of UD")


def _comments(sentence: Rows) -> Iterator[UdFinding]:
    """What is wrong with `sent_id`, `text`, `newdoc` and `newpar`."""
    names = [_COMMENT.match(comment) for comment in sentence.comments]
    counts = Counter(match[1] for match in names if match)
    for name in ("sent_id", "text", "newdoc", "newpar"):
        if counts[name] > 1:
            yield UdFinding(2, 0, f"# {name} is there {counts[name]} times")
    sent_id = sentence.comment("sent_id") or ""
    if not re.fullmatch(r"\S*", sent_id) or sent_id.count("/") > 1:
        yield UdFinding(2, 0, f"sent_id '{sent_id}' has a blank or two slashes")


def _tokens(sentence: Rows) -> Iterator[UdFinding]:
    """What is wrong with blanks, MISC and the rows of multiword tokens."""
    last = 0
    for cells in sentence.lines:
        low, dash, high = cells[0].partition("-")
        word = int(low.partition(".")[0])
        if any(_BLANK.search(cell) for cell in cells[1 if dash else 3 : 9]) or any(
            c != c.strip() or _BLANKS.search(c) for c in cells
        ):
            yield UdFinding(2, word, "has a blank where none may be")
        misc = Counter(item.partition("=")[0] for item in cells[9].split("|"))
        for name in _ONCE:
            if misc[name] > 1:
                yield UdFinding(2, word, f"MISC has {name} {misc[name]} times")
        space = "SpaceAfter" in cells[9] and [x for x in cells[9].split("|") if x.startswith("SpaceAfter=")]
        if (space and space != ["SpaceAfter=No"]) or "NoSpaceAfter=Yes" in cells[9]:
            yield UdFinding(2, word, "SpaceAfter=No is the only value of SpaceAfter")
        elif space and ("." in low or (not dash and word <= last)):
            yield UdFinding(2, word, "has SpaceAfter=No, which belongs to the multiword token")
        if dash:
            last = int(high)
            if any(cell != "_" for k, cell in enumerate(cells[2:9], 2) if not (k == 5 and cell == "Typo=Yes")):
                yield UdFinding(2, word, f"the row {cells[0]} of a multiword token has more than FORM and MISC")


def _characters(text: str) -> str:
    """What is wrong with the characters of a line; '' for nothing."""
    if "\ufffd" in text:
        return "the replacement character U+FFFD: bytes of the source could not be read"
    return "" if is_normalized("NFC", text) else "characters that are not composed (Unicode NFC)"


def _grammar(sentence: Rows) -> Iterator[UdFinding]:
    tree = sentence.usable_tree()[0]
    for breach in breaches(tree.heads, tree.deprels, tree.upos, sentence.column(5)):
        yield UdFinding(3, breach.word, breach.message, breach.fact == "noun's subject")
    yield from _parts_of_words(sentence, tree)
    below = descendants(tree.heads)
    for word, (head, rel) in enumerate(zip(tree.heads, tree.deprels, strict=True), 1):
        if rel.partition(":")[0] == "punct" and head > 0 and not fits(below, word, head, spanning(tree.heads, word)):
            yield UdFinding(3, word, "punctuation crosses an edge")


def _parts_of_words(sentence: Rows, tree: DepTree) -> Iterator[UdFinding]:
    """What is wrong with the parts of a word that a blank has broken (`goeswith`)."""
    parts = [k for k, rel in enumerate(tree.deprels, 1) if base(rel) == "goeswith"]
    for head in sorted({tree.heads[k - 1] for k in parts if tree.heads[k - 1] > 0}):
        of_word = [head, *(k for k in parts if tree.heads[k - 1] == head)]
        misc = sentence.column(9)
        if of_word != list(range(head, head + len(of_word))):
            yield UdFinding(3, head, "words between the parts of a word ('goeswith')")
        elif any("SpaceAfter=No" in misc[k - 1].split("|") for k in of_word[:-1]):
            yield UdFinding(3, head, "'goeswith' joins words that no blank separates")
        elif any(feats != "_" for feats in sentence.column(5)) and not _feature(sentence.column(5)[head - 1], "Typo"):
            yield UdFinding(3, head, "a word with 'goeswith' has the feature Typo=Yes")
    for k in parts:
        if (sentence.column(2)[k - 1], tree.upos[k - 1], sentence.column(5)[k - 1]) != ("_", "X", "_"):
            yield UdFinding(3, k, "is 'goeswith': tagged X, lemma and features belong to the first part")
