r"""Read annotations on a common time line: TextGrids of Praat (`.TextGrid`) and basic transcriptions of EXMARaLDA (`.exb`).

    ts  |kolut uvana            |      a sentence
    tx  |kolut      |uvana      |      its words
    mb  |kolu-t     |uva-na     |      morphemes
    ge  |dog-PL     |run-PST    |      glosses
    fe  |The dogs ran.          |      translation

Tiers have no parents here: which belongs to which is told by their times. Roles are those of ELAN (`elan.by_name`), and
`tiers=words=tx,…` names them in the same way; a tier without a telling name is judged by its content. Each speaker has
sentences of their own. A sentence is an interval of the text; where only words are transcribed, of the translation or of the
ids; else what is spoken without a pause.
"""

from __future__ import annotations

import math
import re
from array import array
from bisect import bisect_left
from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any, BinaryIO, cast, overload

from divproj.core.errors import Faults, FormatError, Where
from divproj.core.sentence import Sentence
from divproj.io.files import Source
from divproj.io.interlinear import elan
from divproj.io.interlinear.elan import Annotation, Tier
from divproj.io.interlinear.parts import (
    Options,
    choose_translation,
    from_file,
    glue,
    group_morphemes,
    instance,
    join_morphemes,
    lines,
    normalize_space,
    one_line,
    tokens,
)
from divproj.io.interlinear.sheets import check_roles, gram_share
from divproj.io.interlinear.xml import XmlNode, units

TREE_TIER = "divproj-tree"
"""Name, or category, of tiers with trees that were written back."""
SOUNDS, SOUND_LENGTH = 2.5, 2.0
"""Intervals for each word, and characters of one on average, in a tier of sounds."""
OVER_ONE = 1.3
"""Intervals of a tier for each of another, from which on these are its sentences and those its words."""
FITTING = 0.8
"""Share of the intervals of a tier that lie within those of another, if they are its parts."""
LATEST = 1e9
"""Seconds, or intervals, that a TextGrid can have: thirty years."""
_NAMES = (
    ("tree", rf"^(tree|{TREE_TIER})$"),
    ("-", r"phon(e|em|s)|segments?$|syll|silb|laut|tone|tobi|pitch|int(onation)?$|^(nn|k|sup|akz|pause|breath|noise|SeR|SyF|IST|BOR|CS|Top|Foc|BOR-\w+)$|^st$|^(mc|mp|hn|is|ltg|pho|nt|KAN|KAN-MAU|MAU|MAS|MAS-MAU|SAM|nv)$"),
    ("lit", r"^ltr?$"),
    ("text", r"^ts$|^(v|verb|hiat|utt|utterances?|ipu|sentences?|orthograph\w*|ort|trn|norm)$"),
    ("words", r"^(tx|tok|wrd|words?|ort-mau)$"),
    ("morphs", r"^mb$"),
    ("glosses", r"^(ge|gr|gg|gn)$"),
    ("pos", r"^(ps|pos)$"),
    ("translation", r"^(fe|fr|fg|fn|en|de|ru|ftr?)$"),
    ("id", r"^(ref|id|s_?id|segnum|nr)$"),
)  # fmt: skip
"""Names of tiers that Praat, EXMARaLDA and their corpora have, beside those of ELAN."""
_LANGUAGES = {"fe": "en", "ge": "en", "fr": "ru", "gr": "ru", "fg": "de", "gg": "de", "ltr": "ru"}
"""Languages of tiers whose names are customary in EXMARaLDA."""
_PAUSE = re.compile(r"\(\(.*?\)\)|\(\d+[,.]?\d*s?\)|<p:>|<?sil>?|sp|spn|#|\.{3}|[-–—_*]+")
_TAGS = frozenset({
    "basic-transcription", "head", "basic-body", "common-timeline", "tli", "tier", "event", "speakertable", "speaker", "abbreviation",
    "ud-tier-information", "ud-information",
})  # fmt: skip


def load(source: Source, faults: Faults | None = None, **options: Any) -> Iterator[Sentence]:
    return from_file(read, source, faults, options)


def read(stream: BinaryIO, path: str, faults: Faults, options: Options) -> Iterator[Sentence]:
    for _, igt in find_sentences(stream, path, faults, options):
        yield igt


def find_sentences(
    stream: BinaryIO, path: str, faults: Faults, options: Options
) -> Iterator[tuple[tuple[str, Annotation], Sentence]]:
    """Tier and annotation of each sentence, and the sentence, in the order in which they are spoken."""
    check_roles(options.tiers, (*elan.ROLES, "record"), "a tier")
    tiers = read_tiers(stream, path, faults, options)
    roles = guess_roles(tiers, options)
    used: set[str] = set()
    sources: list[tuple[Sequence[Annotation], str, _Speaker]] = []
    order: list[tuple[int, int, int]] = []
    for of_speaker in _by_speaker(tiers, roles):
        speaker = _Speaker(tiers, of_speaker, path, faults, options)
        name, spans = speaker.spans(used)
        order += [(span.begin, len(sources), k) for k, span in enumerate(spans)]
        sources.append((spans, name, speaker))
    if not any(role in ("text", "words", "morphs") for role, _ in roles.values()):
        remedy = "name them, as in `tiers=words=…,glosses=…,translation=…` (proj check --tiers list shows them)"
        raise FormatError(f"no tier looks like words or text; the tiers are {elan.describe_tiers(tiers)}", Where(path), remedy)
    speakers: set[str] = set()
    for _, source, k in sorted(order):
        spans, name, speaker = sources[source]
        span = spans[k]
        igt = speaker.sentence(span, name)
        if igt is not None:
            speakers.add(tiers[name].participant)
            yield (name, span), igt
    _describe(faults, tiers, roles, used, speakers)


def _describe(
    faults: Faults, tiers: Mapping[str, Tier], roles: Mapping[str, tuple[str, str]], used: Container[str], speakers: set[str]
) -> None:
    """Say which tiers were read as what, and which were not."""
    reading = faults.reading
    reading.speakers = len(speakers)
    for name, tier in tiers.items():
        role = roles[name][0]
        if name in used and role in (*elan.ROLES, elan.LITERAL) and tier.annotations:
            reading.assign(role, _base(tier) or name)
        elif name not in used and tier.annotations and role != "tree" and (_base(tier) or name) not in reading.unused:
            reading.unused.append(_base(tier) or name)


def list_tiers(stream: BinaryIO, path: str, faults: Faults, options: Options) -> list[elan.TierRow]:
    """The tiers of a file and what each is read as."""
    tiers = read_tiers(stream, path, faults, options)
    return elan.table(tiers, guess_roles(tiers, options))


# Files.


class Intervals(Sequence[Annotation]):
    """The annotations of one tier, in arrays: hours of speech have a million of them. Each is made when it is asked for.

    >>> tier = Intervals("T")
    >>> tier.add("uvana", 7, 500, 900); tier.add("kolut", 5, 0, 500); tier.sort()
    >>> [(a.id, a.value, a.line, a.begin) for a in tier], list(tier.begins)
    ([('T.1', 'kolut', 5, 0), ('T.0', 'uvana', 7, 500)], [0, 500])
    """

    def __init__(self, name: str) -> None:
        self.name = name
        self.begins, self.ends = array("q"), array("q")
        self._numbers, self._lines, self._places = array("L"), array("L"), array("Q", (0,))
        self._text = bytearray()

    def add(self, value: str, line: int, begin: int, end: int) -> None:
        self.begins.append(begin)
        self.ends.append(end)
        self._lines.append(line)
        self._numbers.append(len(self._numbers))
        self._text += value.encode("utf-8", "surrogatepass")
        self._places.append(len(self._text))

    def __len__(self) -> int:
        return len(self.begins)

    @overload
    def __getitem__(self, k: int) -> Annotation: ...
    @overload
    def __getitem__(self, k: slice) -> list[Annotation]: ...
    def __getitem__(self, k: int | slice) -> Annotation | list[Annotation]:
        if isinstance(k, slice):
            return [self[j] for j in range(*k.indices(len(self)))]
        number = self._numbers[k]
        text = self._text[self._places[number] : self._places[number + 1]].decode("utf-8", "surrogatepass")
        return Annotation(f"{self.name}.{number}", text, self._lines[number], begin=self.begins[k], end=self.ends[k])

    def sort(self) -> None:
        """By their begins; those that begin together stay as they are."""
        if all(a <= b for a, b in pairwise(self.begins)):
            return
        order = sorted(range(len(self)), key=self.begins.__getitem__)
        for name in ("begins", "ends", "_numbers"):
            values: array[int] = getattr(self, name)
            setattr(self, name, array(values.typecode, (values[k] for k in order)))


def _intervals(tier: Tier) -> Intervals:
    return cast(Intervals, tier.annotations)


class _Points:
    """Points of a time line by their ids, which mostly are T0, T1, T2 and so on; these need no table."""

    def __init__(self) -> None:
        self.count = self._usual = 0
        self._others: dict[str, int] = {}

    def add(self, name: str) -> None:
        if self.count == self._usual and name == f"T{self._usual}":
            self._usual += 1
        elif self.find(name) >= 0:
            return
        else:
            self._others[name] = self.count
        self.count += 1

    def find(self, name: str) -> int:
        """The place of a point; -1 where there is none of this id."""
        if name[1:].isdecimal() and len(name) < 12 and int(name[1:]) < self._usual and name == f"T{int(name[1:])}":
            return int(name[1:])
        return self._others.get(name, -1)


def read_tiers(stream: BinaryIO, path: str, faults: Faults, options: Options) -> dict[str, Tier]:
    """The tiers of a TextGrid or of a basic transcription."""
    head = stream.peek(64)[:64].lstrip(b"\xef\xbb\xbf\xff\xfe \t\r\n")  # type: ignore[attr-defined]
    tiers = (_exmaralda if head.startswith(b"<") else _textgrid)(stream, path, faults, options)
    for tier in tiers.values():
        _intervals(tier).sort()
    return tiers


def _exmaralda(stream: BinaryIO, path: str, faults: Faults, options: Options) -> dict[str, Tier]:
    """Tiers of events; their places on the time line stand for times, since not all points have one."""
    tiers: dict[str, Tier] = {}
    points = _Points()
    speakers: dict[str, str] = {}
    tier: Tier | None = None
    for node, above in units(stream, path, faults, options, lambda tag, _: tag in ("tier", "event", "tli", "speaker"), _TAGS):
        if node.tag == "tli":
            points.add(node.get("id"))
        elif node.tag == "speaker":
            speakers[node.get("id")] = "".join(x.text for x in node.all("abbreviation")).strip() or node.get("id")
        elif node.tag == "event":
            if above and above[-1].tag == "tier":
                tier = tier or _empty_tier(above[-1], speakers)
                _add_event(tier, node, points, path, faults)
        else:
            tier = tier or _empty_tier(node, speakers)
            name, n = tier.name, 1
            while tier.name in tiers:
                n += 1
                tier = replace(tier, name=f"{name}-{n}")
            tiers[tier.name] = tier
            tier = None
    return tiers


def _empty_tier(node: XmlNode, speakers: Mapping[str, str]) -> Tier:
    said = speakers.get(node.get("speaker"), node.get("speaker"))
    category = node.get("category") or node.get("display-name") or node.get("id")
    return Tier(f"{category}@{said}" if said else category, node.get("type"), "", said, "", Intervals(node.get("id")))


def _add_event(tier: Tier, event: XmlNode, points: _Points, path: str, faults: Faults) -> None:
    begin, end = points.find(event.get("start")), points.find(event.get("end"))
    if begin < 0 or end <= begin:
        problem = f"an event of tier {tier.name} is from {event.get('start')!r} to {event.get('end')!r}, two points of the time line expected"
        faults.word(FormatError(problem, Where(path, event.line), "left out"))
        return
    _intervals(tier).add(one_line(event.full_text()), event.line, begin, end)


_VALUE = re.compile(r'"((?:[^"]|"")*)"|(?<![\w.\[])(-?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?)(?![\w.\]])|<(exists|absent)>')


def _textgrid(stream: BinaryIO, path: str, faults: Faults, options: Options) -> dict[str, Tier]:
    """Tiers of a TextGrid in the long or the short form: the values are the same, and stand in the same order."""
    values = _values(lines(stream, path, faults, options.encoding), path, faults)
    tiers: dict[str, Tier] = {}

    def number(what: str) -> float:
        line, value, quoted = next(values, (0, "", True))
        if quoted:
            raise FormatError(
                f"{value[:30]!r} stands where {what} is expected" if line else f"the file ends before {what}", Where(path, line)
            )
        given = float(value) if value not in ("exists", "absent") else math.inf
        if not abs(given) < LATEST:
            raise FormatError(f"{value[:30]!r} stands where {what} is expected", Where(path, line))
        return given

    def text(what: str) -> tuple[int, str]:
        line, value, quoted = next(values, (0, "", False))
        if not quoted:
            raise FormatError(
                f"{value!r} stands where {what} is expected" if line else f"the file ends before {what}", Where(path, line)
            )
        return line, value

    try:
        for what in ("the kind of file", "the class of the object"):
            text(what)
        number("the begin")
        number("the end")
        following = next(values, (0, "", False))
        if following[1] == "absent":
            return {}
        count = int(number("the number of tiers"))
        for _ in range(count):
            _, kind = text("the class of a tier")
            line, name = text("the name of a tier")
            number("the begin of the tier")
            number("the end of the tier")
            tier = _named(name.strip() or f"tier {len(tiers) + 1}", kind, tiers)
            tiers[tier.name] = tier
            for _ in range(int(number("the number of intervals"))):
                begin = number("the begin of an interval")
                end = number("the end of an interval") if kind == "IntervalTier" else begin
                line, value = text("the text of an interval")
                if value.strip():
                    _intervals(tier).add(value.strip(), line, round(begin * 1000), round(end * 1000))
    except FormatError as error:
        if not tiers:
            raise
        faults.sentence(FormatError(error.message, error.where, "the file is damaged; what stands before was read"))
    return tiers


def _named(name: str, kind: str, tiers: Mapping[str, Tier]) -> Tier:
    """A tier by its name, with the speaker that the name has: `tx@ANA`, `ANA - words`, `words (ANA)`."""
    base, n = name, 1
    while name in tiers:
        n += 1
        name = f"{base}-{n}"
    if name.startswith("tree@"):  # added by `write_back` to the tier that it names
        return Tier(name, kind, "", _named(name.removeprefix("tree@"), kind, {}).participant, "", Intervals(name))
    if "@" in name:
        return Tier(name, kind, "", name.partition("@")[2], "", Intervals(name))
    parts = re.fullmatch(r"(.+?)(?: - | ?[(\[])([^()\[\]]+)[)\]]?", name)
    if parts:
        roles = [bool(named_role(part)[0]) for part in parts.groups()]
        if roles == [True, False]:
            return Tier(name, kind, "", parts[2].strip(), "", Intervals(name))
        if roles == [False, True]:
            return Tier(name, kind, "", parts[1].strip(), "", Intervals(name))
    return Tier(name, kind, "", "", "", Intervals(name))


def _values(numbered: Iterator[tuple[int, str]], path: str, faults: Faults) -> Iterator[tuple[int, str, bool]]:
    """(line, value, whether it is a text) of all that Praat reads: texts between quotes, free numbers and flags."""
    waiting, begin = "", 0
    for line, text in numbered:
        if waiting:
            if text.count('"') % 2 == 0 and line - begin < 500:
                waiting += f"\n{text}"
                continue
            text, waiting = f"{waiting}\n{text}", ""
        else:
            begin = line
            if text.count('"') % 2:
                waiting = text
                continue
        text = re.sub(r"(?<![\w\"])!.*$", "", text) if '"' not in text else text
        for match in _VALUE.finditer(text):
            if match[1] is not None:
                yield begin, match[1].replace('""', '"'), True
            else:
                yield begin, match[2] or match[3], False
    if waiting:
        faults.file(
            FormatError("a text opens with a quote that is not closed", Where(path, begin), "the rest of the file is lost")
        )


# Roles.


def named_role(name: str) -> tuple[str, str]:
    """(role, reason) of a tier by its name alone; '' where that says nothing."""
    base = name.partition("@")[0].strip()
    for role, pattern in _NAMES:
        if re.search(pattern, base, re.IGNORECASE if role != "-" else 0):
            return role, "name"
    role, why = elan.by_name(Tier(base, "", "", "", ""))
    return (role, why) if role else ("", "")


def _base(tier: Tier) -> str:
    """The name of a tier without its speaker."""
    name = tier.name.partition("@")[0]
    if tier.participant and "@" not in tier.name:
        name = re.sub(
            rf"^{re.escape(tier.participant)} - | - {re.escape(tier.participant)}$|[(\[]{re.escape(tier.participant)}[)\]]$",
            "",
            name,
        )
    return name.strip()


def guess_roles(tiers: Mapping[str, Tier], options: Options) -> dict[str, tuple[str, str]]:
    """(role, reason) of each tier; ('-', reason) for one that is no line of the text."""
    looks = {name: elan.content(tier) for name, tier in tiers.items()}
    roles: dict[str, tuple[str, str]] = {}
    for role, wanted in options.tiers.items():
        exact = [name for name in tiers if name == wanted]
        matches = exact or [name for name, tier in tiers.items() if wanted in (_base(tier), tier.participant)]
        if not matches:
            problem = f"no tier {wanted!r}; the tiers are {elan.describe_tiers(tiers)}"
            raise FormatError(problem, Where(""), "name one of these")
        roles |= dict.fromkeys(matches, ("id" if role == "record" else role, "named"))
    taken = set(options.tiers)
    for name, tier in tiers.items():
        if name in roles:
            continue
        look = looks[name]
        role, why = named_role(_base(tier))
        if not look.filled:
            role, why = "-", "empty"
        elif tier.kind == "TextTier":
            role, why = "-", "points, no intervals"
        elif role not in ("id", "tree", "-") and look.ids > elan.MOSTLY_IDS:
            role, why = "id", "numbers or ids"
        elif role == "translation" and look.grams > elan.TRANSLATION_GRAMS and not look.language:
            role, why = "glosses", "abbreviations of grammar"
        roles[name] = ("-", "another tier is named so") if role in taken and role != "translation" else (role, why)
    _by_times(tiers, looks, roles)
    return {name: roles[name] for name in tiers}


def _by_times(tiers: Mapping[str, Tier], looks: Mapping[str, elan.Content], roles: dict[str, tuple[str, str]]) -> None:
    """Correct and complete the roles by the times of the tiers of one speaker."""
    for group in _groups(tiers).values():
        named = [name for name in group if roles[name][0] == "text"]
        if len(named) > 1:  # a text whose intervals divide those of another are its words
            widest = min(named, key=lambda name: len(tiers[name].annotations))
            for name in named:
                if name != widest and roles[name][1] != "named" and _parts_of(tiers[name], tiers[widest]):
                    roles[name] = ("words", "several in one interval of the text")
        for name in group:
            role, why = roles[name]
            if why == "named":
                continue
            if (
                role == "words"
                and looks[name].width > elan.SENTENCE_WIDTH
                and not any(roles[other][0] == "text" for other in group)
            ):
                roles[name] = ("text", "whole sentences")
            if role in ("text", "words", "morphs", "") and _are_sounds(
                tiers[name], [tiers[other] for other in group if other != name], looks
            ):
                roles[name] = ("-", "sounds")
        open_ones = [name for name in group if not roles[name][0]]
        texts = [name for name in group if roles[name][0] in ("text", "words")]
        if not texts and open_ones:
            most = max(open_ones, key=lambda name: (not looks[name].language, looks[name].filled * looks[name].width))
            best = [name for name in open_ones if not looks[name].language] or open_ones
            chosen = most if most in best else best[0]
            roles[chosen] = ("text", "has the most words")
            open_ones.remove(chosen)
            texts = [chosen]
        for name in open_ones:
            look, text = looks[name], tiers[texts[0]] if texts else None
            if look.grams > elan.TIER_GRAMS:
                roles[name] = ("glosses", "abbreviations of grammar")
            elif text and look.language and look.language != looks[texts[0]].language and _same_begins(tiers[name], text):
                roles[name] = ("translation", f"in {look.language}, at the times of the text")
            elif (
                text
                and _parts_of(tiers[name], text)
                and look.width < elan.SENTENCE_WIDTH
                and not any(roles[x][0] == "words" for x in group)
            ):
                roles[name] = ("words", "several in one interval of the text")
            else:
                roles[name] = ("-", "says nothing")


def _groups(tiers: Mapping[str, Tier]) -> dict[str, list[str]]:
    """Names of tiers by speaker."""
    groups: dict[str, list[str]] = {}
    for name, tier in tiers.items():
        groups.setdefault(tier.participant, []).append(name)
    return groups


def _parts_of(tier: Tier, whole: Tier) -> bool:
    """Whether the intervals of a tier lie within those of another, several in one."""
    parts, spans = _intervals(tier), _intervals(whole)
    inside = 0
    for begin, end in zip(parts.begins, parts.ends, strict=True):
        k = bisect_left(spans.begins, begin + 1) - 1
        inside += k >= 0 and begin < spans.ends[k] and end <= spans.ends[k] + 10
    return inside >= FITTING * len(parts) and len(parts) >= OVER_ONE * len(spans) > 0


def _same_begins(tier: Tier, text: Tier) -> bool:
    starts = set(_intervals(text).begins)
    return sum(begin in starts for begin in _intervals(tier).begins) >= elan.SAME_TIMES * len(tier.annotations)


def _are_sounds(tier: Tier, others: Sequence[Tier], looks: Mapping[str, elan.Content]) -> bool:
    values = [a.value for a in tier.annotations[:300]]
    if not values or sum(map(len, values)) > SOUND_LENGTH * len(values):
        return False
    return any(
        len(tier.annotations) > SOUNDS * len(other.annotations)
        and _parts_of(tier, other)
        and looks[other.name].width < elan.SENTENCE_WIDTH
        for other in others
    )


def _by_speaker(tiers: Mapping[str, Tier], roles: Mapping[str, tuple[str, str]]) -> Iterator[dict[str, list[str]]]:
    """Names of tiers by role, for each speaker who says something; tiers of no speaker belong to all."""
    groups = _groups(tiers)
    common = groups.get("", []) if len(groups) > 1 else []
    common_texts = [name for name in common if roles[name][0] in ("text", "words", "morphs")]
    if common_texts:
        yield _of_role(common, roles)
        common = []
    for said, names in groups.items():
        if said or len(groups) == 1:
            by_role = _of_role(names, roles)
            if any(by_role.get(role) for role in ("text", "words", "morphs")):
                for role, shared in _of_role(common, roles).items():
                    by_role.setdefault(role, shared)
                yield by_role


def _of_role(names: Sequence[str], roles: Mapping[str, tuple[str, str]]) -> dict[str, list[str]]:
    by_role: dict[str, list[str]] = {}
    for name in names:
        if roles[name][0] not in ("", "-"):
            by_role.setdefault(roles[name][0], []).append(name)
    return by_role


# Sentences.


@dataclass
class _Speaker:
    """The tiers of one speaker, sentence by sentence."""

    tiers: Mapping[str, Tier]
    roles: dict[str, list[str]]
    path: str
    faults: Faults
    options: Options

    def spans(self, used: set[str]) -> tuple[str, Sequence[Annotation]]:
        """The tier whose intervals are the sentences, and these; the tiers that are read are added to `used`."""
        for role in ("glosses", "pos"):
            self.roles.get(role, []).sort(key=lambda name: (self._language(name) not in ("", self.options.lang), name))
        name, spans = self._spans()
        used |= {x for role, names in self.roles.items() for x in names if role != "text" or x == name or len(names) == 1}
        used |= set(self.roles.get("text", ())) if "words" not in self.roles else set()
        return name, spans

    def sentence(self, span: Annotation, name: str) -> Sentence | None:
        """The sentence of an interval; None for one without words."""
        igt = self._sentence(span, name)
        if any(char.isalnum() for word in igt.words for char in word):
            return igt
        if igt.translation or any(igt.glosses):
            self.faults.reading.omit("intervals with a translation or gloss but without words", line=span.line)
        else:
            self.faults.reading.omit("intervals without words", sentences=False)
        return None

    def _spans(self) -> tuple[str, Sequence[Annotation]]:
        """The tier whose intervals are the sentences."""
        words = (self.roles.get("words") or self.roles.get("morphs") or [""])[0]
        for role in ("text", "translation", "id"):
            for name in self.roles.get(role, ()):
                if (
                    not words
                    or len(self.tiers[name].annotations) * OVER_ONE < len(self.tiers[words].annotations)
                    or role == "text"
                ):
                    return name, self.tiers[name].annotations
        spans: list[Annotation] = []
        for a in self.tiers[words].annotations:  # words without sentences: what is spoken without a pause
            if spans and a.begin <= spans[-1].end and not _PAUSE.fullmatch(a.value.strip()) and len(spans[-1].value) < 2000:
                spans[-1] = replace(spans[-1], end=max(a.end, spans[-1].end), value=f"{spans[-1].value} {a.value}")
            elif not _PAUSE.fullmatch(a.value.strip()):
                spans.append(replace(a))
        return words, spans

    def _within(self, name: str, span: Annotation) -> list[Annotation]:
        """Annotations of a tier whose middle lies in an interval."""
        intervals = _intervals(self.tiers[name])
        first = max(0, bisect_left(intervals.begins, span.begin) - 1)
        last = bisect_left(intervals.begins, max(span.end, span.begin + 1))
        return [a for a in intervals[first:last] if elan.overlaps(a, span)]

    def _language(self, name: str) -> str:
        tier = self.tiers[name]
        return _LANGUAGES.get(_base(tier), "") or elan.language(replace(tier, name=_base(tier)))

    def _sentence(self, span: Annotation, name: str) -> Sentence:
        at = {
            role: self._within(names[0], span)
            for role, names in self.roles.items()
            if role in ("words", "morphs", "glosses", "pos")
        }
        text_tier = (self.roles.get("text") or [""])[0]
        text = (
            " ".join(a.value for a in self._within(text_tier, span))
            if text_tier and text_tier != name
            else span.value
            if name == text_tier
            else ""
        )
        words = [a for a in at.get("words", []) if not _PAUSE.fullmatch(a.value.strip()) or a.value.strip() == "..."]
        stacked = [normalize_space(line) for line in text.split("\n") if line.strip()] if not words else []
        text = normalize_space(one_line(text))
        forms = tuple(a.value for a in words)
        segments: Sequence[str] = ()
        glosses: Sequence[str] = ()
        tags: Sequence[str] = ()
        even = len({len(tokens(line)) for line in stacked}) == 1
        if (
            len(stacked) in (2, 3)
            and "glosses" not in self.roles
            and (even or gram_share(tokens(stacked[-1])) > elan.TIER_GRAMS)
        ):
            text, forms, glosses = stacked[0], tokens(stacked[0]), tokens(stacked[-1])  # words and glosses in one interval
            segments = tokens(stacked[1]) if len(stacked) == 3 else ()
        pieces = at.get("morphs", [])
        if not forms:
            forms = tokens(text)
        if words and not glosses:
            groups = [[p for p in pieces if elan.overlaps(p, word)] for word in words]
            segments = [join_morphemes([p.value for p in group]) for group in groups]
            marks = [glue([p.value for p in group])[1] for group in groups]
            glosses, tags = (self._of_words(at.get(role, []), words, groups, marks) for role in ("glosses", "pos"))
        elif not glosses:
            glosses, tags = (_spread(at.get(role, [])) for role in ("glosses", "pos"))
            values = _spread(pieces)
            if values:
                pieces_of = group_morphemes(values)
                joins = [glue([values[k] for k in group])[1] for group in pieces_of]
                if len(glosses) == len(values):
                    glosses = [
                        join_morphemes([glosses[k] for k in group], mark) for group, mark in zip(pieces_of, joins, strict=True)
                    ]
                segments = [join_morphemes([values[k] for k in group]) for group in pieces_of]
                forms = forms or tuple(segments)
        free = [
            (self._language(tier), " ".join(a.value for a in self._within(tier, span)))
            for tier in self.roles.get("translation", ())
        ]
        translation, translations = choose_translation(
            [(code, one_line(text_)) for code, text_ in free], self.options.lang, stated=True
        )
        ids = [a.value for tier in self.roles.get("id", ()) for a in self._within(tier, span)]
        sent_id = normalize_space(ids[0]) if ids else ""
        speaker = self.tiers[name].participant
        meta = [("speaker", speaker)]
        if self.tiers[name].kind == "IntervalTier":
            meta += [("begin", str(span.begin)), ("end", str(span.end))]
        meta += [("lit", " ".join(a.value for a in self._within(tier, span))) for tier in self.roles.get("lit", ())]
        for tier in self.roles.get("glosses", [])[1:]:
            meta.append((_base(self.tiers[tier]), " ".join(a.value for a in self._within(tier, span))))
        for tier in self.roles.get("tree", ()):
            trees = [a for a in self._within(tier, span) if a.begin == span.begin]
            pairs = [value.partition(":") for a in trees[:1] for value in a.value.split()]
            meta += [("hd", " ".join(head for head, _, _ in pairs)), ("rl", " ".join(rel or "_" for _, _, rel in pairs))]
        return instance(
            [form or "_" for form in forms], segments, glosses, tags, text=text if words or text != " ".join(forms) else "",
            translation=translation, translations=translations, sent_id=sent_id, meta=meta, where=Where(self.path, span.line, sent_id),
        )  # fmt: skip

    def _of_words(
        self, annotations: list[Annotation], words: list[Annotation], groups: list[list[Annotation]], marks: list[list[str]]
    ) -> list[str]:
        """Glosses or tags of words: one a word, or one a morpheme, joined as these are."""
        if len(annotations) == 1 and len(words) > 1:
            return list(tokens(annotations[0].value))
        values = []
        for word, group, mark in zip(words, groups, marks, strict=True):
            inside = [a for a in annotations if elan.overlaps(a, word)]
            if len(group) > 1 and len(inside) == len(group):
                values.append(join_morphemes([a.value for a in inside], mark))
            else:
                values.append(" ".join(normalize_space(a.value) for a in inside))
        return values if any(values) else []


def _spread(annotations: Sequence[Annotation]) -> list[str]:
    """Values, one a word; those of one annotation that has all words."""
    if len(annotations) == 1:
        return list(tokens(normalize_space(annotations[0].value)))
    return [normalize_space(a.value) for a in annotations]
