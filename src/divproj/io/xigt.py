"""Xigt XML in: tiers of items that refer to one another; `xigt_write` has the way out."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, BinaryIO

from divproj.data.errors import Faults, FormatError, Where
from divproj.data.igt import Igt, morphs
from divproj.data.tree import NO_HEAD, DepTree
from divproj.io import odin, xigt_rows
from divproj.io.files import Source
from divproj.io.igt_parts import instance, joined, preferred, squeezed, tokens, tree_of
from divproj.io.igt_text import Options, from_file, from_text
from divproj.io.igt_xml import Node, units
from divproj.io.translation_language import lang_code
from divproj.io.xigt_items import Items
from divproj.io.xigt_write import dump, dumps

__all__ = ["dump", "dumps", "load", "loads", "read"]

TAGS = frozenset({"xigt-corpus", "igt", "tier", "item", "metadata", "meta"})
STATES = ("normalized", "cleaned", "raw")
Pairs = list[tuple[str, str]]


def load(source: Source, faults: Faults | None = None, **options: Any) -> Iterator[Igt]:
    return from_file(read, source, faults, options)


def loads(text: str, faults: Faults | None = None, **options: Any) -> list[Igt]:
    """
    >>> loads('<xigt-corpus><igt id="i1"><tier type="words" id="w"><item id="w1">ja</item></tier></igt></xigt-corpus>')[0].words
    ('ja',)
    """
    return from_text(read, text, faults, options)


def read(stream: BinaryIO, path: str, faults: Faults, options: Options) -> Iterator[Igt]:
    for igt, above in units(stream, path, faults, options, lambda tag, _: tag == "igt", TAGS):
        corpus = [meta for node in above for data in node.all("metadata") for meta in data.children]
        yield _instance(igt, corpus, Where(path, igt.line, igt.get("id")), faults, options)


def _instance(igt: Node, corpus: list[Node], where: Where, faults: Faults, options: Options) -> Igt:
    items = Items(igt, where, faults)
    own = [meta for data in igt.all("metadata") for meta in data.children]
    language, target = _languages([*own, *corpus], items)
    fields = _lines(items)
    meta: Pairs = [(key, value) for key, value in igt.attrs.items() if key not in ("id", "lg", "sent_id")]
    meta += [*_metadata(own, corpus), *fields.pop("meta")]
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
    fields["translation"], fields["translations"] = preferred(translations, options.lang)
    e_index = _index(e_tier)
    e_words = tuple(items.text(item) or "_" for item in e_tier.all("item")) if e_tier else ()
    tags, e_tags = _tags(items, f_index, n), _tags(items, e_index, len(e_words))
    links, more = _links(items, f_index, e_index, where, faults)
    meta += more
    meta += [(f"{tier.get('type')}:{tier.get('id')}", items.brackets(tier)) for tier in items.tiers if tier.get("children")]
    made = instance(
        **fields,
        tags=tags,
        text="" if squeezed(text) == " ".join(fields["words"]) else text,
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
    return xigt_rows.restored(made, items)


def _judgement(item: Node) -> str:
    return item.get("judgment") or item.get("judgement")


def _lang(*nodes: Node) -> str:
    return next((node.get("lang") for node in reversed(nodes) if node.get("lang")), "")


def _lines(items: Items) -> dict[str, Any]:
    """Fields from the best tier of tagged lines, for what other tiers do not say."""
    tiers = [tier for tier in items.of("odin") if any(item.text.strip() for item in tier.all("item"))]
    order = {state: k for k, state in enumerate(STATES)}
    most = max((len(tier.all("item")) for tier in tiers), default=0)
    tiers.sort(key=lambda tier: (2 * len(tier.all("item")) < most, order.get(tier.get("state").lower(), len(STATES))))
    found = [
        odin.Line.of(item.get("tag") or "M", item.text.replace("\n", " "), _judgement(item))
        for tier in tiers[:1]
        for item in tier.all("item")
    ]
    clean = bool(tiers) and tiers[0].get("state").lower() != "normalized"
    return odin.assembled(found, clean=clean)


def _languages(metadata: list[Node], items: Items) -> tuple[str, str]:
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


def _metadata(own: list[Node], corpus: list[Node]) -> Pairs:
    """What metadata say beside the languages, keys in the file's own words."""
    by_id = {node.get("id"): node for node in corpus if node.get("id")}
    found: Pairs = []
    for meta in [*own, *corpus]:
        nodes = (
            [child for child in meta.children if child.tag not in ("subject", "language")] if not meta.get("type") else [meta]
        )
        for node in nodes:
            if node.get("type") == "language" or (node in corpus and node.get("id")):
                continue
            said = [squeezed(below.text) for below in node.walk() if below.text.strip()]
            if node.get("ref") in by_id:
                said += [squeezed(below.text) for below in by_id[node.get("ref")].walk() if below.text.strip()]
            rest = [f"{key}={value}" for key, value in node.attrs.items() if key not in ("type", "id", "value", "ref")]
            found.append((node.get("type") or node.tag, "; ".join(filter(None, [node.get("value"), *said, *rest]))))
    return found


def _word_tiers(items: Items) -> tuple[Node | None, Node | None]:
    """The tiers of words of the language and of the translation."""
    f = e = None
    for tier in items.of("words"):
        if items.kind_below(tier) == "translations" or (f is not None and tier.get("id").startswith("t")):
            e = e or tier
        else:
            f = f or tier
    return f, e


def _index(tier: Node | None) -> dict[str, int]:
    return {item.get("id"): k for k, item in enumerate(tier.all("item"), 1)} if tier else {}


def _segments(items: Items, index: dict[str, int], words: tuple[str, ...]) -> tuple[str, ...]:
    tier = max(items.of("morphemes"), key=lambda t: sum(bool(items.words(i.get("id"), index)) for i in t.all("item")))
    pieces: dict[int, list[str]] = {}
    loose = []
    for item in tier.all("item"):
        found = items.words(item.get("id"), index)
        if found:
            pieces.setdefault(found[0], []).append(items.text(item))
        else:
            loose.append(items.text(item))
    if loose:
        return tuple(items.text(item) for item in tier.all("item"))
    return tuple(_segmented(word, pieces.get(k, [])) for k, word in enumerate(words, 1))


def _segmented(word: str, pieces: list[str]) -> str:
    if len(pieces) == 1:
        return pieces[0]
    return word if not any(pieces) or morphs(word) == tuple(pieces) else joined(pieces)


def _glosses(items: Items, index: dict[str, int], words: tuple[str, ...], segments: tuple[str, ...]) -> tuple[str, ...]:
    """Glosses of the words: from a tier aligned with words, else of morphemes, else as they follow one another."""
    ranked = []
    for tier in items.of("glosses"):
        found = [(item, items.words(item.get("id"), index)) for item in tier.all("item")]
        direct = all(any(ref in index for ref in items.refs(item, "alignment")) for item, _ in found)
        ranked.append((bool(found) and all(numbers or not items.text(item) for item, numbers in found), direct, found))
    whole, direct, found = max(ranked, key=lambda entry: (entry[0], entry[1], len(entry[2]) == len(words), -len(entry[2])))
    if not whole:
        texts = [items.text(item) for item, _ in found]
        if len(texts) == 1 and (items.refs(found[0][0], "alignment", "content") or len(tokens(texts[0])) == len(words)):
            return tokens(texts[0])
        return tuple(texts)
    by_word: dict[int, dict[str, list[str]]] = {}
    for item, numbers in ((item, numbers) for item, numbers in found if items.text(item)):
        ways = items.refs(item, "alignment") or [item.get("id")]
        by_word.setdefault(numbers[0], {}).setdefault(ways[0], []).append(items.text(item))
    made = []
    for k in range(1, len(words) + 1):
        pieces = [".".join(texts) if not direct else " ".join(texts) for texts in by_word.get(k, {}).values()]
        part = segments[k - 1] if len(segments) == len(words) else words[k - 1]
        marks = [part[end] for end in _boundaries(part)]
        made.append(joined(pieces, marks) if len(pieces) > 1 else "".join(pieces))
    return tuple(made)


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
        found: dict[int, list[str]] = {}
        direct = 0
        for item in tier.all("item"):
            numbers = items.words(item.get("id"), index)
            direct += any(ref in index for ref in items.refs(item, "alignment"))
            if numbers and items.text(item):
                found.setdefault(numbers[0], []).append(items.text(item))
        if found and (score := 1 + direct) > best[0]:
            best = (score, found)
    rows = [best[1].get(k, []) for k in range(1, n + 1)] if best[1] else []
    return tuple(joined(row) if len(row) > 1 else "".join(row) for row in rows)


def _links(
    items: Items, f: dict[str, int], e: dict[str, int], where: Where, faults: Faults
) -> tuple[frozenset[tuple[int, int]] | None, Pairs]:
    """Links of the first tier of alignments; the others as meta, in Pharaoh form."""
    links: frozenset[tuple[int, int]] | None = None
    more: Pairs = []
    for tier in items.of("bilingual-alignments"):
        found = set()
        for item in tier.all("item"):
            source, target = (items.refs(item, way) for way in ("source", "target"))
            pairs = _paired(items, target, f, source, e) or _paired(items, source, f, target, e)
            if not pairs and source and target:
                what = f"item {item.get('id')}: {item.get('source')} and {item.get('target')} lead to no pair of words"
                faults.word(FormatError(what, Where(where.path, item.line, where.sent_id), "the link is left out"))
            found |= pairs
        if links is None:
            links = frozenset(found)
        else:
            more.append((f"align:{tier.get('id')}", " ".join(f"{i - 1}-{j - 1}" for i, j in sorted(found))))
    return links, more


def _paired(items: Items, f_names: list[str], f: dict[str, int], e_names: list[str], e: dict[str, int]) -> set[tuple[int, int]]:
    """Pairs of the words that some ids lead to on the two sides."""
    ends = {j for name in e_names for j in items.words(name, e)}
    return {(i, j) for name in f_names for i in items.words(name, f) for j in ends}


def _tree(items: Items, index: dict[str, int], forms: tuple[str, ...], tags: tuple[str, ...], meta: Pairs) -> DepTree | None:
    """The first tier of dependencies between these words; a second head of a word, and other tiers, are meta."""
    tree = None
    for tier in items.of("dependencies"):
        heads, rels, rest = [NO_HEAD] * len(forms), [""] * len(forms), []
        for item in tier.all("item"):
            deps = {k for name in items.refs(item, "dep") for k in items.words(name, index)}
            given = items.refs(item, "head")
            tops = [k for name in given for k in items.words(name, index)] if given else [0]
            for dep in sorted(deps):
                if tops and heads[dep - 1] == NO_HEAD and tree is None:
                    heads[dep - 1], rels[dep - 1] = tops[0], items.text(item)
                elif tops:
                    rest.append(f"{dep}<{tops[0]}:{items.text(item)}")
        if any(head != NO_HEAD for head in heads):
            tree = tree_of(forms, heads, rels, tags)
            cut = [str(k) for k, pair in enumerate(zip(heads, tree.heads, strict=True), 1) if pair[0] != pair[1]]
            if cut:
                what = f"dependencies {tier.get('id')}: words {', '.join(cut)} are on a cycle or second roots"
                items.faults.word(FormatError(what, items.where, "left without a head"))
        if rest:
            meta.append((f"dependencies:{tier.get('id')}", " ".join(rest)))
    return tree
