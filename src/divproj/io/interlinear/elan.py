"""Read ELAN files (.eaf): tiers of annotations, each aligned to time or to an annotation of the tier above.

    tier   parent   annotations               role
    ref             kolu.001                  (ids of sentences)
    tx     ref      kolut uvana               text
    mb     tx       kolu | -t | uva | -na     morphs
    ge     mb       dog | PL | run | PST      glosses
    ft     tx       The dogs ran.             translation

Roles are given by the option `tiers` (`text words morphs glosses pos translation`, each by tier name or linguistic type) or
guessed: by the name of the tier in several languages, by its position among the others, and by its content. Each annotation
of the text tier, or of a tier above it that corresponds one to one, becomes an instance. `Annotations` looks up what belongs
to it in the other tiers: the annotations below it or, in a tier that is not related, those spoken at the same time.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from difflib import SequenceMatcher
from itertools import pairwise
from typing import Any, BinaryIO, NamedTuple

from divproj.core.errors import Faults, FormatError, ProjError, Where
from divproj.core.sentence import Sentence
from divproj.io.files import Source
from divproj.io.interlinear.languages import lang_code
from divproj.io.interlinear.parts import (
    Options,
    choose_translation,
    from_file,
    from_text,
    glue,
    group_morphemes,
    instance,
    join_morphemes,
    normalize_space,
    one_line,
    tokens,
)
from divproj.io.interlinear.xml import XmlNode, units
from divproj.text import language_id

WITHIN_TEXT = 0.8
"""Share of annotations within those of the text, in a tier of words that belongs to it."""
TIER_SAMPLE = 300
"""Annotations of a tier that are examined."""
SEGMENTATION_LIKENESS = 0.4
"""Likeness of letters below which a tier is no segmentation of the words."""
SAME_TIMES = 0.7
"""Share of annotations that begin when one of the text does, in a tier that translates it."""
SAME_SPEAKER = 0.1
"""Bonus for a tier of the same speaker when words are assigned to a text by their times."""
TIER_GRAMS = 0.2
"""Share of annotations with abbreviations of grammar, from which a tier below words is one of glosses."""
DISTINCT, MOSTLY_IDS = 0.9, 0.8
"""Shares of values that differ from all others, and that look like numbers or ids, in a tier or marker of sentence ids."""
SENTENCE_WIDTH = 1.5
"""Words of a value, on average, that divide sentences from single words."""
TRANSLATION_GRAMS = 0.3
"""Share of values with abbreviations of grammar that a translation stays below."""


LITERAL = "lit"
"""Role of a literal translation, which is kept beside the free one."""
ROLES = ("text", "words", "morphs", "glosses", "pos", "translation")
_NAMES = (
    ("lit", r"liter|(^|[-_ ])lit($|[-_ .])|wörtl|букв|harfiah|mot.à.mot|palabra.por.palabra|palavra.por.palavra|word.(for|by).word"),
    ("translation", r"phrase-gls|free|transl|tradu[cz]|übersetz|перевод|terjemah|libre|(^|[-_ ])(ft|fe|ftr|tl|tr|trad|eng|esp|spa)($|[-_ ])"
                    r"|english|español|espanhol|inglés|inglês|anglais|français|portugu|deutsch|spanish|french|german|russian|русск|meaning"),
    ("glosses", r"glos|глосс|(^|[-_ ])(ge|gl|gls|glo|mg)($|[-_ ])"),
    ("pos", r"(^|[-_ ])(ps|pos|msa|cat|tag)($|[-_ ])|part.?of.?speech|wortart|categor[ií]a|partes?.d[eo].discurso"),
    ("morphs", r"morph|morf|морф|(^|[-_ ])(mb|mr|mph|m|seg)($|[-_ ])|segment"),
    ("words", r"word|palabra|palavra|wort|wörter|слов|(^|[-_ ])(wd|wrd|w|tok|tx-w|mots?|kata)($|[-_ ])|token"),
    ("text", r"text|phrase|frase|satz|sentence|orac[ií]|énoncé|utter|trans[ck]r|транскр|предлож|ort[oh]"
             r"|(^|[-_ ])(tx|txt|ut|s|default|trs)($|[-_ ])"),
)  # fmt: skip
_IGNORED = re.compile(
    r"interlinear-text|paragraph|párraf|parágraf|absatz|абзац|title|título|titre|titel|note|nota|comment|coment|bemerk|замеч|lemma|gest|gaze|mirada|hand|media|activ|(^|[-_])(hn|type|cf|variant|rem)",
    re.IGNORECASE,
)
_IDS = re.compile(r"(^|[-_ ])(ref|id|segnum|num|nr|no)($|[-_ ])", re.IGNORECASE)
_ID_VALUE = re.compile(r"[\w.:/-]*\d[\w.:/-]*$")
_GRAM = re.compile(r"(?:^|[-=~.:–])(?:[A-Z]{2,}\w*|[123](?:SG|PL|DU|sg|pl|du|s|p)?)(?=$|[-=~.:–])")


@dataclass(eq=False)
class Annotation:
    id: str
    value: str
    line: int
    parent: str = ""
    previous: str = ""
    begin: int = -1
    end: int = -1


@dataclass
class Tier:
    name: str
    kind: str
    parent: str
    participant: str
    lang: str
    annotations: list[Annotation] = field(default_factory=list)
    constraint: str = ""
    """Symbolic_Association, Symbolic_Subdivision, Time_Subdivision, Included_In, or '' for a tier of its own times."""


class Content(NamedTuple):
    """What the annotations of a tier look like."""

    filled: int
    width: float
    """Tokens in an annotation, on average."""
    ids: float
    """Share of values that look like numbers or ids."""
    grams: float
    """Share of values with an abbreviation of grammar."""
    language: str
    """The language of translation that it is in; '' when in none."""
    divided: bool
    """Whether two annotations have the same parent."""


class TierRow(NamedTuple):
    """A tier as `proj check --tiers list` shows it."""

    tier: str
    under: str
    kind: str
    annotations: int
    role: str
    why: str


def content(tier: Tier) -> Content:
    values = [annotation.value for annotation in tier.annotations[:TIER_SAMPLE] if annotation.value.strip()]
    if not values:
        return Content(0, 0.0, 0.0, 0.0, "", False)
    n = len(values)
    parents = [annotation.parent for annotation in tier.annotations if annotation.parent]
    ids = sum(bool(_ID_VALUE.match(value)) or not any(c.isalpha() for c in value) for value in values)
    return Content(
        n,
        sum(len(tokens(value)) for value in values) / n,
        ids / n if len(set(values)) > DISTINCT * n or ids == n else 0.0,
        sum(any(_GRAM.search(token) for token in tokens(value)) for value in values) / n,
        language_id.of_lines(values).code,
        len(parents) > len(set(parents)),
    )


def by_name(tier: Tier) -> tuple[str, str]:
    """(role, reason) by the name of a tier, or else by that of its type; ('-', reason) for a tier that is to be left out."""
    for text, basis in ((tier.name.partition("@")[0], "name"), (tier.kind, "type")):
        if _IGNORED.search(text):
            return "-", f"{basis}: not of the text"
        for role, pattern in _NAMES:
            if re.search(pattern, text, re.IGNORECASE):
                return role, basis
    return "", ""


def guess_roles(tiers: Mapping[str, Tier], taken: Mapping[str, str]) -> dict[str, tuple[str, str]]:
    """(role, reason) of each tier; `taken` are the roles that were named."""
    looks = {name: content(tier) for name, tier in tiers.items()}
    assignments = {name: (taken[name], "named") if name in taken else by_name(tier) for name, tier in tiers.items()}
    for name, tier in tiers.items():
        if name not in taken:
            assignments[name] = _correct_role(tier, looks[name], assignments[name], tiers, looks)
    _texts(tiers, looks, assignments, taken)
    _missing(tiers, looks, assignments, taken)
    return assignments


def _correct_role(
    tier: Tier, look: Content, said: tuple[str, str], tiers: Mapping[str, Tier], looks: Mapping[str, Content]
) -> tuple[str, str]:
    """A role that the place or the content of the tier speaks against is changed."""
    role, why = said
    if not look.filled:
        return "-", "empty"
    if look.ids > MOSTLY_IDS and (not tier.parent or _IDS.search(tier.name)):
        return "-", "numbers or ids"
    if role in ("words", "morphs") and not tier.parent and look.width > SENTENCE_WIDTH:
        return "text", "whole sentences"
    if role == "morphs" and not look.divided and look.width < SENTENCE_WIDTH and _unlike_words(tier, tiers):
        return "-", "unlike the words"
    if role in ("text", "translation") and _below_division(tier, tiers, looks):
        return "", ""
    if role == "text" and tier.parent in tiers and look.divided:
        return "words", "several under one sentence"
    if (
        role == "text"
        and why == "name"
        and look.language
        and tier.parent in tiers
        and tier.constraint == "Symbolic_Association"
    ):
        above = looks[tier.parent]
        if above.language != look.language and by_name(tier)[0] == "text" and above.width > 1:
            return "translation", f"in {look.language}, one for each sentence"
    if role == "translation" and look.grams > TRANSLATION_GRAMS and not look.language:
        return "glosses", "abbreviations of grammar"
    return role, why


def _unlike_words(tier: Tier, tiers: Mapping[str, Tier]) -> bool:
    """Whether a tier with one annotation per word has other letters than the words: then it describes them."""
    above, seen = tier.parent, {tier.name}
    while above in tiers and above not in seen and by_name(tiers[above])[0] != "words":
        seen.add(above)
        above = tiers[above].parent
    if above not in tiers or above in seen:
        return False
    letters, words = (
        "".join(annotation.value for annotation in one.annotations[:40]).casefold() for one in (tier, tiers[above])
    )
    return SequenceMatcher(None, letters, words, autojunk=False).ratio() < SEGMENTATION_LIKENESS


def _below_division(tier: Tier, tiers: Mapping[str, Tier], looks: Mapping[str, Content]) -> bool:
    """Whether a tier above holds words or morphemes: several annotations with the same parent."""
    seen: set[str] = set()
    while (above := tier.parent) in tiers and above not in seen:
        seen.add(above)
        look = looks[above]
        if look.divided and look.width < SENTENCE_WIDTH and look.ids <= MOSTLY_IDS and by_name(tiers[above])[0] != "-":
            return True
        tier = tiers[above]
    return False


def _texts(
    tiers: Mapping[str, Tier], looks: Mapping[str, Content], assignments: dict[str, tuple[str, str]], taken: Mapping[str, str]
) -> None:
    """Find the text where no tier is named so: the tier above the words, or the topmost one with the most words."""
    if any(role == "text" for role, _ in assignments.values()) or "text" in taken.values():
        return
    divided = [name for name, (role, _) in assignments.items() if role in ("words", "morphs")]
    for name in divided:
        top = topmost(tiers, name)
        if top != name and not assignments[top][0] and looks[top].filled:
            assignments[top] = ("text", "words depend on it")
    if any(role == "text" for role, _ in assignments.values()) or any(tiers[name].parent in tiers for name in divided):
        return
    tops = [
        name for name, tier in tiers.items() if tier.parent not in tiers and not assignments[name][0] and looks[name].filled
    ]
    best = max(tops, key=lambda name: looks[name].filled * looks[name].width, default=None)
    children = {tier.parent for tier in tiers.values()}
    if best is not None and (best in children or len(tops) == 1) and (not divided or looks[best].width > SENTENCE_WIDTH):
        kind = tiers[best].kind
        for name in tops:
            if tiers[name].kind == kind and (not divided or looks[name].width > SENTENCE_WIDTH):
                assignments[name] = ("text", "topmost, with tiers under it")


def _missing(
    tiers: Mapping[str, Tier], looks: Mapping[str, Content], assignments: dict[str, tuple[str, str]], taken: Mapping[str, str]
) -> None:
    """Find translations, words and glosses by position and content where no name tells."""
    for _ in range(4):  # a tier may depend on one that is found in the round before
        before = dict(assignments)
        roles = {name: role for name, (role, _) in assignments.items()}
        texts = {name for name, role in roles.items() if role == "text"}
        languages = Counter(looks[name].language for name in texts)
        for name, tier in tiers.items():
            if roles[name] or name in taken:
                continue
            above = roles.get(tier.parent, "")
            beside = {roles[other] for other, of in tiers.items() if of.parent == tier.parent}
            role = _by_place(tier, looks[name], above, beside, languages, [tiers[text] for text in texts])
            if role:
                assignments[name] = role
                roles[name] = role[0]
        if assignments == before:
            return


def _by_place(
    tier: Tier, look: Content, above: str, beside: set[str], languages: Mapping[str, int], texts: Sequence[Tier]
) -> tuple[str, str] | None:
    """(role, reason) of a tier whose name says nothing; `above` and `beside` are the roles of the tiers around it."""
    known = bool(look.language) and not languages.get(look.language)
    if above == "text" and not look.divided and known:
        return "translation", f"in {look.language}, one for each sentence"
    if not tier.parent and known and look.width > SENTENCE_WIDTH and any(_same_times(tier, text) for text in texts):
        return "translation", f"in {look.language}, at the times of the text"
    if above == "text" and look.divided and "words" not in beside:
        return "words", "several under one sentence"
    if above in ("words", "morphs", "text") and look.grams > TIER_GRAMS:
        return "glosses", "abbreviations of grammar"
    if above == "words" and look.divided and "morphs" not in beside:
        return "morphs", "several under one word"
    if above in ("words", "morphs") and not look.divided and look.language and "glosses" not in beside:
        return "glosses", f"in {look.language}, one for each"
    return None


def topmost(tiers: Mapping[str, Tier], name: str) -> str:
    """Return the topmost of the tiers above a tier."""
    seen = {name}
    while (above := tiers[name].parent) in tiers and above not in seen:
        seen.add(above)
        name = above
    return name


def _same_times(tier: Tier, text: Tier) -> bool:
    starts = {annotation.begin for annotation in text.annotations if annotation.begin >= 0}
    tier_starts = [annotation.begin for annotation in tier.annotations if annotation.value]
    return bool(tier_starts) and sum(begin in starts for begin in tier_starts) >= SAME_TIMES * len(tier_starts)


def is_ids(tier: Tier) -> bool:
    """Whether the annotations are names of sentences rather than their text."""
    look = content(tier)
    return (bool(_IDS.search(tier.name.partition("@")[0])) and look.width < SENTENCE_WIDTH) or look.ids > MOSTLY_IDS


def language(tier: Tier) -> str:
    """Language of a tier of translations: what it says, or the code at the end of its name (`phrase-gls-en`)."""
    match = re.search(r"[-_]([a-z]{2,3})$", tier.name.partition("@")[0])
    code = match[1] if match and match[1] in _CODES else ""
    return lang_code(tier.lang or code)


_CODES = frozenset((*language_id.LANGUAGES, "eng", "spa", "por", "fra", "deu", "rus", "ita", "nld", "ind", "bi", "bis", "gl"))


def table(tiers: Mapping[str, Tier], roles: Mapping[str, tuple[str, str]]) -> list[TierRow]:
    """The tiers of a file and what they are read as."""
    return [
        TierRow(name, tier.parent, tier.constraint or "own times", len(tier.annotations), *_role(roles.get(name, ("", ""))))
        for name, tier in tiers.items()
    ]


def _role(said: tuple[str, str]) -> tuple[str, str]:
    return said[0].strip("-"), said[1]


def describe_tiers(tiers: Mapping[str, Tier]) -> str:
    return ", ".join(f"{name} (under {tier.parent})" if tier.parent else name for name, tier in tiers.items()) or "none"


def with_constraints(tiers: Mapping[str, Tier], kinds: Mapping[str, str]) -> None:
    for tier in tiers.values():
        tier.constraint = kinds.get(tier.kind, "")


def is_phonetic(tier: Tier) -> bool:
    """Whether a tier is a phonetic transcription, which is read as the text only where there is no other."""
    return bool(re.search(r"phon|fon[eéoó]|ipa\b|lautschr|фонет", tier.name, re.IGNORECASE))


def speaker(tier: Tier) -> str:
    """Who speaks: what the tier says, or what follows `@` in its name."""
    return tier.participant or tier.name.partition("@")[2]


def tiers_above(tiers: dict[str, Tier], name: str) -> list[str]:
    """The tier and those above it."""
    chain = [name]
    while (above := tiers[chain[-1]].parent) in tiers and above not in chain:
        chain.append(above)
    return chain


def depth_of(tiers: dict[str, Tier], name: str) -> int:
    return len(tiers_above(tiers, name))


def overlaps(annotation: Annotation, top: Annotation) -> bool:
    """Whether more than half of an annotation is within the time of another."""
    middle = (annotation.begin + max(annotation.end, annotation.begin)) / 2
    return top.begin <= middle < max(top.end, top.begin + 1)


class Annotations:
    """Annotations of all tiers, found by what they depend on."""

    def __init__(self, tiers: dict[str, Tier], path: str, faults: Faults) -> None:
        self.tiers, self.path, self.faults = tiers, path, faults
        self.by_id = {annotation.id: annotation for tier in tiers.values() for annotation in tier.annotations}
        self.up: dict[str, str] = {}
        self._by_time: dict[str, tuple[list[Annotation], list[int]]] = {}
        self._indexes: dict[tuple[str, str], dict[str, list[Annotation]]] = {}
        for tier in tiers.values():
            self._attach(tier)

    def _attach(self, tier: Tier) -> None:
        """Parents of the annotations: by reference, or the one above at that time."""
        above, starts = self._sort_by_time(tier.parent) if tier.parent in self.tiers else ([], [])
        for annotation in tier.annotations:
            if annotation.parent:
                self.up[annotation.id] = annotation.parent
                if annotation.parent not in self.by_id:
                    problem = (
                        f"annotation {annotation.id} on tier {tier.name} refers to {annotation.parent}, which is not there"
                    )
                    self.faults.word(FormatError(problem, Where(self.path, annotation.line), "left out"))
            elif above and annotation.begin >= 0:
                self.up[annotation.id] = above[max(0, bisect_right(starts, annotation.begin) - 1)].id

    def under(self, name: str, top: Annotation, top_tier: str) -> list[Annotation]:
        """Return the annotations of a tier that are below `top`, in order; by time where the tiers are not related."""
        tier = self.tiers[name]
        if name == top_tier:
            return [top]
        if top_tier in tiers_above(self.tiers, name):
            return self._sort_annotations(self.index(name, top_tier).get(top.id, []), tier)
        if topmost(self.tiers, name) != topmost(self.tiers, top_tier):
            timed, starts = self._sort_by_time(name)
            at = max(0, bisect_left(starts, max(top.begin, 0)) - 1)  # one may begin a little earlier than the text
            return [a for a in timed[at : bisect_left(starts, max(top.end, top.begin + 1))] if overlaps(a, top)]
        root, root_tier = self._climb(top.id)[-1], topmost(self.tiers, name)
        first = self.index(top_tier, root_tier).get(root, [])[:1]
        return self.index(name, root_tier).get(root, []) if first == [top] else []

    def _sort_by_time(self, name: str) -> tuple[list[Annotation], list[int]]:
        """Annotations of a tier that have a time, by it, and their times."""
        if name not in self._by_time:
            annotations = sorted((a for a in self.tiers[name].annotations if a.begin >= 0), key=lambda a: a.begin)
            self._by_time[name] = (annotations, [a.begin for a in annotations])
        return self._by_time[name]

    def index(self, name: str, top_tier: str) -> dict[str, list[Annotation]]:
        """Return the annotations of a tier, grouped by the annotation of a higher tier that they are below."""
        key = (name, top_tier)
        if key not in self._indexes:
            tops = {annotation.id for annotation in self.tiers[top_tier].annotations}
            groups: dict[str, list[Annotation]] = {}
            for annotation in self.tiers[name].annotations:
                top = next((at for at in self._climb(annotation.id) if at in tops), "")
                groups.setdefault(top, []).append(annotation)
            self._indexes[key] = groups
        return self._indexes[key]

    def _climb(self, start: str) -> list[str]:
        """Return the annotation and those above it."""
        chain = [start]
        while (above := self.up.get(chain[-1], "")) in self.by_id and above not in chain:
            chain.append(above)
        return chain

    def is_below(self, annotation: Annotation, top: str) -> bool:
        return top in self._climb(annotation.id)

    def _sort_annotations(self, annotations: list[Annotation], tier: Tier) -> list[Annotation]:
        """In the order of their parents and, under one parent, of PREVIOUS_ANNOTATION."""
        groups: dict[str, list[Annotation]] = {}
        for a in annotations:
            groups.setdefault(self.up.get(a.id, ""), []).append(a)
        parents = [self.by_id[key] for key in groups if key in self.by_id]
        if len(parents) > 1 and tier.parent in self.tiers:
            parents = self._sort_annotations(parents, self.tiers[tier.parent])
        order = {a.id: k for k, a in enumerate(parents)}
        in_order: list[Annotation] = []
        for key in sorted(groups, key=lambda parent: order.get(parent, len(order))):
            in_order += self._chain_annotations(groups[key], tier)
        return in_order

    def _chain_annotations(self, group: list[Annotation], tier: Tier) -> list[Annotation]:
        after = {a.previous: a for a in group if a.previous}
        chain: dict[str, Annotation] = {}
        for first in sorted((a for a in group if not a.previous), key=lambda a: a.begin):
            at: Annotation | None = first
            while at is not None and at.id not in chain:
                chain[at.id] = at
                at = after.get(at.id)
        rest = [a for a in group if a.id not in chain]
        if rest:
            problem = f"the order of {len(rest)} annotations on tier {tier.name} is broken at {rest[0].id}"
            self.faults.word(FormatError(problem, Where(self.path, rest[0].line), "read in the order of the file"))
        return [*chain.values(), *rest]


TAGS = frozenset({
    "ANNOTATION_DOCUMENT", "HEADER", "TIME_ORDER", "TIME_SLOT", "TIER", "ANNOTATION", "ALIGNABLE_ANNOTATION", "REF_ANNOTATION",
    "ANNOTATION_VALUE", "LINGUISTIC_TYPE", "LANGUAGE", "PROPERTY", "MEDIA_DESCRIPTOR",
})  # fmt: skip


def load(source: Source, faults: Faults | None = None, **options: Any) -> Iterator[Sentence]:
    return from_file(read, source, faults, options)


def loads(text: str, faults: Faults | None = None, **options: Any) -> list[Sentence]:
    return from_text(read, text, faults, options)


def read(stream: BinaryIO, path: str, faults: Faults, options: Options) -> Iterator[Sentence]:
    unknown = sorted(set(options.tiers) - set(ROLES))
    if unknown:
        raise ProjError(f"unknown role {unknown[0]!r} of a tier, one of {', '.join(ROLES)} expected")
    for _, igt in _find_sentences(stream, path, faults, options):
        yield igt


def places(stream: BinaryIO, path: str, faults: Faults, options: Options) -> list[tuple[str, str]]:
    """Tier and annotation of each sentence, in the order of `read`."""
    return [place for place, _ in _find_sentences(stream, path, faults, options)]


def _find_sentences(stream: BinaryIO, path: str, faults: Faults, options: Options) -> list[tuple[tuple[str, str], Sentence]]:
    """The sentences and where they are, in the order in which they are spoken."""
    tiers = _tiers(stream, path, faults, options)
    trees = {name: tier for name, tier in tiers.items() if tier.kind == "divproj-tree"}
    tiers = {name: tier for name, tier in tiers.items() if name not in trees}
    file = _File(tiers, path, faults)
    file.trees = {annotation.parent: annotation.value for tier in trees.values() for annotation in tier.annotations}
    sentences = [pair for roles in _role_sets(tiers, path, options) for pair in file.instances(roles, options)]
    return [(place, igt) for _, place, igt in sorted(sentences, key=lambda triple: triple[0])]


def _tiers(stream: BinaryIO, path: str, faults: Faults, options: Options) -> dict[str, Tier]:
    tiers: dict[str, Tier] = {}
    times: dict[str, int] = {}
    kinds: dict[str, str] = {}
    for node, _ in units(stream, path, faults, options, lambda _, parent: parent == "ANNOTATION_DOCUMENT", TAGS):
        if node.tag == "TIME_ORDER":
            times = _times(node)
        elif node.tag == "TIER":
            tier = _tier(node, times)
            tiers[tier.name] = tier
        elif node.tag == "LINGUISTIC_TYPE":
            kinds[node.get("LINGUISTIC_TYPE_ID")] = node.get("CONSTRAINTS")
    with_constraints(tiers, kinds)
    return tiers


def _times(node: XmlNode) -> dict[str, int]:
    """Milliseconds of the slots; one without a value has that of the slot before it."""
    milliseconds: dict[str, int] = {}
    last = 0
    for slot in node.all("TIME_SLOT"):
        value = slot.get("TIME_VALUE")
        last = int(value) if value.isdecimal() else last
        milliseconds[slot.get("TIME_SLOT_ID")] = last
    return milliseconds


def _tier(node: XmlNode, times: dict[str, int]) -> Tier:
    name = node.get("TIER_ID")
    tier = Tier(name, node.get("LINGUISTIC_TYPE_REF"), node.get("PARENT_REF"), node.get("PARTICIPANT"), node.get("LANG_REF"))
    for holder in node.all("ANNOTATION"):
        for annotation in holder.children[:1]:
            value = "".join(text.text for text in annotation.all("ANNOTATION_VALUE"))
            begin, end = times.get(annotation.get("TIME_SLOT_REF1"), -1), times.get(annotation.get("TIME_SLOT_REF2"), -1)
            ref, before = annotation.get("ANNOTATION_REF"), annotation.get("PREVIOUS_ANNOTATION")
            tier.annotations.append(
                Annotation(
                    annotation.get("ANNOTATION_ID"), normalize_space(one_line(value)), annotation.line, ref, before, begin, end
                )
            )
    return tier


def _role_sets(tiers: dict[str, Tier], path: str, options: Options) -> list[dict[str, list[str]]]:
    """Tiers of each role, one set for every speaker (or other topmost tier)."""
    by_role: dict[str, list[str]] = {}
    named: dict[str, str] = {}
    for role, wanted in options.tiers.items():
        matches = [name for name, tier in tiers.items() if wanted in (name, tier.kind) or name.partition("@")[0] == wanted]
        if not matches:
            problem = f"no tier or type {wanted!r}; the tiers are {describe_tiers(tiers)}"
            raise FormatError(problem, Where(path), "name one of these")
        by_role[role] = matches
        named |= dict.fromkeys(matches, role)
    for name, (role, _) in guess_roles(tiers, named).items():
        if role in (*ROLES, LITERAL) and role not in options.tiers and tiers[name].annotations:
            by_role.setdefault(role, []).append(name)
    if "words" not in by_role and "text" not in options.tiers:
        divided = [name for name in by_role.get("text", ()) if tiers[name].parent and _shared_parent(tiers[name])]
        by_role["words"] = divided
        by_role["text"] = [name for name in by_role.get("text", ()) if name not in divided]
    if not any(by_role.get(role) for role in ("words", "text", "morphs")):
        remedy = "name them, as in `tiers=words=…,glosses=…,translation=…` (proj check --tiers list shows them)"
        problem = f"no tier looks like words or text; the tiers are {describe_tiers(tiers)}"
        raise FormatError(problem, Where(path), remedy)
    sets: dict[str, dict[str, list[str]]] = {}
    loose: dict[str, list[str]] = {}
    tops = {topmost(tiers, name) for role in ("words", "text", "morphs") for name in by_role.get(role, ())}
    for role, names in by_role.items():
        for name in sorted(names, key=lambda name: _rank(tiers, name, role, options.lang)):
            top = topmost(tiers, name)
            (sets.setdefault(top, {}) if top in tops else loose).setdefault(role, []).append(name)
    _merge(tiers, sets)
    for roles in sets.values():
        for role, names in loose.items():
            roles.setdefault(role, names)
    return list(sets.values())


def _rank(tiers: dict[str, Tier], name: str, role: str, lang: str) -> tuple[int, bool]:
    """Sorts the tiers of one role: the one to read comes first."""
    if role in ("glosses", "pos"):
        return -depth_of(tiers, name), language(tiers[name]) not in ("", lang_code(lang))
    return 0, role == "text" and is_phonetic(tiers[name])


def _merge(tiers: dict[str, Tier], sets: dict[str, dict[str, list[str]]]) -> None:
    """Words that have times of their own belong to the text that is spoken meanwhile, not to sentences of their own."""
    texts = [top for top, roles in sets.items() if roles.get("text")]
    for top in [top for top in sets if top not in texts]:
        spans = {text: _share_within(tiers[top], tiers[sets[text]["text"][0]], tiers[text]) for text in texts}
        best = max(spans, key=lambda text: spans[text], default="")
        if best and spans[best] > WITHIN_TEXT:
            for role, names in sets.pop(top).items():
                sets[best].setdefault(role, names)


def _share_within(tier: Tier, text: Tier, top: Tier) -> float:
    timed = text if any(annotation.begin >= 0 for annotation in text.annotations) else top
    spans = sorted((annotation.begin, annotation.end) for annotation in timed.annotations if annotation.begin >= 0)
    starts = [begin for begin, _ in spans]
    tier_starts = [annotation.begin for annotation in tier.annotations if annotation.begin >= 0]
    inside = sum((k := bisect_right(starts, begin) - 1) >= 0 and begin < spans[k][1] for begin in tier_starts)
    same = speaker(tier) == speaker(top)
    return inside / len(tier_starts) + SAME_SPEAKER * same if tier_starts and len(tier_starts) > len(spans) else 0.0


def _shared_parent(tier: Tier) -> bool:
    """Whether two annotations have the same parent."""
    parents = [annotation.parent for annotation in tier.annotations if annotation.parent]
    return len(parents) > len(set(parents))


def list_tiers(stream: BinaryIO, path: str, faults: Faults, options: Options) -> list[TierRow]:
    """The tiers of a file and what each is read as."""
    tiers = _tiers(stream, path, faults, options)
    named = {
        name: role for role, wanted in options.tiers.items() for name, tier in tiers.items() if wanted in (name, tier.kind)
    }
    return table(tiers, guess_roles(tiers, named))


class _File(Annotations):
    """A file, sentence by sentence."""

    def __init__(self, tiers: dict[str, Tier], path: str, faults: Faults) -> None:
        super().__init__(tiers, path, faults)
        self.trees: dict[str, str] = {}
        """Trees that were written back, by the annotation they belong to."""
        self._ids: dict[str, bool] = {}

    def instances(self, roles: dict[str, list[str]], options: Options) -> Iterator[tuple[int, tuple[str, str], Sentence]]:
        """One for each annotation of the text tier, or of one above it that has one such each."""
        if roles.get("text"):
            chain = tiers_above(self.tiers, roles["text"][0])
        else:
            chain = tiers_above(self.tiers, (roles.get("words") or roles["morphs"])[0])
            chain = chain[1:] or chain
        top_tier = chain[0]
        for below, above in pairwise(chain):
            if any(len(group) > 1 for group in self.index(below, above).values()):
                break
            top_tier = above
        for top in sorted(self.tiers[top_tier].annotations, key=lambda a: a.begin):
            igt = self._instance(top, top_tier, roles, options)
            if any(char.isalnum() for word in igt.words for char in word) or (igt.words and igt.translation):
                yield top.begin, (top_tier, top.id), igt

    def _instance(self, top: Annotation, top_tier: str, roles: dict[str, list[str]], options: Options) -> Sentence:
        by_role = {role: self._first(names, top, top_tier) for role, names in roles.items() if role in ROLES[:-1]}
        text = " ".join(a.value for a in by_role.get("text", []))
        words = by_role.get("words", [])
        if not words and top_tier in roles.get("words", ()):
            words = [top]
        if not text and words and all(" " in a.value for a in words):
            text, words = " ".join(a.value for a in words), []
        pieces = by_role.get("morphs", [])
        if not pieces and any(a.value[:1] in "=-" or a.value[-1:] in "=-" for a in words if len(a.value) > 1):
            words, pieces = [], words  # clitics and affixes that stand apart belong to the word beside them
        groups = [[k for k, piece in enumerate(pieces) if self.is_below(piece, word.id)] for word in words]
        values = [piece.value for piece in pieces]
        if not words or not any(groups):
            spread = tokens(" ".join(values))
            values, pieces = (list(spread), []) if len(pieces) == 1 and len(spread) > 1 else (values, pieces)
            groups = group_morphemes(values)
        segments = [join_morphemes([values[k] for k in group]) for group in groups] if values else []
        marks = [glue([values[k] for k in group])[1] for group in groups]
        above = [word.id for word in words]
        glosses = self._below(by_role.get("glosses", []), above, pieces, groups, marks)
        tags = self._below(by_role.get("pos", []), above, pieces, groups, marks)
        translations = [
            (language(self.tiers[name]), " ".join(a.value for a in self.under(name, top, top_tier)))
            for name in roles.get("translation", ())
        ]
        translation, all_of_them = choose_translation(translations, options.lang, stated=True)
        forms = [word.value for word in words] or list(tokens(text)) or segments
        tier = self.tiers[top_tier]
        times = [("begin", str(top.begin)), ("end", str(top.end))] if top.begin >= 0 else []
        meta = [("speaker", speaker(tier)), *times]
        if top.id in self.trees:
            pairs = [value.partition(":") for value in self.trees[top.id].split()]
            meta += [("hd", " ".join(head for head, _, _ in pairs)), ("rl", " ".join(rel or "_" for _, _, rel in pairs))]
        sent_id = top.value if top.value and self._is_ids(top_tier) else top.id
        if top.value and top.value not in (text, " ".join(forms), sent_id) and top_tier not in roles.get("words", ()):
            meta.append((tier.name, top.value))
        for name in roles.get(LITERAL, ()):
            meta.append(("lit", " ".join(a.value for a in self.under(name, top, top_tier))))
        for name in roles.get("glosses", [])[1:]:
            meta.append((name, " ".join(a.value for a in self.under(name, top, top_tier))))
        return instance(
            [form or "_" for form in forms],
            segments,
            glosses,
            tags,
            text=text if words else "",
            translation=translation,
            translations=all_of_them,
            sent_id=sent_id,
            language=tier.lang,
            meta=meta,
            where=Where(self.path, top.line, sent_id),
        )

    def _is_ids(self, name: str) -> bool:
        if name not in self._ids:
            self._ids[name] = is_ids(self.tiers[name])
        return self._ids[name]

    def _first(self, names: list[str], top: Annotation, top_tier: str) -> list[Annotation]:
        """Annotations of the first of some tiers that has any here."""
        return next((annotations for name in names if (annotations := self.under(name, top, top_tier))), [])

    def _below(
        self,
        annotations: list[Annotation],
        words: list[str],
        pieces: list[Annotation],
        groups: list[list[int]],
        marks: list[list[str]],
    ) -> list[str]:
        """Glosses or tags of the words: one a word, or one a morpheme joined as the morphemes are."""
        if len(annotations) == 1 and (spread := tokens(annotations[0].value)) and len(spread) > 1 and len(words or groups) != 1:
            if not pieces and len(spread) == sum(map(len, groups)) > len(groups):
                return [join_morphemes([spread[k] for k in group], mark) for group, mark in zip(groups, marks, strict=True)]
            return list(spread)
        by_piece = {self.up.get(a.id, ""): a.value for a in annotations}
        if pieces and any(piece.id in by_piece for piece in pieces):
            return [
                join_morphemes([by_piece.get(pieces[k].id, "") for k in group], mark)
                for group, mark in zip(groups, marks, strict=True)
            ]
        if words and any(word in by_piece for word in words):
            return [" ".join(a.value for a in annotations if self.up.get(a.id) == word) for word in words]
        return [a.value for a in annotations]
