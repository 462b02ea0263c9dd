"""What each tier of an ELAN file is: by its name in several languages, by its place among the others, and by its content."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from difflib import SequenceMatcher
from typing import NamedTuple

from divproj.io.igt_parts import tokens
from divproj.io.settings import (
    DISTINCT,
    MOSTLY_IDS,
    SAME_TIMES,
    SEGMENTATION_LIKENESS,
    SENTENCE_WIDTH,
    TIER_GRAMS,
    TIER_SAMPLE,
    TRANSLATION_GRAMS,
)
from divproj.io.translation_language import lang_code
from divproj.text import language_id

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
    """Whether two annotations hang on one."""


class Shown(NamedTuple):
    """A tier as `proj check --tiers list` shows it."""

    tier: str
    under: str
    kind: str
    annotations: int
    role: str
    why: str


def content(tier: Tier) -> Content:
    values = [made.value for made in tier.annotations[:TIER_SAMPLE] if made.value.strip()]
    if not values:
        return Content(0, 0.0, 0.0, 0.0, "", False)
    n = len(values)
    parents = [made.parent for made in tier.annotations if made.parent]
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
    for text, what in ((tier.name.partition("@")[0], "name"), (tier.kind, "type")):
        if _IGNORED.search(text):
            return "-", f"{what}: not of the text"
        for role, pattern in _NAMES:
            if re.search(pattern, text, re.IGNORECASE):
                return role, what
    return "", ""


def guessed(tiers: Mapping[str, Tier], taken: Mapping[str, str]) -> dict[str, tuple[str, str]]:
    """(role, reason) of each tier; `taken` are the roles that were named."""
    looks = {name: content(tier) for name, tier in tiers.items()}
    found = {name: (taken[name], "named") if name in taken else by_name(tier) for name, tier in tiers.items()}
    for name, tier in tiers.items():
        if name not in taken:
            found[name] = _corrected(tier, looks[name], found[name], tiers, looks)
    _texts(tiers, looks, found, taken)
    _missing(tiers, looks, found, taken)
    return found


def _corrected(
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
    """Whether a tier one of whose annotations hangs on each word has other letters than these: it describes them."""
    above, seen = tier.parent, {tier.name}
    while above in tiers and above not in seen and by_name(tiers[above])[0] != "words":
        seen.add(above)
        above = tiers[above].parent
    if above not in tiers or above in seen:
        return False
    own, words = ("".join(made.value for made in one.annotations[:40]).casefold() for one in (tier, tiers[above]))
    return SequenceMatcher(None, own, words, autojunk=False).ratio() < SEGMENTATION_LIKENESS


def _below_division(tier: Tier, tiers: Mapping[str, Tier], looks: Mapping[str, Content]) -> bool:
    """Whether a tier above is of words or morphemes: several of its annotations hang on one."""
    seen: set[str] = set()
    while (above := tier.parent) in tiers and above not in seen:
        seen.add(above)
        look = looks[above]
        if look.divided and look.width < SENTENCE_WIDTH and look.ids <= MOSTLY_IDS and by_name(tiers[above])[0] != "-":
            return True
        tier = tiers[above]
    return False


def _texts(
    tiers: Mapping[str, Tier], looks: Mapping[str, Content], found: dict[str, tuple[str, str]], taken: Mapping[str, str]
) -> None:
    """A file has a text: where no name says which tier it is, the one that words hang on, or the topmost with the most words."""
    if any(role == "text" for role, _ in found.values()) or "text" in taken.values():
        return
    divided = [name for name, (role, _) in found.items() if role in ("words", "morphs")]
    for name in divided:
        top = topmost(tiers, name)
        if top != name and not found[top][0] and looks[top].filled:
            found[top] = ("text", "words hang on it")
    if any(role == "text" for role, _ in found.values()) or any(tiers[name].parent in tiers for name in divided):
        return
    tops = [name for name, tier in tiers.items() if tier.parent not in tiers and not found[name][0] and looks[name].filled]
    best = max(tops, key=lambda name: looks[name].filled * looks[name].width, default=None)
    children = {tier.parent for tier in tiers.values()}
    if best is not None and (best in children or len(tops) == 1) and (not divided or looks[best].width > SENTENCE_WIDTH):
        kind = tiers[best].kind
        for name in tops:
            if tiers[name].kind == kind and (not divided or looks[name].width > SENTENCE_WIDTH):
                found[name] = ("text", "topmost, with tiers under it")


def _missing(
    tiers: Mapping[str, Tier], looks: Mapping[str, Content], found: dict[str, tuple[str, str]], taken: Mapping[str, str]
) -> None:
    """Translations, words and glosses that no name says, by place and content."""
    for _ in range(4):  # a tier may hang on one that is found in the round before
        before = dict(found)
        roles = {name: role for name, (role, _) in found.items()}
        texts = {name for name, role in roles.items() if role == "text"}
        languages = Counter(looks[name].language for name in texts)
        for name, tier in tiers.items():
            if roles[name] or name in taken:
                continue
            above = roles.get(tier.parent, "")
            beside = {roles[other] for other, of in tiers.items() if of.parent == tier.parent}
            role = _by_place(tier, looks[name], above, beside, languages, [tiers[text] for text in texts])
            if role:
                found[name] = role
                roles[name] = role[0]
        if found == before:
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
    """The tier that a tier hangs on in the end."""
    seen = {name}
    while (above := tiers[name].parent) in tiers and above not in seen:
        seen.add(above)
        name = above
    return name


def _same_times(tier: Tier, text: Tier) -> bool:
    starts = {made.begin for made in text.annotations if made.begin >= 0}
    own = [made.begin for made in tier.annotations if made.value]
    return bool(own) and sum(begin in starts for begin in own) >= SAME_TIMES * len(own)


def is_ids(tier: Tier) -> bool:
    """Whether the annotations are names of sentences rather than their text."""
    look = content(tier)
    return (bool(_IDS.search(tier.name.partition("@")[0])) and look.width < SENTENCE_WIDTH) or look.ids > MOSTLY_IDS


def language(tier: Tier) -> str:
    """Language of a tier of translations: what it says, or the code at the end of its name (`phrase-gls-en`)."""
    found = re.search(r"[-_]([a-z]{2,3})$", tier.name.partition("@")[0])
    code = found[1] if found and found[1] in _CODES else ""
    return lang_code(tier.lang or code)


_CODES = frozenset((*language_id.LANGUAGES, "eng", "spa", "por", "fra", "deu", "rus", "ita", "nld", "ind", "bi", "bis", "gl"))


def table(tiers: Mapping[str, Tier], roles: Mapping[str, tuple[str, str]]) -> list[Shown]:
    """The tiers of a file and what they are read as."""
    return [
        Shown(name, tier.parent, tier.constraint or "own times", len(tier.annotations), *_role(roles.get(name, ("", ""))))
        for name, tier in tiers.items()
    ]


def _role(said: tuple[str, str]) -> tuple[str, str]:
    return said[0].strip("-"), said[1]


def shown_names(tiers: Mapping[str, Tier]) -> str:
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
