"""Read and write ELAN files (.eaf): tiers of annotations, each aligned to time or to an annotation of the tier above.

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

import io
import re
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from difflib import SequenceMatcher
from itertools import count, pairwise
from typing import Any, BinaryIO, NamedTuple, TextIO, cast

from divproj.core.errors import Faults, FormatError, ProjError, Where
from divproj.core.sentence import Sentence
from divproj.io.files import Source
from divproj.io.interlinear.languages import lang_code
from divproj.io.interlinear.parts import (
    EDGES,
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
from divproj.io.interlinear.words import aligned, pieces_of, rejoin, translations_by_code, tree_lines
from divproj.io.interlinear.xml import XmlNode, escape_xml, units
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
DOUBLE_LINES = 0.5
"""Share of annotations of two lines that have as many words, with abbreviations of grammar below, from which on these are glosses."""
SENTENCE_WIDTH = 1.5
"""Words of a value, on average, that divide sentences from single words."""
TRANSLATION_GRAMS = 0.3
"""Share of values with abbreviations of grammar that a translation stays below."""


UNTIMED = -1
"""Time of what has none."""
LITERAL = "lit"
"""Role of a literal translation, which is kept beside the free one."""
ROLES = ("text", "words", "morphs", "glosses", "pos", "translation")
_NAMES = (
    ("lit", r"liter|(^|[-_ ])lit($|[-_ .])|wörtl|букв|harfiah|mot.à.mot|palabra.por.palabra|palavra.por.palavra|word.(for|by).word"),
    ("translation", r"phrase-gls|free|transl|tradu[cz]|übersetz|перевод|terjemah|libre|(^|[-_ ])(ft[a-z]?|f[en]|ftr|tl|tr|trad|eng|esp|spa)($|[-_ ])"
                    r"|^f$|english|español|espanhol|inglés|inglês|anglais|français|portugu|deutsch|spanish|french|german|russian|русск|meaning"),
    ("glosses", r"glos|глосс|(^|[-_ ])(g[efnprs]|gl|gls|glo|mg)($|[-_ ])|^g$"),
    ("pos", r"(^|[-_ ])(ps|pos|msa|cat|tag)($|[-_ ])|^p$|part.?of.?speech|wortart|categor[ií]a|partes?.d[eo].discurso"),
    ("morphs", r"morph|morf|морф|(^|[-_ ])(mb|mr|mph|m|seg)($|[-_ ])|segment"),
    ("words", r"word|palabra|palavra|wort|wörter|слов|(^|[-_ ])(wd|wrd|w|tok|tx-w|mots?|kata)($|[-_ ])|token"),
    ("text", r"text|phrase|frase|satz|sentence|orac[ií]|énoncé|utter|trans[ck]r|транскр|предлож|ort[oh]"
             r"|(^|[-_ ])(tx|txt|ut|s|trs)($|[-_ ])|^default$"),
)  # fmt: skip
_IGNORED = re.compile(
    r"interlinear-text|paragraph|párraf|parágraf|absatz|абзац|title|título|titre|titel|note|nota|comment|coment|(^|[-_ ])(comm?\d*|nt|cmt|obs|dt)($|[-_ ])|observa|anmerk|bemerk|замеч|lemma|gest|gaze|mirada|hand|media|activ|(^|[-_])(hn|type|cf|variant|rem)",
    re.IGNORECASE,
)
_UNSPOKEN = re.compile(r"#+|0|ZERO|[Zz]ero|∅|<p:?>|<?(?:pause|sil)>")
"""Words of a tier that are none, when the text does not have them: marks of pauses (`<p:>` in DoReCo), zeros."""
_IDS = re.compile(r"(^|[-_ ])(ref|id|segnum|num|nr|no)($|[-_ ])", re.IGNORECASE)
_ID_VALUE = re.compile(r"[\w.:/-]*\d[\w.:/-]*$")
_GRAM = re.compile(r"(?:^|[-=~.:–])(?:[A-Z]{2,}\w*|[123](?:SG|PL|DU|sg|pl|du|s|p)?)(?=$|[-=~.:–])")


@dataclass(eq=False, slots=True)
class Annotation:
    id: str
    value: str
    line: int
    parent: str = ""
    previous: str = ""
    slots: tuple[str, str] = ("", "")
    begin: int = -1
    end: int = -1
    below: str = ""
    """Glosses that stand in a second line of the same annotation."""
    is_read: bool = False
    """Whether it is in a sentence, as text or word."""


@dataclass
class Tier:
    name: str
    kind: str
    parent: str
    participant: str
    lang: str
    annotations: Sequence[Annotation] = field(default_factory=list)
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
    lettered: bool = False
    """Whether any value has a letter."""


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
    parents = _parents(tier)
    ids = sum(bool(_ID_VALUE.match(value)) or not any(c.isalpha() for c in value) for value in values)
    return Content(
        n,
        sum(len(tokens(value)) for value in values) / n,
        ids / n if len(set(values)) > DISTINCT * n or ids == n else 0.0,
        sum(any(_GRAM.search(token) for token in tokens(value)) for value in values) / n,
        language_id.of_lines(values).code,
        len(parents) > len(set(parents)),
        any(char.isalpha() for value in values for char in value),
    )


def _parents(tier: Tier) -> list[str]:
    """The parents of annotations that divide them, by reference or by time."""
    timed = tier.constraint == "Time_Subdivision"
    return [annotation.parent for annotation in tier.annotations if annotation.parent and (timed or not annotation.slots[0])]


def by_name(tier: Tier) -> tuple[str, str]:
    """(role, reason) by the name of a tier, or else by that of its type; ('-', reason) for a tier that is to be left out.

    The types that FLEx writes say what a tier is, whatever people call it; ELAN's default type says nothing.
    """
    if (said := _TYPES.get(tier.kind)) and not (tier.kind == "word" and _role_by(base_name(tier.name)) == "morphs"):
        return said, "type"
    for text, basis in ((base_name(tier.name), "name"), ("" if tier.kind in _SAY_NOTHING else tier.kind, "type")):
        if role := _role_by(text):
            return role, f"{basis}: not of the text" if role == "-" else basis
    return "", ""


_TYPES = {"word": "words", "morph": "morphs", "word-txt": "words", "morph-txt": "morphs", "phrase-txt": "text"}
_SAY_NOTHING = frozenset(("default-lt", "default", "default-lt-1"))


def _role_by(text: str) -> str:
    """The role that a name says, '-' for none of the text, '' for nothing."""
    if not text:
        return ""
    if _IGNORED.search(text):
        return "-"
    return next((role for role, pattern in _NAMES if re.search(pattern, text, re.IGNORECASE)), "")


def base_name(name: str) -> str:
    r"""The name of a tier without its speaker: `tx` of `tx@SP1`, and of the marker `\\tx`."""
    return name.partition("@")[0].lstrip("\\")


def guess_roles(tiers: Mapping[str, Tier], taken: Mapping[str, str]) -> dict[str, tuple[str, str]]:
    """(role, reason) of each tier; `taken` are the roles that were named."""
    looks = {name: content(tier) for name, tier in tiers.items()}
    assignments = {name: (taken[name], "named") if name in taken else by_name(tier) for name, tier in tiers.items()}
    for name, tier in tiers.items():
        if name not in taken:
            assignments[name] = _correct_role(tier, looks[name], assignments[name], tiers, looks)
    _same_for_speakers(looks, assignments, taken)
    _texts(tiers, looks, assignments, taken)
    _missing(tiers, looks, assignments, taken)
    _same_for_speakers(looks, assignments, taken)
    _above_glosses(tiers, looks, assignments, taken)
    _without_remarks(tiers, assignments, taken)
    return assignments


def _same_for_speakers(looks: Mapping[str, Content], assignments: dict[str, tuple[str, str]], taken: Mapping[str, str]) -> None:
    """Tiers of one name before `@` are of several speakers: they are read as the one with the most in it."""
    groups: dict[str, list[str]] = {}
    for name in assignments:
        if "@" in name and base_name(name) and looks[name].filled:
            groups.setdefault(base_name(name), []).append(name)
    for names in groups.values():
        chosen = next((name for name in names if name in taken), max(names, key=lambda name: looks[name].filled))
        for name in names:
            if name not in taken and name != chosen:
                assignments[name] = assignments[chosen][0], f"as {chosen}"


def _above_glosses(
    tiers: Mapping[str, Tier], looks: Mapping[str, Content], assignments: dict[str, tuple[str, str]], taken: Mapping[str, str]
) -> None:
    """The tier that glosses stand under has the morphemes, whatever its name, when it divides words."""
    for name in [name for name, (role, _) in assignments.items() if role == "glosses" and looks[name].filled]:
        above = tiers[name].parent
        if above in taken or above not in tiers or assignments[above][0] in ("text", "words", "morphs", "glosses"):
            continue
        if assignments.get(tiers[above].parent, ("", ""))[0] == "words" and looks[above].filled:
            assignments[above] = ("morphs", "glosses stand under it")


def _without_remarks(tiers: Mapping[str, Tier], assignments: dict[str, tuple[str, str]], taken: Mapping[str, str]) -> None:
    """A tier that is a text by its type alone, with nothing under it, is a remark where other texts have tiers under them."""
    parents = {tier.parent for tier in tiers.values()}
    texts = [name for name, (role, _) in assignments.items() if role == "text"]
    kinds = {tiers[name].kind for name in texts if name in parents or tiers[name].parent in tiers}
    if not kinds:
        return
    for name in texts:
        tier = tiers[name]
        if (
            assignments[name][1] == "type"
            and name not in (*parents, *taken)
            and tier.parent not in tiers
            and tier.kind not in kinds
        ):
            assignments[name] = ("-", "type: with nothing under it")


def _correct_role(
    tier: Tier, look: Content, said: tuple[str, str], tiers: Mapping[str, Tier], looks: Mapping[str, Content]
) -> tuple[str, str]:
    """A role that the place or the content of the tier speaks against is changed."""
    role, why = said
    if not look.filled:
        return "-", "empty"
    if look.ids > MOSTLY_IDS and (not tier.parent or _IDS.search(tier.name)):
        return "-", "numbers or ids"
    if role == "text" and not look.lettered:
        return "-", "numbers"
    if role in ("words", "morphs") and not tier.parent and look.width > SENTENCE_WIDTH:
        return "text", "whole sentences"
    if role == "words" and _below_words(tier, tiers, looks):  # the parts of words, or what is said of them
        role, why = ("morphs", "several under one word") if look.divided else ("", "")
    if role == "morphs" and look.width < SENTENCE_WIDTH and look.grams > TIER_GRAMS and _unlike_words(tier, tiers):
        return "glosses", "abbreviations of grammar"
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


def _below_words(tier: Tier, tiers: Mapping[str, Tier], looks: Mapping[str, Content]) -> bool:
    """Whether the tier above holds words."""
    above = tiers.get(tier.parent)
    return above is not None and looks[above.name].width <= SENTENCE_WIDTH and by_name(above)[0] == "words"


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
        above = (up for up in reversed(tiers_above(tiers, name)[1:]) if not assignments[up][0] and looks[up].filled)
        if top := next(above, ""):
            assignments[top] = ("text", "words depend on it")
    if any(role == "text" for role, _ in assignments.values()) or any(tiers[name].parent in tiers for name in divided):
        return
    tops = [
        name for name, tier in tiers.items() if tier.parent not in tiers and not assignments[name][0] and looks[name].filled
    ]
    best = max(tops, key=lambda name: looks[name].filled * looks[name].width, default=None)
    if best is None and not divided:
        beside = {tiers[name].parent for name, (role, _) in assignments.items() if role == "translation"} - {""}
        left = [
            name for name, tier in tiers.items() if tier.parent in beside and not assignments[name][0] and looks[name].lettered
        ]
        if len({base_name(name) for name in left}) == 1:
            assignments |= dict.fromkeys(left, ("text", "beside the translation"))
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
            if above == "-" and tier.parent in tiers and not looks[tier.parent].filled and "words" in beside:
                above = "text"  # sentences without a text of their own
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


def tiers_above(tiers: Mapping[str, Tier], name: str) -> list[str]:
    """The tier and those above it."""
    chain = [name]
    while (above := tiers[chain[-1]].parent) in tiers and above not in chain:
        chain.append(above)
    return chain


def depth_of(tiers: Mapping[str, Tier], name: str) -> int:
    return len(tiers_above(tiers, name))


def overlaps(annotation: Annotation, top: Annotation) -> bool:
    """Whether more than half of an annotation is within the time of another."""
    middle = (annotation.begin + max(annotation.end, annotation.begin)) / 2
    return top.begin <= middle < max(top.end, top.begin + 1)


def _parents_by_id(tiers: Mapping[str, Tier]) -> dict[str, Annotation]:
    """Return the annotations that others refer to; one dictionary all the while, since there are many."""
    by_id: dict[str, Annotation | None] = {}
    for tier in tiers.values():
        by_id.update((annotation.parent, None) for annotation in tier.annotations if annotation.parent)
    for tier in tiers.values():
        by_id.update((annotation.id, annotation) for annotation in tier.annotations if annotation.id in by_id)
    for name in [name for name, annotation in by_id.items() if annotation is None]:
        del by_id[name]
    return cast(dict[str, Annotation], by_id)


class Annotations:
    """Annotations of all tiers, found by what they depend on."""

    def __init__(self, tiers: dict[str, Tier], path: str, faults: Faults) -> None:
        self.tiers, self.path, self.faults = tiers, path, faults
        self.by_id = _parents_by_id(tiers)
        """Annotations that others depend on."""
        self._by_time: dict[str, tuple[list[Annotation], list[int]]] = {}
        self._indexes: dict[tuple[str, str], dict[str, list[Annotation]]] = {}
        self._out_of_order: set[str] = set()
        for tier in tiers.values():
            self._attach(tier)

    def _attach(self, tier: Tier) -> None:
        """Parents of the annotations."""
        for annotation in tier.annotations:
            if annotation.parent and annotation.parent not in self.by_id:
                problem = f"annotation {annotation.id} on tier {tier.name} refers to {annotation.parent}, which is not there"
                self.faults.word(FormatError(problem, Where(self.path, annotation.line), "left out"))

    def under(self, name: str, top: Annotation, top_tier: str) -> list[Annotation]:
        """Return the annotations of a tier that are below `top`, in order; by time where the tiers are not related."""
        tier = self.tiers[name]
        if name == top_tier:
            return [top]
        if top_tier in tiers_above(self.tiers, name):
            return self._sort_annotations(self.index(name, top_tier).get(top.id, []), tier)
        if (root := topmost(self.tiers, name)) != topmost(self.tiers, top_tier):
            if root != name and not any(annotation.begin >= 0 for annotation in tier.annotations):
                spoken = self.under(root, top, top_tier)  # what stands under those of that time
                return [a for above in spoken for a in self._sort_annotations(self.index(name, root).get(above.id, []), tier)]
            timed, starts = self._sort_by_time(name)
            at = max(0, bisect_left(starts, max(top.begin, 0)) - 1)  # one may begin a little earlier than the text
            return [a for a in timed[at : bisect_left(starts, max(top.end, top.begin + 1))] if overlaps(a, top)]
        root_annotation, root_tier = self._climb(top)[-1], root
        first = self.index(top_tier, root_tier).get(root_annotation, [])[:1]
        return self.index(name, root_tier).get(root_annotation, []) if first == [top] else []

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
                top = next((at for at in self._climb(annotation) if at in tops), "")
                groups.setdefault(top, []).append(annotation)
            self._indexes[key] = groups
        return self._indexes[key]

    def _climb(self, start: Annotation) -> list[str]:
        """Return the ids of the annotation and of those above it."""
        chain = [start.id]
        above = self.by_id.get(start.parent)
        while above is not None and above.id not in chain:
            chain.append(above.id)
            above = self.by_id.get(above.parent)
        return chain

    def is_below(self, annotation: Annotation, top: str) -> bool:
        return top in self._climb(annotation)

    def _sort_annotations(self, annotations: list[Annotation], tier: Tier) -> list[Annotation]:
        """In the order of their parents and, under one parent, of PREVIOUS_ANNOTATION."""
        groups: dict[str, list[Annotation]] = {}
        for a in annotations:
            groups.setdefault(a.parent, []).append(a)
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
        if not after:
            return sorted(group, key=lambda a: a.begin)
        chain: dict[str, Annotation] = {}
        for first in sorted((a for a in group if not a.previous), key=lambda a: a.begin):
            at: Annotation | None = first
            while at is not None and at.id not in chain:
                chain[at.id] = at
                at = after.get(at.id)
        rest = [a for a in group if a.id not in chain]
        if rest and rest[0].id not in self._out_of_order:
            self._out_of_order.add(rest[0].id)
            problem = f"the order of {len(rest)} annotations on tier {tier.name} is broken at {rest[0].id}"
            self.faults.word(FormatError(problem, Where(self.path, rest[0].line), "read in the order of the file"))
        return [*chain.values(), *rest]


def _join_clitics(forms: list[str], groups: list[list[int]], values: list[str]) -> tuple[list[str], list[list[int]], list[str]]:
    """Words, and which morphemes each has, with clitics that stand apart at the word beside them.

    >>> _join_clitics(["kolu", "=mi", "ku"], [[0], [1], [2]], ["kolu", "mi", "ku"])
    (['kolu=mi', 'ku'], [[0, 1], [2]], ['kolu', '=mi', 'ku'])
    """
    joined: list[str] = []
    members: list[list[int]] = []
    values = list(values)
    before = ""
    for form, group in zip(forms, groups, strict=True):
        lettered = any(map(str.isalnum, form)) and any(map(str.isalnum, before))
        if lettered and form[0] in EDGES and values[group[0]] in (form, form[1:]):
            values[group[0]] = form
        if lettered and (form[0] in EDGES or before[-1] in EDGES):
            joined[-1] += form
            members[-1] += group
        else:
            joined.append(form)
            members.append(list(group))
        before = form
    return joined, members, values


def _shape(words: Sequence[str]) -> list[bool]:
    """Which words have letters."""
    return [any(char.isalnum() for char in word) for word in words]


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


def _find_sentences(
    stream: BinaryIO, path: str, faults: Faults, options: Options
) -> Iterator[tuple[tuple[str, str], Sentence]]:
    """The sentences and where they are, in the order in which they are spoken."""
    tiers = _tiers(stream, path, faults, options)
    trees = {name: tier for name, tier in tiers.items() if tier.kind == TREE_TYPE}
    tiers = {name: tier for name, tier in tiers.items() if name not in trees}
    file = _File(tiers, path, faults)
    file.trees = {annotation.parent: annotation.value for tier in trees.values() for annotation in tier.annotations}
    role_sets = _role_sets(tiers, path, options)
    sources = [(file.top_tier(roles), roles) for roles in role_sets]
    file.forget_ids({name for name, _ in sources}, role_sets)
    order = [(top.begin, k, j) for k, (name, _) in enumerate(sources) for j, top in enumerate(tiers[name].annotations)]
    for _, k, j in sorted(order):
        name, roles = sources[k]
        top = tiers[name].annotations[j]
        igt = file.instance(top, name, roles, options)
        if igt is not None:
            yield (name, top.id), igt
    file.describe(role_sets)


def _tiers(stream: BinaryIO, path: str, faults: Faults, options: Options) -> dict[str, Tier]:
    tiers: dict[str, Tier] = {}
    times: dict[str, int] = {}
    kinds: dict[str, str] = {}
    tier: Tier | None = None
    double: dict[int, tuple[str, ...]] = {}
    names: dict[str, str] = {}
    ids: dict[str, dict[str, str]] = {}
    for node, above in units(stream, path, faults, options, _is_unit, TAGS):
        if node.tag == "TIME_SLOT":
            value = node.get("TIME_VALUE")
            times[_same(names, node.get("TIME_SLOT_ID"))] = int(value) if value.isdecimal() else UNTIMED
        elif node.tag == "ANNOTATION":
            tier = tier or _empty_tier(above[-1])
            if tier.parent in tiers and tier.parent not in ids:
                ids[tier.parent] = {annotation.id: annotation.id for annotation in tiers[tier.parent].annotations}
            rows = _add_annotation(tier, node, names, ids.get(tier.parent, {}))
            if rows:
                double[len(tier.annotations) - 1] = rows
        elif node.tag == "TIER":
            tier = tier or _empty_tier(node)
            _with_second_lines(tier, double)
            tiers[tier.name] = tier
            tier, double = None, {}
        elif node.tag == "LINGUISTIC_TYPE":
            kinds[node.get("LINGUISTIC_TYPE_ID")] = node.get("CONSTRAINTS")
    with_constraints(tiers, kinds)
    with_parents(tiers)
    with_times(tiers, times)
    with_parents_by_time(tiers)
    return tiers


def _is_unit(tag: str, above: str) -> bool:
    return above == "ANNOTATION_DOCUMENT" or (tag, above) in (("ANNOTATION", "TIER"), ("TIME_SLOT", "TIME_ORDER"))


def with_times(tiers: Mapping[str, Tier], slots: Mapping[str, int]) -> None:
    """Give annotations their times.

    A slot without a value lies between the ends of the chain of annotations it is in (`t1 w1 t7 w2 t8 w3 t2`): such slots share
    the time evenly, wherever TIME_ORDER lists them. One in no such chain has the time of the slot before it.
    """
    times = dict(slots)
    if UNTIMED in times.values():
        for tier in sorted(tiers.values(), key=lambda tier: len(tiers_above(tiers, tier.name))):
            _share_times(tier, times)
    last, open_ones, order = UNTIMED, list[str](), dict[str, int]()
    for name, value in slots.items():  # slots listed after the last one with a value are of no time
        if value == UNTIMED:
            open_ones.append(name)
        else:
            order |= dict.fromkeys(open_ones, last)
            last, open_ones = value, []
    for tier in tiers.values():
        for annotation in tier.annotations:
            begin, end = (times.get(slot, UNTIMED) for slot in annotation.slots)
            annotation.begin = begin if begin != UNTIMED else order.get(annotation.slots[0], UNTIMED)
            annotation.end = end if end != UNTIMED else order.get(annotation.slots[1], UNTIMED)


def _share_times(tier: Tier, times: dict[str, int]) -> None:
    """Times of the slots that only annotations of this tier lie between."""
    following = {annotation.slots[0]: annotation for annotation in tier.annotations}
    for first in tier.annotations:
        if times.get(first.slots[0], UNTIMED) == UNTIMED or times.get(first.slots[1], UNTIMED) != UNTIMED:
            continue
        chain = [first.slots[0], first.slots[1]]
        while times.get(chain[-1], UNTIMED) == UNTIMED and (after := following.get(chain[-1])) and after.slots[1] not in chain:
            chain.append(after.slots[1])
        begin, end = times[chain[0]], times.get(chain[-1], UNTIMED)
        if end < begin:
            continue
        for k, slot in enumerate(chain[1:-1], 1):
            times[slot] = begin + (end - begin) * k // (len(chain) - 1)


def with_parents_by_time(tiers: Mapping[str, Tier]) -> None:
    """The parent of an annotation that refers to none is the one of the tier above that is spoken at that time."""
    for tier in tiers.values():
        if tier.parent not in tiers:
            continue
        above = sorted((a for a in tiers[tier.parent].annotations if a.begin >= 0), key=lambda a: a.begin)
        starts = [a.begin for a in above]
        for annotation in tier.annotations:
            if above and not annotation.parent and annotation.begin >= 0:
                annotation.parent = above[max(0, bisect_right(starts, annotation.begin) - 1)].id


def with_parents(tiers: Mapping[str, Tier]) -> None:
    """The parent of a tier that names none, or one that is not there, is the tier to which its annotations refer."""
    strays = [tier for tier in tiers.values() if tier.parent not in tiers and any(a.parent for a in tier.annotations)]
    if not strays:
        return
    home = {annotation.id: tier.name for tier in tiers.values() for annotation in tier.annotations}
    for tier in strays:
        names = Counter(home[a.parent] for a in tier.annotations if a.parent in home and home[a.parent] != tier.name)
        if names and tier.name not in tiers_above(tiers, name := names.most_common(1)[0][0]):
            tier.parent = name


def _empty_tier(node: XmlNode) -> Tier:
    return Tier(
        node.get("TIER_ID"),
        node.get("LINGUISTIC_TYPE_REF"),
        node.get("PARENT_REF"),
        node.get("PARTICIPANT"),
        node.get("LANG_REF"),
    )


def _same(names: dict[str, str], text: str) -> str:
    """A string that is equal, and one for all that are; `sys.intern` would keep its table when the file is read."""
    return names.setdefault(text, text)


def _add_annotation(tier: Tier, holder: XmlNode, names: dict[str, str], above: Mapping[str, str]) -> tuple[str, ...]:
    """Add an annotation to its tier; return its lines where it has two. `above` has the ids of the tier above, to share them."""
    for node in holder.children[:1]:
        value = "".join(text.text for text in node.all("ANNOTATION_VALUE"))
        name, ref, before = (node.get(key) for key in ("ANNOTATION_ID", "ANNOTATION_REF", "PREVIOUS_ANNOTATION"))
        begin, end = (_same(names, node.get(key)) for key in ("TIME_SLOT_REF1", "TIME_SLOT_REF2"))
        slots = (begin, end) if begin or end else _NO_SLOTS
        annotations = cast(list[Annotation], tier.annotations)
        ref = above.get(ref, ref)
        if annotations and before == annotations[-1].id:
            before = annotations[-1].id
        shown = normalize_space(one_line(value))
        shown = _same(names, shown) if len(shown) < LONGEST_SHARED else shown
        annotations.append(Annotation(name, shown, node.line, ref, before, slots))
        rows = tuple(row for row in map(normalize_space, value.splitlines()) if row) if "\n" in value else ()
        return rows if len(rows) == 2 else ()
    return ()


_NO_SLOTS = ("", "")
LONGEST_SHARED = 16
"""Letters of a value below which it is likely to come again: words and glosses do, sentences do not."""


def _with_second_lines(tier: Tier, double: Mapping[int, tuple[str, ...]]) -> None:
    """Take the second of two lines for the glosses of the first, where most of them are."""
    fitting = sum(len(tokens(a)) == len(tokens(b)) and any(map(_GRAM.search, tokens(b))) for a, b in double.values())
    if fitting > DOUBLE_LINES * len(double):
        for k, (words, glosses) in double.items():
            tier.annotations[k].value, tier.annotations[k].below = words, glosses


def _role_sets(tiers: dict[str, Tier], path: str, options: Options) -> list[dict[str, list[str]]]:
    """Tiers of each role, one set for every speaker (or other topmost tier)."""
    by_role: dict[str, list[str]] = {}
    named: dict[str, str] = {}
    for role, wanted in options.tiers.items():
        by_role[role] = [name for one in _wanted(tiers, wanted) for name in _named(tiers, one, path)]
        named |= dict.fromkeys(by_role[role], role)
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
    glossed = {above for name in by_role.get("glosses", ()) for above in tiers_above(tiers, name)[1:]}
    for role, names in by_role.items():
        for name in sorted(names, key=lambda name: _rank(tiers, name, role, options.lang, glossed)):
            top = topmost(tiers, name)
            (sets.setdefault(top, {}) if top in tops else loose).setdefault(role, []).append(name)
    _merge(tiers, sets)
    for top, roles in sets.items():
        for role, names in loose.items():
            same = [name for name in names if speaker(tiers[name]) in ("", speaker(tiers[top]))] or names
            if role == "translation" and role in roles:
                roles[role] = [*roles[role], *same]
            else:
                roles.setdefault(role, same)
    return list(sets.values())


def _wanted(tiers: Mapping[str, Tier], wanted: str) -> list[str]:
    """The tiers that are named for one role: several stand with commas between."""
    return [wanted] if wanted in tiers else [one for one in (one.strip() for one in wanted.split(",")) if one]


def _named(tiers: Mapping[str, Tier], wanted: str, path: str = "") -> list[str]:
    """The tier of this name, or those of this name before their speaker, or those of this type; FormatError when there are none."""
    for matches in (
        [name for name in tiers if name == wanted],
        [name for name in tiers if base_name(name) == wanted],
        [name for name, tier in tiers.items() if tier.kind == wanted],
    ):
        if matches:
            return matches
    problem = f"no tier or type {wanted!r}; the tiers are {describe_tiers(tiers)}"
    raise FormatError(problem, Where(path), "name one of these")


def _rank(tiers: dict[str, Tier], name: str, role: str, lang: str, glossed: Container[str] = ()) -> tuple[int, bool, int]:
    """Sorts the tiers of one role: the one to read comes first; `glossed` are those that glosses stand under."""
    if role == "glosses":
        return -depth_of(tiers, name), False, _language_rank(tiers[name], lang)
    if role == "pos":
        return -depth_of(tiers, name), language(tiers[name]) not in ("", lang_code(lang)), 0
    return 0, role == "text" and is_phonetic(tiers[name]), role == "morphs" and name not in glossed


def _language_rank(tier: Tier, lang: str) -> int:
    """0 for a tier of glosses in the preferred language, 1 for one of none that is known, 2 for one in another."""
    code = language(tier) or _GLOSS_LANGUAGES.get(base_name(tier.name).casefold(), "")
    values = [annotation.value for annotation in tier.annotations[:TIER_SAMPLE] if not _GRAM.search(annotation.value)]
    code = code or language_id.of_lines(values).code
    return 1 if not code else 0 if code == lang_code(lang) else 2


_GLOSS_LANGUAGES = {"ge": "en", "gle": "en", "gf": "fr", "gr": "ru", "gs": "es", "gp": "pt", "gd": "de", "gn": "und"}
"""Languages of glosses by the names that Toolbox's users give them; `gn` is the national language, which is not English."""


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
    parents = _parents(tier)
    return len(parents) > len(set(parents))


def list_tiers(stream: BinaryIO, path: str, faults: Faults, options: Options) -> list[TierRow]:
    """The tiers of a file and what each is read as."""
    tiers = _tiers(stream, path, faults, options)
    named = {
        name: role
        for role, given in options.tiers.items()
        for one in _wanted(tiers, given)
        for name in _named(tiers, one, path)
    }
    return table(tiers, guess_roles(tiers, named))


class _File(Annotations):
    """A file, sentence by sentence."""

    def __init__(self, tiers: dict[str, Tier], path: str, faults: Faults) -> None:
        super().__init__(tiers, path, faults)
        self.trees: dict[str, str] = {}
        """Trees that were written back, by the annotation they belong to."""
        self._ids: dict[str, bool] = {}

    def top_tier(self, roles: dict[str, list[str]]) -> str:
        """The tier with an annotation for each sentence: the text, or one above it that has one text in each of its annotations."""
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
        return top_tier

    def forget_ids(self, tops: Container[str], role_sets: Sequence[Mapping[str, Sequence[str]]]) -> None:
        """Free the ids of annotations on which nothing depends: half of the memory of a long text is ids."""
        kept = {name for roles in role_sets for role in ("text", "words", "morphs") for name in roles.get(role, ())}
        for name, tier in self.tiers.items():
            if name in tops or name in kept or any(a.id in self.by_id or a.previous for a in tier.annotations):
                continue
            for annotation in tier.annotations:
                annotation.id = ""

    def instance(self, top: Annotation, top_tier: str, roles: dict[str, list[str]], options: Options) -> Sentence | None:
        """The sentence of an annotation; None for one without words."""
        igt = self._instance(top, top_tier, roles, options)
        if any(char.isalnum() for word in igt.words for char in word) or (igt.words and igt.translation):
            return igt
        if igt.translation or igt.glosses:
            self.faults.reading.omit("annotations with a translation or gloss but without words", line=top.line)
        else:
            self.faults.reading.omit("annotations without words", sentences=False)
        return None

    def describe(self, role_sets: Sequence[Mapping[str, Sequence[str]]]) -> None:
        """Say which tiers were read as what, and which were not."""
        reading = self.faults.reading
        spoken = [names for roles in role_sets for role, names in roles.items() if role in ("text", "words") and names]
        reading.speakers = len({speaker(self.tiers[names[0]]) for names in spoken})
        used: set[str] = set()
        for role, shown in (
            ("text", "text"), ("words", "words"), ("morphs", "morphemes"), ("glosses", "glosses"), ("pos", "tags"),
            ("translation", "translation"), (LITERAL, "literal translation"),
        ):  # fmt: skip
            names = [
                name
                for roles in role_sets
                for name in (roles.get(role, ()) if role in ("translation", LITERAL) else roles.get(role, ())[:1])
            ]
            used.update(names)
            labels = []
            for name in names:
                code = language(self.tiers[name]) if role in ("glosses", "translation") else ""
                labels.append(f"{base_name(name) or name} ({code})" if code else base_name(name) or name)
            if labels:
                reading.parts[shown] = list(dict.fromkeys(labels))
        kept = [name for roles in role_sets for name in roles.get("glosses", ())[1:] if name not in used]
        reading.kept = list(dict.fromkeys(base_name(name) or name for name in kept))
        above = {*used, *kept, *(up for names in spoken for up in tiers_above(self.tiers, names[0]))}
        left = [name for name, tier in self.tiers.items() if name not in above and any(a.value for a in tier.annotations)]
        reading.unused = list(dict.fromkeys(base_name(name) or name for name in left))
        for role in ("text", "words"):
            for name in {name for roles in role_sets for name in roles.get(role, ())[:1]}:
                lost = sum(bool(a.value) and not a.is_read for a in self.tiers[name].annotations)
                reading.omit(f"annotations of {name} that belong to no sentence", lost, sentences=False)

    def _instance(self, top: Annotation, top_tier: str, roles: dict[str, list[str]], options: Options) -> Sentence:
        by_role = {role: self._first(names, top, top_tier) for role, names in roles.items() if role in ROLES[:-1]}
        text = " ".join(a.value for a in by_role.get("text", []))
        words = by_role.get("words", [])
        for annotation in (*by_role.get("text", []), *by_role.get("words", [])):
            annotation.is_read = True
        if not words and top_tier in roles.get("words", ()):
            words = [top]
        if not text and words and all(" " in a.value for a in words):
            text, words = " ".join(a.value for a in words), []
        pieces = by_role.get("morphs", [])
        words = self._spoken(words, pieces, text)
        whole = bool(pieces)
        if not pieces and any(a.value[:1] in "=-" or a.value[-1:] in "=-" for a in words if len(a.value) > 1):
            words, pieces = [], words  # clitics and affixes that stand apart belong to the word beside them
        groups = [[k for k, piece in enumerate(pieces) if self.is_below(piece, word.id)] for word in words]
        values = [piece.value for piece in pieces]
        if not words or not any(groups):
            spread = tokens(" ".join(values))
            values, pieces = (list(spread), []) if len(pieces) == 1 and len(spread) > 1 else (values, pieces)
            groups = group_morphemes(values)
        forms = [word.value for word in words]
        about = [a for role in ("glosses", "pos") for a in by_role.get(role, [])]
        if pieces and len(groups) == len(words) and all(groups) and not {a.parent for a in about} & {w.id for w in words}:
            forms, groups, values = _join_clitics(forms, groups, values)
        segments = [join_morphemes([values[k] for k in group]) for group in groups] if values else []
        marks = [glue([values[k] for k in group])[1] for group in groups]
        above = [word.id for word in words]
        glosses = self._below(by_role.get("glosses", []), above, pieces, groups, marks)
        texts = by_role.get("text", [])
        if not glosses and not words and any(a.below for a in texts):
            glosses = list(tokens(" ".join(a.below for a in texts)))
        tags = self._below(by_role.get("pos", []), above, pieces, groups, marks)
        translations = [
            (language(self.tiers[name]), " ".join(a.value for a in self.under(name, top, top_tier)))
            for name in roles.get("translation", ())
        ]
        translation, all_of_them = choose_translation(translations, options.lang, stated=True)
        forms = forms or list(tokens(text)) or segments
        if not words and not whole and segments and _shape(forms) != _shape(segments):
            forms = segments  # the tier of words has punctuation apart, which the text has at its words
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

    def _spoken(self, words: list[Annotation], pieces: list[Annotation], text: str) -> list[Annotation]:
        """The words without empty ones, and without marks of clauses (`#`) and of what is not said (`ZERO`) that the text has not."""
        divided = {piece.parent for piece in pieces}
        filled = [word for word in words if word.value or word.id in divided]
        if not text:
            return filled
        written = set(tokens(text))
        return [word for word in filled if word.value in written or not _UNSPOKEN.fullmatch(word.value)] or filled

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
        alone = annotations[0] if len(annotations) == 1 else None
        under = {*words, *(piece.id for piece in pieces)}
        if (
            alone and alone.parent not in under and len(spread := tokens(alone.value)) > 1 and len(words or groups) != 1
        ):  # one annotation for the whole sentence
            if not pieces and len(spread) == sum(map(len, groups)) > len(groups):
                return [join_morphemes([spread[k] for k in group], mark) for group, mark in zip(groups, marks, strict=True)]
            return list(spread)
        values_under: dict[str, list[str]] = {}
        for annotation in annotations:
            values_under.setdefault(annotation.parent, []).append(annotation.value)
        by_piece = {above: values[0] if len(values) == 1 else join_morphemes(values) for above, values in values_under.items()}
        if pieces and any(piece.id in by_piece for piece in pieces):
            return [
                join_morphemes([by_piece.get(pieces[k].id, "") for k in group], mark)
                for group, mark in zip(groups, marks, strict=True)
            ]
        if words and any(word in by_piece for word in words):
            each = [[a.value for a in annotations if a.parent == word] for word in words]
            return [join_morphemes(values) if len(values) > 1 else "".join(values) for values in each]
        return [a.value for a in annotations]


SECONDS = 3
"""Length of a sentence that has no times, in a new file."""
TREE_TYPE = "divproj-tree"
"""Linguistic type of a tier of trees."""
_NEW_TYPES = {"ref": "", "tx": "Symbolic_Association", "wd": "Symbolic_Subdivision", "mb": "Symbolic_Subdivision", "ge": "Symbolic_Association",
          "ps": "Symbolic_Association", "ft": "Symbolic_Association", TREE_TYPE: "Symbolic_Association"}  # fmt: skip
"""Linguistic types of a new file, and their constraints."""


class NewTier(NamedTuple):
    """A tier that is written: its type, the tier above it, its language, and its annotations: (id, id above or slots, id before, value)."""

    kind: str
    above: str
    lang: str
    rows: list[tuple[str, str | tuple[str, str], str, str]]


def dump(instances: Iterable[Sentence], out: TextIO) -> None:
    """Write a new file: for each speaker tiers `ref tx wd mb ge ps ft_en` and, where there are trees, one of the type `divproj-tree`.

    Sentences without times are given some seconds each, one after the other; link the recording in ELAN and move them.
    """
    tiers: dict[str, NewTier] = {}
    slots: list[int] = []
    names = (f"a{k}" for k in count(1))
    codes: dict[str, None] = {}
    last = 0

    def tier(
        kind: str, speaker: str, above: str = "", lang: str = ""
    ) -> tuple[str, list[tuple[str, str | tuple[str, str], str, str]]]:
        name = f"{kind}_{lang}@{speaker}" if lang else f"{'tree' if kind == TREE_TYPE else kind}@{speaker}"
        return name, tiers.setdefault(name, NewTier(kind, above, lang, [])).rows

    for number, igt in enumerate(instances, 1):
        said = dict(igt.meta)
        speaker = said.get("speaker") or "A"
        tree = tree_lines(igt)
        whole = aligned(igt if tree else rejoin(igt, boundaries=False))
        begin, end = (int(said[key]) if said.get(key, "").isdecimal() else -1 for key in ("begin", "end"))
        if begin < 0 or end <= begin:
            begin, end = last, last + 1000 * SECONDS
        last = max(last, end)
        slots += [begin, end]
        ref, rows = tier("ref", speaker)
        rows.append((sentence := next(names), (f"ts{len(slots) - 1}", f"ts{len(slots)}"), "", igt.sent_id or str(number)))
        tx, rows = tier("tx", speaker, ref)
        rows.append((text := next(names), sentence, "", igt.text or " ".join(whole.words)))
        before = ""
        for word, segment, gloss, tag in zip(whole.words, whole.segments, whole.glosses, whole.tags, strict=True):
            wd, rows = tier("wd", speaker, tx)
            rows.append((at := next(names), text, before, word))
            before, piece_before = at, ""
            for piece, meaning in pieces_of(segment, gloss):
                mb, rows = tier("mb", speaker, wd)
                rows.append((morph := next(names), at, piece_before, piece))
                piece_before = morph
                if meaning:
                    tier("ge", speaker, mb)[1].append((next(names), morph, "", meaning))
            if tag:
                tier("ps", speaker, wd)[1].append((next(names), at, "", tag))
        for code, text_in in translations_by_code(igt):
            codes[code or "und"] = None
            tier("ft", speaker, ref, code or "und")[1].append((next(names), sentence, "", text_in))
        if tree:
            pairs = zip(*(line.split(" ") for line in tree), strict=True)
            tier(TREE_TYPE, speaker, ref)[1].append(
                (next(names), sentence, "", " ".join(f"{head}:{rel}" for head, rel in pairs))
            )
    _write(out, tiers, slots, codes)


def _write(out: TextIO, tiers: Mapping[str, NewTier], slots: Sequence[int], codes: Iterable[str]) -> None:
    out.write(
        '<?xml version="1.0" encoding="UTF-8"?>\n<ANNOTATION_DOCUMENT AUTHOR="" DATE="2000-01-01T00:00:00+00:00" FORMAT="3.0" VERSION="3.0" '
        'xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xsi:noNamespaceSchemaLocation="http://www.mpi.nl/tools/elan/EAFv3.0.xsd">\n'
        '<HEADER MEDIA_FILE="" TIME_UNITS="milliseconds"/>\n<TIME_ORDER>\n'
    )
    order = {k: number for number, k in enumerate(sorted(range(len(slots)), key=lambda k: (slots[k], k)), 1)}
    for k in sorted(order, key=order.__getitem__):
        out.write(f'<TIME_SLOT TIME_SLOT_ID="ts{k + 1}" TIME_VALUE="{slots[k]}"/>\n')
    out.write("</TIME_ORDER>\n")
    for name, (kind, above, lang, rows) in tiers.items():
        given = {
            "LINGUISTIC_TYPE_REF": kind,
            "PARENT_REF": above,
            "PARTICIPANT": name.partition("@")[2],
            "LANG_REF": lang,
            "TIER_ID": name,
        }
        out.write(
            "<TIER" + "".join(f' {key}="{escape_xml(value, quote=True)}"' for key, value in given.items() if value) + ">\n"
        )
        for row, place, previous, value in rows:
            if isinstance(place, tuple):
                head, tag = f'TIME_SLOT_REF1="{place[0]}" TIME_SLOT_REF2="{place[1]}"', "ALIGNABLE_ANNOTATION"
            else:
                head, tag = f'ANNOTATION_REF="{place}"', "REF_ANNOTATION"
            before = f' PREVIOUS_ANNOTATION="{previous}"' if previous else ""
            said = f"<ANNOTATION_VALUE>{escape_xml(value)}</ANNOTATION_VALUE>"
            out.write(f'<ANNOTATION><{tag} ANNOTATION_ID="{row}" {head}{before}>{said}</{tag}></ANNOTATION>\n')
        out.write("</TIER>\n")
    used = {tier.kind for tier in tiers.values()}
    for kind, constraint in _NEW_TYPES.items():
        if kind in used:
            rule = f' CONSTRAINTS="{constraint}"' if constraint else ""
            timed = "false" if constraint else "true"
            out.write(
                f'<LINGUISTIC_TYPE{rule} GRAPHIC_REFERENCES="false" LINGUISTIC_TYPE_ID="{kind}" TIME_ALIGNABLE="{timed}"/>\n'
            )
    out.write(
        "".join(
            f'<LANGUAGE LANG_DEF="" LANG_ID="{escape_xml(c, quote=True)}" LANG_LABEL="{escape_xml(c, quote=True)}"/>\n'
            for c in codes
        )
    )
    out.write(
        '<CONSTRAINT DESCRIPTION="Symbolic subdivision of a parent annotation. Annotations refering to the same parent are ordered" STEREOTYPE="Symbolic_Subdivision"/>\n'
        '<CONSTRAINT DESCRIPTION="1-1 association with a parent annotation" STEREOTYPE="Symbolic_Association"/>\n</ANNOTATION_DOCUMENT>\n'
    )


def dumps(instances: Iterable[Sentence]) -> str:
    """
    >>> text = dumps([Sentence(("Hunde",), ("Hund-e",), ("dog-PL",), translation="Dogs", sent_id="a1")])
    >>> [(igt.sent_id, igt.segments, igt.glosses, igt.translation) for igt in loads(text)]
    [('a1', ('Hund-e',), ('dog-PL',), 'Dogs')]
    """
    out = io.StringIO()
    dump(instances, out)
    return out.getvalue()
