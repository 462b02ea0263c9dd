"""A corpus as one offline page: tables of its divergences, and every pair with a picture to step through.

The pictures are packed and unpacked by the page when they come into view; nothing is fetched, all text is escaped.
"""

from __future__ import annotations

import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import IO, TextIO

from divproj.divergence.analysis import ABOUT_TYPES, LABELS, MEANING, TYPES, Analysis
from divproj.divergence.operations import CLASSES, Altered
from divproj.drawing.measure import escape
from divproj.drawing.page import (
    EXAMPLE_WORDS,
    Spool,
    bar,
    button,
    document,
    example,
    head,
    number,
    percent,
    picture,
    quantity,
    sample,
    scroll,
    sign,
    tools,
)
from divproj.drawing.svg import pair_svg, stages_svg

STAGE_NAMES = {
    "initial": "as given",
    "remove": "removed",
    "merge": "merged",
    "extended": "merged on both sides",
    "swap": "swapped",
}
ROWS = 200
"""Rows of a table of tags or relations; rarer ones are counted in a line below it."""
PARTS = {"stages": "Stages", "tags": "Tags", "relations": "Relations", "dorr": "Types", "pairs": "Pairs"}
SIDES = {"e": "E", "f": "F"}
EXPLAINED = {
    "match": "the words are linked to those of an edge",
    "unaligned": "the dependent has no link: remove it",
    "merge": "both words link to one: merge them",
    "swap": "the other side has the edge reversed: swap",
    "other": "none of these",
}

EXAMPLE_NOTE = (
    "Above is the tree of the translation (E), below that of the language studied (F). An arc goes from a head to its dependent; "
    "a line between the trees joins words that translate each other. The colour and the sign of an arc say what has become of it on the other side."
)
PROJECTED_TREES = "projected trees. Such trees are copied from the translation, so most edges match: with gold trees the match is lower, and only that says how the languages diverge"
"""What is to be said of divergence that was measured on projected trees."""
Pattern = tuple[str, str, str, str]
Relation = tuple[str, str]


def write_report(
    analysis: Analysis,
    altered_pairs: Iterable[Altered],
    out: TextIO,
    *,
    title: str,
    signature: str,
    faults: Sequence[str] = (),
    note: str = "",
) -> None:
    """Write the page to `out`; the pairs wait in a temporary file, so memory stays flat.

    `note` says below the title what kind of trees these are. `altered_pairs` are those of the analysis, or the least matched of them, taken through its stages; the least matched
    E→F come first.
    """
    with tempfile.TemporaryFile(prefix="divproj-") as file:
        pairs = _Pairs(analysis, file)
        for altered in altered_pairs:
            pairs.add(altered)
        for part in document("report", title, _body(analysis, pairs, title, signature, faults, note)):
            out.write(part)


class _Pairs:
    """The pairs as pieces of the page, and the totals that are needed before the first is written."""

    def __init__(self, analysis: Analysis, file: IO[bytes]) -> None:
        self.tags, self.pieces = analysis.tags, Spool(file)
        patterns = sorted(analysis.operated.items(), key=lambda item: (-item[1], item[0]))
        self.patterns: dict[Pattern, int] = {pattern: k for k, (pattern, _) in enumerate(patterns[:ROWS])}
        self.used: set[int] = set()
        """Rows of `patterns` that some pair has."""
        self.relations: dict[Relation, int] = {}
        self.relation_counts: Counter[tuple[Relation, str]] = Counter()
        self.wanted = {example.sent_id for examples in analysis.examples.values() for example in examples}
        self.anchors: dict[str, int] = {}
        self.example = ""
        """The picture of the first pair that is not too long."""

    def __len__(self) -> int:
        return len(self.pieces)

    def add(self, altered: Altered) -> None:
        pair = altered.pair
        place = len(self) + 1
        if pair.sent_id in self.wanted:
            self.anchors.setdefault(pair.sent_id, place)
        if not self.example and 2 < max(len(pair.e), len(pair.f)) <= EXAMPLE_WORDS:
            self.example = pair_svg(pair, altered, standalone=False)
        self.pieces.add((altered.match_share, pair.sent_id), _pair(altered, place, self._keys(altered)))

    def _keys(self, altered: Altered) -> list[str]:
        """Which rows of the tables the pair belongs to."""
        row_keys: dict[str, None] = {}
        trees = {"f": altered.pair.f, "e": altered.pair.e}
        tags = {side: tree.tags(self.tags) for side, tree in trees.items()}
        for op in altered.operations:
            parent = "" if op.kind == "remove" else tags[op.side][op.parent - 1]
            row = self.patterns.get((op.side, op.kind, tags[op.side][op.child - 1], parent))
            if row is not None:
                row_keys[f"p{row}"] = None
                self.used.add(row)
        for side, tree in trees.items():
            for rel, kind in zip(tree.deprels, altered.classes[side]["initial"], strict=False):
                if kind is not None:
                    self.relation_counts[(side, rel), kind] += 1
                    if kind != "match":
                        row_keys[f"r{self.relations.setdefault((side, rel), len(self.relations))}"] = None
        return list(row_keys)


def _pair(altered: Altered, place: int, keys: Sequence[str]) -> Iterator[str]:
    pair = altered.pair
    counts = altered.counts["e_to_f"]
    kinds = {op.kind for op in altered.operations if op.kind != "swap" or op.side == "e"}
    steps = " ".join(f"{c['match']}/{c['edges']}{'' if stage in kinds else '='}" for stage, c in counts.items())
    yield f'<article class="pair" id="n{place}" tabindex="-1" data-k="{" ".join(keys)}" data-m="{steps}">'
    yield f"<h3>{escape(pair.sent_id) or f'pair {place}'}</h3>"
    yield f'<p class="share">{bar(counts["initial"], CLASSES)}<b>{percent(altered.match_share)}</b> match</p>'
    for side, tree in (("e", pair.e), ("f", pair.f)):
        yield f'<p class="text" data-side="{side}"><bdi>{escape(" ".join(tree.forms))}</bdi></p>'
    yield f"{picture(max(len(pair.e), len(pair.f)), lambda: stages_svg(altered))}</article>\n"


def _body(analysis: Analysis, pairs: _Pairs, title: str, signature: str, faults: Sequence[str], note: str) -> Iterator[str]:
    about = (
        f"{quantity(analysis.sentences, 'pairs')} · {quantity(analysis.words['e'], 'words')} of E · "
        f"{quantity(analysis.words['f'], 'words')} of F"
    )
    about += f"<br>{escape(note)}" if note else ""
    yield head(title, signature, about, PARTS, "pairs") + "<main>\n"
    if pairs.example:
        yield example(pairs.example, {kind: EXPLAINED[kind] for kind in CLASSES}, EXAMPLE_NOTE)
    if faults:
        items = "".join(f"<li>{escape(fault)}</li>" for fault in faults)
        fault_text = "1 fault" if len(faults) == 1 else f"{number(len(faults))} faults"
        yield f'<details class="faults"><summary>{fault_text} in the data</summary><ul>{items}</ul></details>\n'
    yield from _stages(analysis)
    yield '<div class="two">'
    yield from _tags(analysis, pairs)
    yield from _relations(pairs, analysis.sentences)
    yield "</div>\n"
    yield from _dorr(analysis, pairs)
    which = "Least matched (E→F) first."
    if len(pairs) < analysis.sentences:
        which = f"The {number(len(pairs))} least matched (E→F) of {number(analysis.sentences)}, least first."
    yield (
        f'<section id="pairs" class="list" tabindex="-1"><h2>Pairs</h2><p class="note">{which} Choose rows of the tables '
        "above to see only pairs that have them. In a picture, point at an edge or reach it with Tab and the arrow keys to light "
        f'its partner.</p>\n{tools("pairs", len(pairs))}<div id="list">\n'
    )
    yield from pairs.pieces.in_order()
    yield '</div><p id="none" hidden>No pair has all of this.</p></section>\n</main>\n'
    buttons = "".join(
        f'<button type="button" role="radio" data-stage="{stage}"><span>{STAGE_NAMES[stage]}</span> <small></small></button>'
        for _, stage in analysis.stages
    )
    yield f'<template id="steps"><div class="steps" role="radiogroup" aria-label="Stage">{buttons}</div></template>\n'


def _stages(analysis: Analysis) -> Iterator[str]:
    """Table 2, both directions."""
    yield '<section id="stages"><h2>Match after each stage</h2><div class="two">\n'
    for direction, name in (
        ("e_to_f", "E → F: edges of the translation (E)"),
        ("f_to_e", "F → E: edges of the language studied (F)"),
    ):
        yield f'{scroll(name)}<table><caption>{name}</caption><thead><tr><th scope="col">stage</th>'
        yield '<th scope="col"><span class="hidden">shares</span></th>'
        for kind in CLASSES:
            yield f'<th scope="col" class="num {kind}">{sign(kind)} {kind}</th>'
        yield "</tr></thead><tbody>"
        for row in analysis.stage_counts(direction):
            name = f"{STAGE_NAMES[row['stage']]}<small>{number(row['edges'])} edges</small>"
            yield f'<tr><th scope="row">{name}</th><td class="wide">{bar(row, CLASSES)}</td>'
            for kind in CLASSES:
                share = percent(row[kind] / row["edges"]) if row["edges"] else "–"
                strong = "b" if kind == "match" else "span"
                yield f'<td class="num"><{strong}>{share}</{strong}><small>{number(row[kind])}</small></td>'
            yield "</tr>"
        yield "</tbody></table></div>\n"
    yield '</div><ul class="legend" aria-label="Classes of edges">'
    for kind in CLASSES:
        yield f'<li>{sample(kind)}<span><b class="{kind}">{sign(kind)} {kind}</b> {EXPLAINED[kind]}</span></li>'
    yield "</ul></section>\n"


def _tags(analysis: Analysis, pairs: _Pairs) -> Iterator[str]:
    """Table 3."""
    rows = {(p.side, p.kind, p.child, p.parent or ""): p for p in analysis.patterns()}
    yield '<section id="tags"><h2>By part of speech</h2>'
    if not rows:
        yield '<p class="note">No operation was needed.</p></section>\n'
        return
    yield scroll("Operations by part of speech", "scroll tall") + '<table class="pick"><thead><tr>'
    for name in ("side", "operation", "word", "on"):
        yield f'<th scope="col">{name}</th>'
    yield '<th scope="col" class="num">times</th><th scope="col" class="num" title="of all such words or edges">of</th>'
    yield '<th scope="col" class="num">share</th></tr></thead><tbody>'
    for pattern, k in pairs.patterns.items():
        row = rows[pattern]
        label = f"{SIDES[row.side]} {row.kind} {row.child}" + (f" on {row.parent}" if row.parent else "")
        key = f' data-key="p{k}"' if k in pairs.used else ""
        child = button(row.child, label) if key else escape(row.child)
        yield (
            f'<tr{key}><td>{SIDES[row.side]}</td><td class="{_class_of(row.kind)}">{sign(row.kind)} {row.kind}</td>'
            f"<td>{child}</td><td>{escape(row.parent or '')}</td>"
            f'<td class="num">{number(row.count)}</td><td class="num">{number(row.total)}</td>'
            f'<td class="num">{percent(row.share)}</td></tr>'
        )
    yield f"</tbody></table></div>{_rest(len(rows))}</section>\n"


def _relations(pairs: _Pairs, sentences: int) -> Iterator[str]:
    """Classes of the edges as given, by relation."""
    yield '<section id="relations"><h2>By relation</h2>'
    if not pairs.relations:
        yield '<p class="note">No edge with a relation diverges.</p></section>\n'
        return
    yield scroll("Edges by relation", "scroll tall") + '<table class="pick"><thead><tr><th scope="col">side</th>'
    yield '<th scope="col">relation</th><th scope="col"><span class="hidden">shares</span></th>'
    for kind in CLASSES[1:]:
        yield f'<th scope="col" class="num {kind}" title="{kind}">{sign(kind)}<span class="hidden">{kind}</span></th>'
    yield '<th scope="col" class="num">edges</th><th scope="col" class="num">diverge</th></tr></thead><tbody>'
    table = {row: {kind: pairs.relation_counts[row, kind] for kind in CLASSES} for row in pairs.relations}
    order = sorted(table, key=lambda row: (table[row]["match"] - sum(table[row].values()), row))
    for row in order[:ROWS]:
        counts, (side, rel) = table[row], row
        edges = sum(counts.values())
        yield f'<tr data-key="r{pairs.relations[row]}"><td>{SIDES[side]}</td><td>{button(rel, f"{SIDES[side]} {rel} diverges")}</td>'
        yield f'<td class="wide">{bar(counts, CLASSES)}</td>'
        for kind in CLASSES[1:]:
            yield f'<td class="num">{number(counts[kind]) if counts[kind] else ""}</td>'
        yield f'<td class="num">{number(edges)}</td><td class="num">{percent(1 - counts["match"] / edges)}</td></tr>'
    yield f"</tbody></table></div>{_rest(len(order))}"
    if len(pairs) < sentences:
        yield f'<p class="note">Of the {quantity(len(pairs), "pairs")} below.</p>'
    yield "</section>\n"


def _dorr(analysis: Analysis, pairs: _Pairs) -> Iterator[str]:
    yield f'<section id="dorr"><h2>Differences by type</h2><p class="note">{ABOUT_TYPES}</p>{scroll("Differences by type")}<table><thead><tr><th scope="col">type</th>'
    yield '<th scope="col" class="num">times</th><th scope="col">examples</th></tr></thead><tbody>'
    for name in TYPES:
        yield f'<tr><th scope="row">{LABELS[name]}<small>{escape(MEANING[name])}</small></th>'
        yield f'<td class="num">{number(analysis.dorr[name])}</td><td><ul class="examples">'
        for case in analysis.examples[name]:
            text = f"<bdi>{escape(case.text)}</bdi>"
            anchor = pairs.anchors.get(case.sent_id)
            shown = escape(case.sent_id) or "pair"
            yield f'<li>{text} <a href="#n{anchor}">{shown}</a></li>' if anchor else f"<li>{text} <span>{shown}</span></li>"
        yield "</ul></td></tr>"
    yield "</tbody></table></div></section>\n"


def _rest(rows: int) -> str:
    return f'<p class="note">and {number(rows - ROWS)} rarer ones</p>' if rows > ROWS else ""


def _class_of(kind: str) -> str:
    return {"remove": "unaligned", "extended": "merge"}.get(kind, kind)
