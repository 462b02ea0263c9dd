"""Read and write Xigt XML: tiers of items that refer to one another.

    <tier type="phrases" id="p"> <item id="p1">kolut uvana</item> </tier>
    <tier type="words" id="w" segmentation="p">
      <item id="w1" segmentation="p1[0:5]"/>          kolut
      <item id="w2" segmentation="p1[6:11]"/>         uvana
    </tier>
    <tier type="glosses" id="gw" alignment="w"> <item id="gw1" alignment="w1">dog.PL</item> … </tier>

References are ids with spans; a comma between two spans joins them with a blank, a plus with nothing. `Items` resolves them:
the text of an item, and the words that it leads to.

On writing, words and morphemes are spans of the phrase where they occur in it; glosses, tags, links and trees are aligned to
them. Columns of CoNLL-U that interlinear text has no place for (`lemmas`, `features`, `misc` …) are kept in tiers of their own,
where the rest of the instance would not give them back. Multiword tokens and empty nodes are items of the tier `conllu-rows`,
each aligned to the word that follows it.
"""

from __future__ import annotations

import io
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import takewhile
from typing import Any, BinaryIO, TextIO

from divproj.core.errors import Faults, FormatError, Where
from divproj.core.sentence import BOUNDARY, Rows, Sentence, morphs
from divproj.core.tree import NO_HEAD, DepTree
from divproj.io.files import Source
from divproj.io.interlinear import odin
from divproj.io.interlinear.languages import lang_code
from divproj.io.interlinear.parts import (
    EDGES,
    Options,
    choose_translation,
    from_file,
    from_text,
    instance,
    join_morphemes,
    normalize_space,
    tokens,
    tree_of,
)
from divproj.io.interlinear.rows import GLOSS, MGLOSS, MSEG, to_sentence
from divproj.io.interlinear.xml import NOT_XML, XmlNode, escape_xml, units

_TERM = re.compile(r"([+,\s]*)([A-Za-z_][\w.-]*)(?:\[([^\]]*)\])?")
_SPAN = re.compile(r"([+,]?)\s*(-?\d*):(-?\d*)")
_FOLDS = re.compile(r"\s*\n\s*")
DEEPEST = 100
"""References that follow one another; more make a cycle."""
LONGEST = 100_000
"""Characters of one item; references that double one another could ask for any number."""
WAYS = ("alignment", "segmentation", "content")


class Items:
    """The tiers and items of one `igt` element."""

    def __init__(self, igt: XmlNode, where: Where, faults: Faults) -> None:
        self.where, self.faults = where, faults
        self.tiers = igt.all("tier")
        self.by_id: dict[str, XmlNode] = {}
        self.tier_of: dict[str, XmlNode] = {}
        for tier in self.tiers:
            for item in tier.all("item"):
                self.by_id.setdefault(item.get("id"), item)
                self.tier_of.setdefault(item.get("id"), tier)
        self._texts: dict[int, str] = {}
        self._refs: dict[tuple[int, tuple[str, ...]], list[str]] = {}
        self._words: dict[tuple[int, str], list[int]] = {}

    def of(self, kind: str) -> list[XmlNode]:
        """Tiers of a type; the plural is optional."""
        return [tier for tier in self.tiers if tier.get("type").lower().rstrip("s") == kind.rstrip("s")]

    def text(self, item: XmlNode) -> str:
        """What an item says, in one line."""
        return _FOLDS.sub(" ", self.raw(item)).strip(" \t\r\n")

    def raw(self, item: XmlNode, depth: int = 0) -> str:
        """Its own text, else what its `content` or its `segmentation` selects; spans count characters of this."""
        known = self._texts.get(id(item))
        if known is None:
            known = item.text if item.text.strip() else ""
            way = next((item.get(name) for name in ("content", "segmentation") if item.get(name)), "")
            if not known and way:
                self._texts[id(item)] = ""  # a cycle ends here
                known = self._evaluate(way, item, depth)
            self._texts[id(item)] = known
        return known

    def _evaluate(self, expression: str, item: XmlNode, depth: int) -> str:
        if depth > DEEPEST:
            self._fault(item, f"'{expression}' leads through more than {DEEPEST} references, a cycle?")
            return ""
        text = ""
        for delimiter, name, selection in _TERM.findall(expression):
            target = self.by_id.get(name)
            if target is None or target is item:
                self._fault(item, f"'{expression}' refers to '{name}', which is " + ("itself" if target else "not there"))
                continue
            blank = " " if "," in delimiter or (delimiter.strip() == "" and delimiter) else ""
            text += (blank if text else "") + self._select(self.raw(target, depth + 1), selection, item)
            if len(text) > LONGEST:
                self._fault(item, f"'{expression}' makes more than {LONGEST} characters", "cut there")
                return text[:LONGEST]
        return text

    def _select(self, text: str, selection: str, item: XmlNode) -> str:
        if not selection:
            return text
        parts = ""
        for delimiter, start, end in _SPAN.findall(selection):
            low, high = int(start or 0), int(end or len(text))
            if high > len(text):
                self._fault(item, f"[{selection}] reaches past the {len(text)} characters of '{text[:30]}'")
            parts += (" " if delimiter == "," and parts else "") + text[low:high]
        return parts

    def _fault(self, item: XmlNode, problem: str, remedy: str = "left out") -> None:
        where = replace(self.where, line=item.line)
        self.faults.word(FormatError(f"item {item.get('id') or '?'}: {problem}", where, remedy))

    def refs(self, item: XmlNode, *ways: str) -> list[str]:
        """Ids that these attributes of an item name."""
        key = (id(item), ways)
        if key not in self._refs:
            self._refs[key] = [name for way in ways if way in item.attrs for _, name, _ in _TERM.findall(item.attrs[way])]
        return self._refs[key]

    def kind_below(self, tier: XmlNode) -> str:
        """Type of the tier that this one is about: what its items refer to first, or else what it says itself."""
        for item in tier.all("item")[:1]:
            for name in self.refs(item, *WAYS):
                if name in self.tier_of:
                    tag = self.by_id[name].get("tag")[:1].upper()
                    return "translations" if tag == "T" else self.tier_of[name].get("type")
        named = next((tier.get(way) for way in ("segmentation", "alignment", "content") if tier.get(way)), "")
        return next((other.get("type") for other in self.tiers if other.get("id") == named), "")

    def words(self, start: str, index: dict[str, int]) -> list[int]:
        """Words (by their number in `index`) that an id leads to, through whatever it is aligned with."""
        key = (id(index), start)
        if key in self._words:
            return self._words[key]
        numbers: list[int] = []
        queue, seen = [start], {start}
        for name in queue:
            if name in index:
                numbers.append(index[name])
            elif name in self.by_id:
                fresh = [ref for ref in self.refs(self.by_id[name], *WAYS) if ref not in seen]
                seen.update(fresh)
                queue += fresh
        self._words[key] = sorted(set(numbers))
        return self._words[key]

    def brackets(self, tier: XmlNode) -> str:
        """A tier of constituents as one bracketed line; every item is used once."""
        children = {item.get("id"): self.refs(item, "children") for item in tier.all("item")}
        below = {child for kids in children.values() for child in kids}
        used: set[str] = set()

        def bracket(name: str, depth: int) -> str:
            item = self.by_id.get(name)
            if item is None or name in used or depth > DEEPEST:
                return ""
            used.add(name)
            leaves = (self.text(self.by_id[ref]) for ref in self.refs(item, "alignment") if ref in self.by_id)
            parts = (bracket(child, depth + 1) for child in children.get(name, ()))
            return "(" + " ".join(part for part in (self.text(item) or "_", *leaves, *parts) if part) + ")"

        return " ".join(filter(None, (bracket(name, 0) for name in children if name not in below)))


COLUMNS = {2: "lemmas", 3: "upos", 4: "xpos", 5: "features", 6: "heads", 7: "relations", 8: "enhanced", 9: "misc"}
ROWS = "conllu-rows"
Row = tuple[str, dict[str, str], str]
"""Id, attributes and text of an item."""
Tier = tuple[str, str, dict[str, str], list[Row]]
"""Type, id, attributes and items."""


def tiers(igt: Sentence) -> list[Tier]:
    """The tiers that an instance needs so that its rows come back."""
    sentence = igt.rows
    if sentence is None or sentence.forms != igt.words:
        return []
    tree = replace(igt.tree, upos=(), xpos=()) if igt.tree else None  # in Xigt tags are of words, not of trees
    plain = to_sentence(replace(igt, rows=None, tree=tree))
    row_tiers: list[Tier] = []
    for k, kind in COLUMNS.items():
        values = sentence.column(k)
        if values != plain.column(k):
            rows = [(f"cu{k}.{n}", {"alignment": f"w{n}"}, value) for n, value in enumerate(values, 1)]
            row_tiers.append((kind, f"cu{k}", {"alignment": "w"}, rows))
    others: list[Row] = []
    word = 0
    for row in sentence.lines:
        word += row[0].isdecimal()
        if not row[0].isdecimal():
            place = {"alignment": f"w{word + 1}"} if word < len(igt.words) else {}
            others.append((f"cur{len(others) + 1}", place, "\t".join(row)))
    return [*row_tiers, *([(ROWS, "cur", {"alignment": "w"}, others)] if others else [])]


def restore_rows(igt: Sentence, items: Items) -> Sentence:
    """The instance with the rows that its tiers say."""
    column_tiers = {k: tier for k, kind in COLUMNS.items() for tier in items.of(kind) if tier.get("id") == f"cu{k}"}
    others = [tier for tier in items.of(ROWS) if tier.get("id") == "cur"]
    if not column_tiers and not others:
        return igt
    sentence = to_sentence(igt)
    n = len(sentence.forms)
    for k, tier in column_tiers.items():
        values = tuple(items.text(item) or "_" for item in tier.all("item"))
        if len(values) == n == len(igt.words) and not any("\t" in value for value in values):
            sentence = sentence.with_columns({k: _misc(values, sentence.column(9)) if k == 9 else values})
    return replace(igt, rows=_with_rows(sentence, [item for tier in others for item in tier.all("item")], items))


def _misc(carried: tuple[str, ...], live: tuple[str, ...]) -> tuple[str, ...]:
    """MISC as it was, glosses and segmentation as they are now."""
    cells = []
    for old, new in zip(carried, live, strict=True):
        fresh = [pair for pair in new.split("|") if pair.partition("=")[0] in (GLOSS, MSEG, MGLOSS)]
        said = [pair for pair in old.split("|") if pair.partition("=")[0] in (GLOSS, MSEG, MGLOSS)]
        if set(said) <= set(fresh):
            cells.append(old)
            continue
        kept = [pair for pair in old.split("|") if pair.partition("=")[0] not in (GLOSS, MSEG, MGLOSS) or pair in fresh]
        cells.append("|".join([*(p for p in kept if p != "_"), *(p for p in fresh if p not in kept)]) or "_")
    return tuple(cells)


def _with_rows(sentence: Rows, others: list[XmlNode], items: Items) -> Rows:
    """The sentence with multiword tokens and empty nodes before the words that they are aligned with."""
    before: dict[int, list[tuple[str, ...]]] = {}
    index = {f"w{k}": k for k in range(1, len(sentence.forms) + 1)}
    for item in others:
        row = tuple(items.text(item).split("\t"))
        at = next(iter(items.refs(item, "alignment")), "")
        if len(row) == 10 and all(row) and (not at or at in index) and not row[0].isdecimal():
            before.setdefault(index.get(at, len(index) + 1), []).append(row)
    rows: list[tuple[str, ...]] = [*sentence.lines, ()]
    whole = [row for k, word in enumerate(rows, 1) for row in (*before.get(k, ()), word) if row]
    return replace(sentence, columns=tuple(zip(*whole, strict=True)))


_ID = re.compile(r"[A-Za-z][\w.-]*")
_KEPT = ("doc-id", "line-range", "tag-types")
"""What ODIN's Xigt files say in attributes of an instance."""


def dump(instances: Iterable[Sentence], out: TextIO) -> None:
    """Write interlinear text as Xigt."""
    out.write('<?xml version="1.0" encoding="utf-8"?>\n<xigt-corpus>\n')
    for k, igt in enumerate(instances, 1):
        out.writelines(f"{line}\n" for line in _instance_lines(igt, k))
    out.write("</xigt-corpus>\n")


def dumps(instances: Iterable[Sentence]) -> str:
    """
    >>> "w1[0:2]" in dumps([Sentence(("ja-a",), (), ("yes-Q",))])
    True
    """
    out = io.StringIO()
    dump(instances, out)
    return out.getvalue()


def _instance_lines(igt: Sentence, number: int) -> Iterator[str]:
    named = _ID.fullmatch(igt.sent_id)
    kept = dict(takewhile(lambda pair: pair[0] in _KEPT, igt.meta))
    yield f"  <igt{_attributes({'id': igt.sent_id if named else f'i{number}', **kept})}>"
    yield from _metadata_lines(igt, "" if named else igt.sent_id, len(kept))
    text = igt.text or " ".join(igt.words)
    if text:
        judged = {"judgment": igt.judgement} if igt.judgement else {}
        yield from _tier("phrases", "p", {}, [("p1", judged, text)])
    yield from _tier("words", "w", {"segmentation": "p"}, _spans("w", "p1", text, igt.words))
    yield from _morphemes(igt)
    yield from _aligned_tier("pos", "w-pos", "w", igt.tags, len(igt.words))
    translations = [(code, said) for code, said in igt.translations if said]
    if igt.translation and igt.translation not in [said for _, said in translations]:
        translations.insert(0, ("", igt.translation))
    rows: list[Row] = []
    for k, (code, said) in enumerate(translations, 1):
        rows.append((f"t{k}", {"alignment": "p1", **({"xml:lang": code} if code else {})}, said))
    if igt.e_words and not rows:
        rows = [("t1", {"alignment": "p1"}, " ".join(igt.e_words))] if igt.translations or igt.translation else [("t1", {}, "")]
    yield from _tier("translations", "t", {"alignment": "p"}, rows, even_empty=bool(igt.e_words))
    main = next((k for k, (_, said) in enumerate(translations, 1) if said == igt.translation), 1)
    yield from _tier("words", "tw", {"segmentation": "t"}, _spans("tw", f"t{main}", igt.translation, igt.e_words))
    yield from _aligned_tier("pos", "tw-pos", "tw", igt.e_tags, len(igt.e_words))
    if igt.links is not None:
        pairs = [(f"a{k}", {"source": f"tw{j}", "target": f"w{i}"}, "") for k, (i, j) in enumerate(sorted(igt.links), 1)]
        yield from _tier("bilingual-alignments", "a", {"source": "tw", "target": "w"}, pairs, even_empty=True)
    yield from _dependencies("w", igt.tree)
    yield from _dependencies("tw", igt.e_tree)
    for tier in tiers(igt):
        yield from _tier(*tier)
    yield "  </igt>"


def _metadata_lines(igt: Sentence, sent_id: str, said: int) -> Iterator[str]:
    rows = [*([("sent_id", sent_id)] if sent_id else []), *igt.meta[said:]]
    if not rows and not igt.language:
        return
    yield "    <metadata>"
    if igt.language:
        yield f"      <meta{_attributes({'type': 'language', 'iso-639-3': igt.language, 'tiers': 'phrases words morphemes'})}/>"
    for key, value in rows:
        yield f"      <meta{_attributes({'type': key})}>{escape_xml(value)}</meta>"
    yield "    </metadata>"


def _morphemes(igt: Sentence) -> Iterator[str]:
    """Segmentation, and glosses of words and of morphemes."""
    n = len(igt.words)
    parts = igt.segments if len(igt.segments) == n else igt.words
    if igt.segments and len(igt.segments) != n:
        yield from _tier("morphemes", "m", {}, [(f"m{k}", {}, part) for k, part in enumerate(igt.segments, 1)])
    elif igt.segments or any(len(morphs(word)) > 1 for word in igt.words):
        rows: list[Row] = []
        for k, (word, part) in enumerate(zip(igt.words, parts, strict=True), 1):
            if part == word:
                rows += _spans(f"m{k}.", f"w{k}", word, morphs(part))
            else:
                rows += [(f"m{k}.{j}", {"segmentation": f"w{k}"}, said) for j, said in enumerate(_split_keeping_marks(part), 1)]
        yield from _tier("morphemes", "m", {"segmentation": "w"}, rows)
    yield from _aligned_tier("glosses", "gw", "w", igt.glosses, n)
    if len(igt.glosses) == n and len(igt.segments) in (0, n):
        below = [
            (f"g{k}.{j}", {"alignment": f"m{k}.{j}"}, said)
            for k, (part, gloss) in enumerate(zip(parts, igt.glosses, strict=True), 1)
            if len(morphs(part)) == len(morphs(gloss)) > 1
            for j, said in enumerate(morphs(gloss), 1)
        ]
        yield from _tier("glosses", "g", {"alignment": "m"}, below)


def _split_keeping_marks(part: str) -> list[str]:
    """Morphemes that keep a boundary other than the hyphen at their front.

    >>> _split_keeping_marks("kolu=mi"), _split_keeping_marks("dog-s")
    (['kolu', '=mi'], ['dog', 's'])
    """
    pieces = list(morphs(part))
    if any(piece[:1] in EDGES or piece[-1:] in EDGES for piece in pieces):
        return [part]
    marks = [match[0] for match in BOUNDARY.finditer(part)]
    return [pieces[0], *((mark if mark != "-" else "") + piece for mark, piece in zip(marks, pieces[1:], strict=True))]


def _spans(prefix: str, base: str, text: str, parts: Sequence[str]) -> list[Row]:
    """Parts as spans of a text where they follow one another in it, otherwise spelled out."""
    rows: list[Row] = []
    at, bad = 0, NOT_XML.search(text)
    for k, part in enumerate(parts, 1):
        start = text.find(part, at)
        if start < 0 or not part or part != " ".join(part.split()) or bad:
            return [(f"{prefix}{n}", {"segmentation": base}, said) for n, said in enumerate(parts, 1)]
        at = start + len(part)
        rows.append((f"{prefix}{k}", {"segmentation": f"{base}[{start}:{at}]"}, ""))
    return rows


def _aligned_tier(kind: str, name: str, base: str, values: tuple[str, ...], n: int) -> Iterator[str]:
    """One value a word; in order and unaligned when their number is another."""
    fits = len(values) == n
    rows: list[Row] = [
        (f"{name}{k}", {"alignment": f"{base}{k}"} if fits else {}, value)
        for k, value in enumerate(values, 1)
        if value or not fits
    ]
    yield from _tier(kind, name, {"alignment": base} if fits else {}, rows)


def _dependencies(base: str, tree: DepTree | None) -> Iterator[str]:
    if tree is None:
        return
    rows: list[Row] = []
    for k, head in enumerate(tree.heads, 1):
        if head != NO_HEAD:
            rel = tree.deprels[k - 1] if tree.deprels and tree.deprels[k - 1] != "_" else ""
            rows.append((f"{base}-ds{k}", {"dep": f"{base}{k}", **({"head": f"{base}{head}"} if head else {})}, rel))
    yield from _tier("dependencies", f"{base}-ds", {"dep": base, "head": base}, rows)


def _tier(kind: str, name: str, attrs: dict[str, str], rows: Sequence[Row], *, even_empty: bool = False) -> Iterator[str]:
    if not rows and not even_empty:
        return
    yield f"    <tier{_attributes({'type': kind, 'id': name, **attrs})}>"
    for item, item_attrs, text in rows:
        head = f"      <item{_attributes({'id': item, **item_attrs})}"
        yield f"{head}>{escape_xml(text)}</item>" if text else f"{head}/>"
    yield "    </tier>"


def _attributes(pairs: dict[str, str]) -> str:
    return "".join(f' {key}="{escape_xml(" ".join(value.split()), quote=True)}"' for key, value in pairs.items())


__all__ = ["dump", "dumps", "load", "loads", "read"]


TAGS = frozenset({"xigt-corpus", "igt", "tier", "item", "metadata", "meta"})
STATES = ("normalized", "cleaned", "raw")
Pairs = list[tuple[str, str]]


def load(source: Source, faults: Faults | None = None, **options: Any) -> Iterator[Sentence]:
    return from_file(read, source, faults, options)


def loads(text: str, faults: Faults | None = None, **options: Any) -> list[Sentence]:
    """
    >>> loads('<xigt-corpus><igt id="i1"><tier type="words" id="w"><item id="w1">ja</item></tier></igt></xigt-corpus>')[0].words
    ('ja',)
    """
    return from_text(read, text, faults, options)


def read(stream: BinaryIO, path: str, faults: Faults, options: Options) -> Iterator[Sentence]:
    for igt, above in units(stream, path, faults, options, lambda tag, _: tag == "igt", TAGS):
        corpus = [meta for node in above for data in node.all("metadata") for meta in data.children]
        yield _instance(igt, corpus, Where(path, igt.line, igt.get("id")), faults, options)


def _instance(igt: XmlNode, corpus: list[XmlNode], where: Where, faults: Faults, options: Options) -> Sentence:
    items = Items(igt, where, faults)
    igt_metadata = [meta for data in igt.all("metadata") for meta in data.children]
    language, target = _languages([*igt_metadata, *corpus], items)
    fields = _lines(items)
    meta: Pairs = [(key, value) for key, value in igt.attrs.items() if key not in ("id", "lg", "sent_id")]
    meta += [*_metadata(igt_metadata, corpus), *fields.pop("meta")]
    sent_id = next((value for key, value in meta if key == "sent_id"), igt.get("id"))
    fields.pop("sent_id")
    f_tier, e_tier = _word_tiers(items)
    phrases = [(item, items.text(item)) for tier in items.of("phrases") for item in tier.all("item")]
    text = " ".join(said for _, said in phrases)
    fields["judgement"] = next((_judgement(item) for item, _ in phrases if _judgement(item)), fields["judgement"])
    f_index = _index(f_tier)
    if f_tier is not None and any(items.text(item) for item in f_tier.all("item")):
        fields["words"] = tuple(items.text(item) or "_" for item in f_tier.all("item"))
        fields["segments"] = ()
    else:
        f_index = {}
        if text:
            fields["words"], fields["segments"] = tokens(text), ()
    if items.of("morphemes"):
        fields["segments"] = _segments(items, f_index, fields["words"])
    if items.of("glosses"):
        fields["glosses"] = _glosses(items, f_index, fields["words"], fields["segments"]) or fields["glosses"]
    n = len(fields["words"])
    translations = [
        (_lang(tier, item) or target, items.text(item)) for tier in items.of("translations") for item in tier.all("item")
    ]
    if not any(said for _, said in translations):
        translations = [(target, fields["translation"])]
    fields["translation"], fields["translations"] = choose_translation(translations, options.lang)
    e_index = _index(e_tier)
    e_words = tuple(items.text(item) or "_" for item in e_tier.all("item")) if e_tier else ()
    tags, e_tags = _tags(items, f_index, n), _tags(items, e_index, len(e_words))
    links, more = _links(items, f_index, e_index, where, faults)
    meta += more
    meta += [(f"{tier.get('type')}:{tier.get('id')}", items.brackets(tier)) for tier in items.tiers if tier.get("children")]
    interlinear = instance(
        **fields,
        tags=tags,
        text="" if normalize_space(text) == " ".join(fields["words"]) else text,
        sent_id=sent_id,
        language=language or igt.get("lg"),
        e_words=e_words,
        e_tags=e_tags,
        links=links,
        tree=_tree(items, f_index, fields["words"], tags, meta),
        e_tree=_tree(items, e_index, e_words, e_tags, meta),
        meta=[(key, value) for key, value in meta if key != "sent_id"],
        where=Where(where.path, where.line, sent_id),
    )
    return restore_rows(interlinear, items)


def _judgement(item: XmlNode) -> str:
    return item.get("judgment") or item.get("judgement")


def _lang(*nodes: XmlNode) -> str:
    return next((node.get("lang") for node in reversed(nodes) if node.get("lang")), "")


def _lines(items: Items) -> dict[str, Any]:
    """Fields from the best tier of tagged lines, for what other tiers do not say."""
    tiers = [tier for tier in items.of("odin") if any(item.text.strip() for item in tier.all("item"))]
    order = {state: k for k, state in enumerate(STATES)}
    most = max((len(tier.all("item")) for tier in tiers), default=0)
    tiers.sort(key=lambda tier: (2 * len(tier.all("item")) < most, order.get(tier.get("state").lower(), len(STATES))))
    tagged_lines = [
        odin.Line.of(item.get("tag") or "M", item.text.replace("\n", " "), _judgement(item))
        for tier in tiers[:1]
        for item in tier.all("item")
    ]
    clean = bool(tiers) and tiers[0].get("state").lower() != "normalized"
    return odin.assemble_fields(tagged_lines, clean=clean)


def _languages(metadata: list[XmlNode], items: Items) -> tuple[str, str]:
    """Code (or name) of the language, and of that of the translations."""
    f = e = ""
    for node in (below for meta in metadata for below in meta.walk()):
        code = node.get("iso-639-3") or node.get("code") or node.get("name") or node.text.strip()
        about = node.get("tiers")
        if node.tag == "subject" or (node.get("type") == "language" and "translations" not in about):
            f = f or code
        elif node.tag == "language" or (node.get("type") == "language" and "translations" in about):
            e = e or lang_code(code)
    if not f:
        f = next((_lang(tier) for kind in ("phrases", "words") for tier in items.of(kind) if _lang(tier)), "")
    return f, e


def _metadata(igt_metadata: list[XmlNode], corpus: list[XmlNode]) -> Pairs:
    """What metadata say beside the languages, keys in the file's own words."""
    by_id = {node.get("id"): node for node in corpus if node.get("id")}
    pairs: Pairs = []
    for meta in [*igt_metadata, *corpus]:
        nodes = (
            [child for child in meta.children if child.tag not in ("subject", "language")] if not meta.get("type") else [meta]
        )
        for node in nodes:
            if node.get("type") == "language" or (node in corpus and node.get("id")):
                continue
            said = [normalize_space(below.text) for below in node.walk() if below.text.strip()]
            if node.get("ref") in by_id:
                said += [normalize_space(below.text) for below in by_id[node.get("ref")].walk() if below.text.strip()]
            rest = [f"{key}={value}" for key, value in node.attrs.items() if key not in ("type", "id", "value", "ref")]
            pairs.append((node.get("type") or node.tag, "; ".join(filter(None, [node.get("value"), *said, *rest]))))
    return pairs


def _word_tiers(items: Items) -> tuple[XmlNode | None, XmlNode | None]:
    """The tiers of words of the language and of the translation."""
    f = e = None
    for tier in items.of("words"):
        if items.kind_below(tier) == "translations" or (f is not None and tier.get("id").startswith("t")):
            e = e or tier
        else:
            f = f or tier
    return f, e


def _index(tier: XmlNode | None) -> dict[str, int]:
    return {item.get("id"): k for k, item in enumerate(tier.all("item"), 1)} if tier else {}


def _segments(items: Items, index: dict[str, int], words: tuple[str, ...]) -> tuple[str, ...]:
    tier = max(items.of("morphemes"), key=lambda t: sum(bool(items.words(i.get("id"), index)) for i in t.all("item")))
    pieces: dict[int, list[str]] = {}
    loose = []
    for item in tier.all("item"):
        numbers = items.words(item.get("id"), index)
        if numbers:
            pieces.setdefault(numbers[0], []).append(items.text(item))
        else:
            loose.append(items.text(item))
    if loose:
        return tuple(items.text(item) for item in tier.all("item"))
    return tuple(_segment_word(word, pieces.get(k, [])) for k, word in enumerate(words, 1))


def _segment_word(word: str, pieces: list[str]) -> str:
    if len(pieces) == 1:
        return pieces[0]
    return word if not any(pieces) or morphs(word) == tuple(pieces) else join_morphemes(pieces)


def _glosses(items: Items, index: dict[str, int], words: tuple[str, ...], segments: tuple[str, ...]) -> tuple[str, ...]:
    """Glosses of the words: from a tier aligned with words, else of morphemes, else as they follow one another."""
    ranked = []
    for tier in items.of("glosses"):
        numbered_items = [(item, items.words(item.get("id"), index)) for item in tier.all("item")]
        direct = all(any(ref in index for ref in items.refs(item, "alignment")) for item, _ in numbered_items)
        ranked.append(
            (
                bool(numbered_items) and all(numbers or not items.text(item) for item, numbers in numbered_items),
                direct,
                numbered_items,
            )
        )
    whole, direct, numbered_items = max(
        ranked, key=lambda entry: (entry[0], entry[1], len(entry[2]) == len(words), -len(entry[2]))
    )
    if not whole:
        texts = [items.text(item) for item, _ in numbered_items]
        if len(texts) == 1 and (
            items.refs(numbered_items[0][0], "alignment", "content") or len(tokens(texts[0])) == len(words)
        ):
            return tokens(texts[0])
        return tuple(texts)
    by_word: dict[int, dict[str, list[str]]] = {}
    for item, numbers in ((item, numbers) for item, numbers in numbered_items if items.text(item)):
        ways = items.refs(item, "alignment") or [item.get("id")]
        by_word.setdefault(numbers[0], {}).setdefault(ways[0], []).append(items.text(item))
    glosses = []
    for k in range(1, len(words) + 1):
        pieces = [".".join(texts) if not direct else " ".join(texts) for texts in by_word.get(k, {}).values()]
        part = segments[k - 1] if len(segments) == len(words) else words[k - 1]
        marks = [part[end] for end in _boundaries(part)]
        glosses.append(join_morphemes(pieces, marks) if len(pieces) > 1 else "".join(pieces))
    return tuple(glosses)


def _boundaries(part: str) -> list[int]:
    ends, at = [], 0
    for piece in morphs(part)[:-1]:
        at += len(piece)
        ends.append(at)
        at += 1
    return ends


def _tags(items: Items, index: dict[str, int], n: int) -> tuple[str, ...]:
    """Parts of speech of the words, from the tier that names them most directly."""
    best: tuple[int, dict[int, list[str]]] = (0, {})
    for tier in items.of("pos"):
        by_word: dict[int, list[str]] = {}
        direct = 0
        for item in tier.all("item"):
            numbers = items.words(item.get("id"), index)
            direct += any(ref in index for ref in items.refs(item, "alignment"))
            if numbers and items.text(item):
                by_word.setdefault(numbers[0], []).append(items.text(item))
        if by_word and (score := 1 + direct) > best[0]:
            best = (score, by_word)
    rows = [best[1].get(k, []) for k in range(1, n + 1)] if best[1] else []
    return tuple(join_morphemes(row) if len(row) > 1 else "".join(row) for row in rows)


def _links(
    items: Items, f: dict[str, int], e: dict[str, int], where: Where, faults: Faults
) -> tuple[frozenset[tuple[int, int]] | None, Pairs]:
    """Links of the first tier of alignments; the others as meta, in Pharaoh form."""
    links: frozenset[tuple[int, int]] | None = None
    more: Pairs = []
    for tier in items.of("bilingual-alignments"):
        tier_links = set()
        for item in tier.all("item"):
            source, target = (items.refs(item, way) for way in ("source", "target"))
            pairs = _word_pairs(items, target, f, source, e) or _word_pairs(items, source, f, target, e)
            if not pairs and source and target:
                problem = f"item {item.get('id')}: {item.get('source')} and {item.get('target')} lead to no pair of words"
                faults.word(FormatError(problem, Where(where.path, item.line, where.sent_id), "the link is left out"))
            tier_links |= pairs
        if links is None:
            links = frozenset(tier_links)
        else:
            more.append((f"align:{tier.get('id')}", " ".join(f"{i - 1}-{j - 1}" for i, j in sorted(tier_links))))
    return links, more


def _word_pairs(
    items: Items, f_names: list[str], f: dict[str, int], e_names: list[str], e: dict[str, int]
) -> set[tuple[int, int]]:
    """Pairs of the words that some ids lead to on the two sides."""
    ends = {j for name in e_names for j in items.words(name, e)}
    return {(i, j) for name in f_names for i in items.words(name, f) for j in ends}


def _tree(items: Items, index: dict[str, int], forms: tuple[str, ...], tags: tuple[str, ...], meta: Pairs) -> DepTree | None:
    """The first tier of dependencies between these words; a second head of a word, and other tiers, are meta."""
    tree = None
    for tier in items.of("dependencies"):
        heads, deprels, rest = [NO_HEAD] * len(forms), [""] * len(forms), []
        for item in tier.all("item"):
            deps = {k for name in items.refs(item, "dep") for k in items.words(name, index)}
            given = items.refs(item, "head")
            tops = [k for name in given for k in items.words(name, index)] if given else [0]
            for dep in sorted(deps):
                if tops and heads[dep - 1] == NO_HEAD and tree is None:
                    heads[dep - 1], deprels[dep - 1] = tops[0], items.text(item)
                elif tops:
                    rest.append(f"{dep}<{tops[0]}:{items.text(item)}")
        if any(head != NO_HEAD for head in heads):
            tree = tree_of(forms, heads, deprels, tags)
            cut = [str(k) for k, pair in enumerate(zip(heads, tree.heads, strict=True), 1) if pair[0] != pair[1]]
            if cut:
                problem = f"dependencies {tier.get('id')}: words {', '.join(cut)} are on a cycle or second roots"
                items.faults.word(FormatError(problem, items.where, "left without a head"))
        if rest:
            meta.append((f"dependencies:{tier.get('id')}", " ".join(rest)))
    return tree
