"""Projected trees as one offline page, for checking: interlinear text, both trees, reason and confidence of each head.

The least confident come first; edges of F show the reason of their heads, and the page filters by reason and confidence.
"""

from __future__ import annotations

import math
import tempfile
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from itertools import repeat
from typing import IO, TextIO, get_args

from divproj.core.pair import Pair
from divproj.drawing.measure import escape, runs_rtl
from divproj.drawing.page import (
    EXAMPLE_WORDS,
    Spool,
    bar,
    button,
    document,
    example,
    head,
    noun_for,
    number,
    percent,
    picture,
    quantity,
    sample,
    scroll,
    sign,
    tools,
)
from divproj.drawing.svg import SURE_EDGE, DrawnEdge, Scene, scene_svg
from divproj.io.interlinear.languages import parsed_languages
from divproj.projection.confidence import Expected
from divproj.projection.direct import Projection, ProjectionInput, Reason
from divproj.projection.systems import describe_system, system_name

LOW_CONFIDENCE = 0.5
"""Words below this are counted among the figures."""


REASONS: tuple[Reason, ...] = get_args(Reason)
EXPLAINED = {
    "projected": "the head that the linked words have in the translation",
    "merge": "several words share one of the translation; one heads the others",
    "spontaneous": "the word has no link",
    "swap": "the translation has the edge the other way round",
    "guess": "not the head that the translation suggests, or it suggests none",
    "parsed": "the choice of the parser, against the projection",
    "learned": "gold sentences taught this head, against the projection",
}
EXAMPLE_NOTE = (
    "Above is the tree of the translation, below that of your sentence. An arc goes from a head to its dependent; a line between the trees "
    "joins words that translate each other. The colour and the sign of an arc say why the word has this head."
)
CONFIDENCE_NOTE = (
    " A number says how sure the head is. (On the page of <code>proj review</code>, colours show this, and not the reason.)"
)
BINS = 20
"""Columns of the histogram."""
RTL = ' dir="rtl"'
CLOSING = frozenset(".,;:!?…)]}»”%")
"""Tokens of a translation that are written without a space before them."""


Sources = Mapping[tuple[int, int], str]


def write_projections(
    projections: Iterable[Projection],
    out: TextIO,
    *,
    title: str,
    signature: str,
    system: str,
    link_sources: Iterable[Sources] | None = None,
    expected: Expected | None = None,
) -> None:
    """Write the page to `out`; the sentences wait in a temporary file, so memory stays flat.

    `expected` is the share of heads that should be right, if known;
    a mean of confidences is something else and not shown.

    `link_sources` tell for each projection where its links (f, e) come from, such as the pass of an aligner.
    Without confidences the page has no order by confidence and no figures for it.
    """
    with tempfile.TemporaryFile(prefix="divproj-") as file:
        sentences = _Sentences(file)
        if link_sources is None:
            for projection in projections:
                sentences.add(projection, {})
        else:
            for projection, sources in zip(projections, link_sources, strict=True):
                sentences.add(projection, sources)
        for part in document("projected", title, _body(sentences, title, signature, system, expected)):
            out.write(part)


def projection_svg(projection: Projection, sources: Sources | None = None, *, standalone: bool = True) -> str:
    """Both trees and the links; edges of F bear the reasons of their heads."""
    sentence = projection.sentence
    pair = Pair(projection.tree, sentence.e, sentence.links, sentence.sent_id, glosses=sentence.glosses)
    return scene_svg(pair, projection_scene(projection), standalone=standalone, sources=sources)


def projection_scene(projection: Projection) -> Scene:
    """Return what to draw of a projection: edges of F by reason, those of E as given, partners where one came from another."""
    sentence, tree = projection.sentence, projection.tree
    edges: dict[str, list[DrawnEdge]] = {"f": [], "e": []}
    marks: dict[tuple[str, int], DrawnEdge] = {}
    f_edges: dict[str, list[str]] = {}
    sure: Iterable[float | None] = projection.confidence or repeat(None, len(sentence))
    rows = zip(tree.heads, projection.reasons, tree.deprels, sure, strict=True)
    for word, (up, reason, label, confidence) in enumerate(rows, 1):
        partners = tuple(_origin(sentence, word, up))
        edge = DrawnEdge("f", word, up, reason, partners, label, confidence=confidence)
        if up > 0:
            edges["f"].append(edge)
            for name in partners:
                f_edges.setdefault(name, []).append(f"f{word}-{up}")
        elif up == 0:
            marks["f", word] = edge
    labels = sentence.e.deprels or ("",) * len(sentence.e)
    for word, up in sentence.e.edges:
        label = labels[word - 1]
        partners = tuple(f_edges.get(f"e{word}-{up}", ()))
        edges["e"].append(DrawnEdge("e", word, up, "given", partners, "" if label == "_" else label))
    return Scene("initial", edges, {"f": tree.heads, "e": sentence.e.heads}, set(), sentence.links.links, [], marks)


def _origin(sentence: ProjectionInput, word: int, up: int) -> list[str]:
    """What in E an edge of F came from: the edges between the two words' anchors, one above the other, or the word they share."""
    below, above = sentence.anchors[word], sentence.anchors[up] if up > 0 else 0
    if below and (up == 0 or below == above):
        return [f"e{below}"]
    return (_climb(sentence, below, above) or _climb(sentence, above, below)) if below and above else []


def _climb(sentence: ProjectionInput, low: int, high: int) -> list[str]:
    """The edges of E from a word up to another; none where that is not above it."""
    edge_names = []
    while low > 0 and low != high:
        edge_names.append(f"e{low}-{sentence.e_heads[low]}")
        low = sentence.e_heads[low]
    return edge_names if low == high else []


class _Sentences:
    """The sentences as pieces of the page, and the sums that stand above them."""

    def __init__(self, file: IO[bytes]) -> None:
        self.pieces = Spool(file)
        self.linked = 0
        self.reasons: Counter[str] = Counter()
        self.confidence: defaultdict[str, float] = defaultdict(float)
        """Sums of confidence by reason."""
        self.judged: Counter[str] = Counter()
        """Words with a confidence by reason."""
        self.bins: list[Counter[str]] = [Counter() for _ in range(BINS)]
        self.low = 0
        self.sources: Counter[str] = Counter()
        self.languages: Counter[str] = Counter()
        """Sentences by the language of the translation that was parsed."""
        self.example = ""
        """The picture of the first sentence that is not too long."""

    @property
    def words(self) -> int:
        return self.reasons.total()

    def add(self, projection: Projection, sources: Sources) -> None:
        sentence = projection.sentence
        self.linked += sum(1 for anchor in sentence.anchors if anchor)
        self.reasons.update(projection.reasons)
        self.sources.update(sources.values())
        if len(sentence.e) and sentence.e_language:
            self.languages[sentence.e_language] += 1
        for reason, confidence in zip(projection.reasons, projection.confidence, strict=False):
            self.judged[reason] += 1
            self.confidence[reason] += confidence
            self.bins[min(int(confidence * BINS), BINS - 1)][reason] += 1
            self.low += confidence < LOW_CONFIDENCE
        if not self.example and 2 < max(len(sentence), len(sentence.e)) <= EXAMPLE_WORDS:
            self.example = projection_svg(projection, sources, standalone=False)
        self.pieces.add(_mean(projection), sentence_piece(projection, len(self.pieces) + 1, sources))


def _mean(projection: Projection) -> float:
    confidence = projection.confidence
    return sum(confidence) / len(confidence) if confidence else math.inf


def sentence_piece(projection: Projection, place: int, sources: Sources) -> Iterator[str]:
    sentence, sure = projection.sentence, projection.confidence
    reasons = "".join(str(REASONS.index(reason)) for reason in projection.reasons)
    confidence = f' data-c="{" ".join(f"{1000 * c:.0f}" for c in sure)}"' if sure else ""
    yield f'<article class="pair" id="n{place}" tabindex="-1" data-r="{reasons}"{confidence}>'
    yield f"<h3>{escape(sentence.sent_id) or f'sentence {place}'}</h3>"
    summary = f"<b>{percent(projection.coverage)}</b> linked"
    if sure:
        summary = f"<b>{percent(_mean(projection))}</b> sure, weakest {percent(min(sure))}"
    yield f'<p class="share">{bar(Counter(projection.reasons), REASONS)}<span>{summary}</span></p>'
    yield f'<ol class="text igt"{RTL if runs_rtl(sentence.forms) else ""}>'
    for k, form in enumerate(sentence.forms):
        gloss = f"\n<small><bdi>{escape(sentence.glosses[k])}</bdi></small>" if sentence.glosses else ""
        yield f"<li><bdi>{escape(form)}</bdi>{gloss}</li>\n"
    yield "</ol>"
    if len(sentence.e):
        yield f'<p class="text free">‘<bdi>{escape(running(sentence.e.forms))}</bdi>’</p>'
    words = max(len(sentence), len(sentence.e))
    drawn = picture(words, lambda: projection_svg(projection, sources, standalone=False), rtl=runs_rtl(sentence.forms))
    yield f"{drawn}</article>\n"


def running(forms: Iterable[str]) -> str:
    """Tokens as a line of text.

    >>> running(("She", "does", "n't", "swim", "(", "yet", ")", "."))
    "She doesn't swim (yet)."
    """
    text = ""
    for form in forms:
        tight = not text or text[-1] in "([{«“¿¡" or form in CLOSING or form == "n't" or (form[:1] in "'’" and len(form) > 1)
        text += form if tight else f" {form}"
    return text


def _body(sentences: _Sentences, title: str, signature: str, system: str, expected: Expected | None) -> Iterator[str]:
    confidence = sentences.judged.total() > 0
    parts = {"reasons": "Reasons", **({"confidence": "Confidence"} if confidence else {}), "sentences": "Sentences"}
    said = describe_system(system)
    about = f"Trees projected by the <b>{escape(system_name(system))}</b>" + (f" ({escape(said)})" if said else "")
    yield head(title, signature, about, parts, "sentences") + "<main>\n"
    yield from _facts(sentences, expected)
    if sentences.example:
        kinds = {str(reason): EXPLAINED[reason] for reason in REASONS if sentences.reasons[reason]}
        yield example(sentences.example, kinds, EXAMPLE_NOTE + (CONFIDENCE_NOTE if confidence else ""))
    yield f'<div class="{"two" if confidence else "one"}">'
    yield from _reasons(sentences)
    if confidence:
        yield from _histogram(sentences)
    yield "</div>\n"
    first = "A sentence’s confidence is the mean of its words’. " if confidence else ""
    yield (
        f'<section id="sentences" class="list" tabindex="-1"><h2>Sentences</h2><p class="note">{first}Choose reasons in the '
        "table above to see only sentences that have them. In a picture, point at an edge or reach it with Tab and the arrow keys "
        f'to light what it came from.</p>\n{tools("sentences", len(sentences.pieces), CONTROLS if confidence else "")}<div id="list">\n'
    )
    yield from sentences.pieces.in_order()
    yield '</div><p id="none" hidden>No sentence has all of this.</p></section>\n</main>\n'


CONTROLS = (
    '<label class="below">Confidence below <input type="range" id="below" min="1" max="100" value="100" '
    'autocomplete="off"><output id="limit" for="below">any</output></label>'
    '<fieldset id="order"><legend class="hidden">Order</legend>'
    '<label><input type="radio" name="order" value="sure" autocomplete="off" checked>least confident</label>'
    '<label><input type="radio" name="order" value="file" autocomplete="off">file order</label></fieldset>'
)


def _facts(sentences: _Sentences, expected: Expected | None) -> Iterator[str]:
    """The sums as figures."""
    words = sentences.words
    facts = {"of the heads expected right": f"{100 * expected.share:.0f} %"} if expected else {}
    facts |= {
        noun_for(len(sentences.pieces), "sentences"): number(len(sentences.pieces)),
        noun_for(words, "words"): number(words),
        "of the words linked": percent(sentences.linked / words) if words else "–",
    }
    if sentences.judged.total():
        facts[f"{noun_for(sentences.low, 'words')} below {100 * LOW_CONFIDENCE:.0f} % confidence"] = number(sentences.low)
    yield '<dl class="facts">'
    for name, value in facts.items():
        yield f"<div><dt>{name}</dt><dd>{value}</dd></div>"
    yield "</dl>\n"
    if expected:
        note = f"Expected accuracy: {100 * expected.share:.0f} % ± {200 * expected.error:.0f} points; {expected.source}"
        yield f'<p class="note">{escape(note)}.</p>\n'
    else:
        yield '<p class="note">How many heads are right is not known: nothing was compared with gold trees, and this system is not calibrated.</p>\n'

    if said := parsed_languages(sentences.languages):
        yield f'<p class="note">{escape(said[0].upper() + said[1:])}.</p>\n'


def _reasons(sentences: _Sentences) -> Iterator[str]:
    """How often each reason, with its line as in the pictures."""
    words = sentences.words
    yield f'<section id="reasons"><h2>Why each head</h2>{scroll("Reasons")}<table class="pick"><thead><tr>'
    yield '<th scope="col"><span class="hidden">line</span></th><th scope="col">reason</th>'
    yield '<th scope="col"><span class="hidden">share</span></th><th scope="col" class="num">words</th>'
    yield '<th scope="col" class="num">share</th>'
    if sentences.judged:
        yield '<th scope="col" class="num" title="mean">confidence</th>'
    yield "</tr></thead><tbody>"
    for k, reason in enumerate(REASONS):
        count = sentences.reasons[reason]
        key, name = (f' data-key="{k}"', button(reason, reason)) if count else ("", reason)
        yield f'<tr{key}><td>{sample(reason)}</td><td><b class="{reason}">{sign(reason)} {name}</b>'
        yield f'<small>{EXPLAINED[reason]}</small></td><td class="wide">'
        yield bar({reason: count, "rest": words - count}, (reason, "rest"))
        yield f'</td><td class="num">{number(count)}</td><td class="num">{percent(count / words) if words else "–"}</td>'
        if sentences.judged:
            judged = sentences.judged[reason]
            yield f'<td class="num">{percent(sentences.confidence[reason] / judged) if judged else "–"}</td>'
        yield "</tr>"
    yield "</tbody></table></div>"
    if sentences.sources:
        links = sentences.sources.total()
        source_shares = ", ".join(f"{escape(name)} {percent(n / links)}" for name, n in sentences.sources.most_common())
        yield f'<p class="note">{quantity(links, "links")}: {source_shares}</p>'
    yield "</section>\n"


def _histogram(sentences: _Sentences) -> Iterator[str]:
    """Words by confidence, stacked by reason."""
    most = max(1, *(counts.total() for counts in sentences.bins))
    quarter = BINS // 4
    label = ", ".join(
        f"{number(sum(counts.total() for counts in sentences.bins[k * quarter : (k + 1) * quarter]))} of {25 * k}–{25 * (k + 1)} %"
        for k in range(4)
    )
    yield (
        '<section id="confidence"><h2>How sure</h2><p class="note">The probability that the model gives to the head it '
        f"chose; a picture prints it where it is below {100 * SURE_EDGE:.0f} %.</p>"
        f'<svg class="hist" viewBox="0 0 {BINS * 24 + 20} 260" role="img" aria-label="Words by confidence: {label}">'
    )
    for k, counts in enumerate(sentences.bins):
        x, y = 10 + 24 * k, 230.0
        low, high = f"{100 * k / BINS:.0f}", f"{100 * (k + 1) / BINS:.0f}"
        parts = ", ".join(f"{reason} {counts[reason]}" for reason in REASONS if counts[reason])
        yield f"<g><title>{low}–{high} %: {quantity(counts.total(), 'words')}{f' ({parts})' if parts else ''}</title>"
        yield f'<rect class="ground" x="{x}" y="10" width="24" height="220"/>'
        for reason in REASONS:
            tall = 205 * counts[reason] / most
            if tall:
                y -= tall
                yield f'<rect class="{reason}" x="{x + 1.5}" y="{y:.1f}" width="21" height="{tall:.1f}"/>'
        if counts.total():
            yield f'<text x="{x + 12}" y="{y - 4:.1f}">{_short(counts.total())}</text>'
        yield "</g>"
    yield f'<path class="axis" d="M10 230.5h{24 * BINS}"/>'
    for k in range(0, BINS + 1, quarter):
        yield f'<text class="tick" x="{10 + 24 * k}" y="248">{100 * k / BINS:.0f} %</text>'
    yield f'<path id="line" data-width="{24 * BINS}" d="M10 4V236" transform="translate({24 * BINS})"/></svg></section>\n'


def _short(count: int) -> str:
    """A count in the width of a column."""
    return str(count) if count < 10_000 else f"{count // 1000}k"
