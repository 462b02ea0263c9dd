"""What CoNLL-U rows have and interlinear text has no place for, carried through Xigt in tiers of their own.

A column (`lemmas`, `features`, `misc` …) has a tier only where the rest of the instance would not give it back; multiword tokens and
empty nodes are items of the tier `conllu-rows`, each before the word that it is aligned with.
"""

from __future__ import annotations

from dataclasses import replace

from divproj.data.igt import Igt
from divproj.data.sentence import Sentence
from divproj.io.igt_conllu import GLOSS, MGLOSS, MSEG, to_sentence
from divproj.io.igt_xml import Node
from divproj.io.xigt_items import Items

COLUMNS = {2: "lemmas", 3: "upos", 4: "xpos", 5: "features", 6: "heads", 7: "relations", 8: "enhanced", 9: "misc"}
ROWS = "conllu-rows"
Row = tuple[str, dict[str, str], str]
Tier = tuple[str, str, dict[str, str], list[Row]]
"""Type, id, attributes and items."""


def tiers(igt: Igt) -> list[Tier]:
    """The tiers that an instance needs so that its rows come back."""
    sentence = igt.sentence
    if sentence is None or sentence.forms != igt.words:
        return []
    tree = replace(igt.tree, upos=(), xpos=()) if igt.tree else None  # in Xigt tags are of words, not of trees
    plain = to_sentence(replace(igt, sentence=None, tree=tree))
    made: list[Tier] = []
    for k, kind in COLUMNS.items():
        values = sentence.column(k)
        if values != plain.column(k):
            rows = [(f"cu{k}.{n}", {"alignment": f"w{n}"}, value) for n, value in enumerate(values, 1)]
            made.append((kind, f"cu{k}", {"alignment": "w"}, rows))
    others: list[Row] = []
    word = 0
    for row in sentence.rows:
        word += row[0].isdecimal()
        if not row[0].isdecimal():
            place = {"alignment": f"w{word + 1}"} if word < len(igt.words) else {}
            others.append((f"cur{len(others) + 1}", place, "\t".join(row)))
    return [*made, *([(ROWS, "cur", {"alignment": "w"}, others)] if others else [])]


def restored(igt: Igt, items: Items) -> Igt:
    """The instance with the rows that its tiers say."""
    found = {k: tier for k, kind in COLUMNS.items() for tier in items.of(kind) if tier.get("id") == f"cu{k}"}
    others = [tier for tier in items.of(ROWS) if tier.get("id") == "cur"]
    if not found and not others:
        return igt
    sentence = to_sentence(igt)
    n = len(sentence.forms)
    for k, tier in found.items():
        values = tuple(items.text(item) or "_" for item in tier.all("item"))
        if len(values) == n == len(igt.words) and not any("\t" in value for value in values):
            sentence = sentence.with_columns({k: _misc(values, sentence.column(9)) if k == 9 else values})
    return replace(igt, sentence=_with_rows(sentence, [item for tier in others for item in tier.all("item")], items))


def _misc(carried: tuple[str, ...], live: tuple[str, ...]) -> tuple[str, ...]:
    """MISC as it was, glosses and segmentation as they are now."""
    made = []
    for old, new in zip(carried, live, strict=True):
        fresh = [pair for pair in new.split("|") if pair.partition("=")[0] in (GLOSS, MSEG, MGLOSS)]
        said = [pair for pair in old.split("|") if pair.partition("=")[0] in (GLOSS, MSEG, MGLOSS)]
        if set(said) <= set(fresh):
            made.append(old)
            continue
        kept = [pair for pair in old.split("|") if pair.partition("=")[0] not in (GLOSS, MSEG, MGLOSS) or pair in fresh]
        made.append("|".join([*(p for p in kept if p != "_"), *(p for p in fresh if p not in kept)]) or "_")
    return tuple(made)


def _with_rows(sentence: Sentence, others: list[Node], items: Items) -> Sentence:
    """The sentence with multiword tokens and empty nodes before the words that they are aligned with."""
    before: dict[int, list[tuple[str, ...]]] = {}
    index = {f"w{k}": k for k in range(1, len(sentence.forms) + 1)}
    for item in others:
        row = tuple(items.text(item).split("\t"))
        at = next(iter(items.refs(item, "alignment")), "")
        if len(row) == 10 and all(row) and (not at or at in index) and not row[0].isdecimal():
            before.setdefault(index.get(at, len(index) + 1), []).append(row)
    rows: list[tuple[str, ...]] = [*sentence.rows, ()]
    whole = [row for k, word in enumerate(rows, 1) for row in (*before.get(k, ()), word) if row]
    return replace(sentence, columns=tuple(zip(*whole, strict=True)))
