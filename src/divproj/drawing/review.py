"""Pages that `proj review` serves: the tree of a sentence as an editable picture, and the frame around it.

`sentence_svg` draws a `DrawnSentence`. Arcs show their confidence as colour, line and number; every word can be reached by
keyboard and is described in full to a screen reader. `page_of` puts frame, style and scripts into one page, with the
Content-Security-Policy under which it works. `workbench_page` is the same frame for `proj review FOLDER`; its script fetches what is in it.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterator, Mapping, Sequence
from importlib import resources
from typing import NamedTuple

from divproj.drawing.measure import escape, runs_rtl, text_width
from divproj.drawing.projected import EXPLAINED
from divproj.drawing.svg import GLYPHS, LEVEL, MARGIN, STYLE, DrawnEdge, Fan, arc_shape, columns, fan, label_width, root_shape

WEAK_HEAD, FAIR_HEAD = 0.5, 0.8
"""Confidences below which a head is called weak, and fair."""


Keys = Sequence[tuple[str, str]]
"""What the keyboard does: keys, and what happens."""


class Page(NamedTuple):
    """A page, and the Content-Security-Policy under which it works."""

    html: str
    policy: str


def page_of(name: str, title: str, scripts: Sequence[str], keys: Keys, marks: Mapping[str, str]) -> Page:
    """The page `name`.html with its styles and scripts; `marks` are put in place of {{…}}."""
    css = STYLE + "".join(_file(f"{style}.css") for style in ("page", name))
    js = "".join(_file(f"{script}.js") for script in ("served", *scripts))
    rows = "".join(f'<tr><th scope="row">{_keys(key)}</th><td>{escape(action)}</td></tr>' for key, action in keys)
    body = _file(f"{name}.html")
    for mark, text in {"keys": rows, **marks}.items():
        body = body.replace(f"{{{{{mark}}}}}", text)
    policy = (
        f"default-src 'none'; style-src {_hash(css)}; script-src {_hash(js)}; img-src data:; connect-src 'self'; "
        "base-uri 'none'; form-action 'none'; frame-ancestors 'none'; object-src 'none'"
    )
    return Page(
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, '
        'initial-scale=1"><meta name="referrer" content="no-referrer">\n'
        f'<link rel="icon" href="data:,"><title>{escape(title)} · {name}</title>\n<style>{css}</style></head>\n'
        f'<body class="divproj {name}">{body}<script>{js}</script>\n</body></html>\n',
        policy,
    )


def _file(name: str) -> str:
    return resources.files("divproj.drawing").joinpath(name).read_text("utf-8")


def _keys(names: str) -> str:
    """
    >>> _keys("U or Ctrl+Z")
    '<kbd>U</kbd> or <kbd>Ctrl+Z</kbd>'
    """
    return " or ".join(f"<kbd>{escape(name)}</kbd>" for name in names.split(" or "))


def _hash(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


GLOSS = 11.5
"""Font size in pixels of a gloss."""
ZONE = 30
"""Height in pixels of the place at the top where an arc is dropped to make its word the root."""
REASONS = {**EXPLAINED, "corrected": "a person chose this head"}


class DrawnSentence(NamedTuple):
    """A sentence to be drawn; `hand` are the words that a person has corrected."""

    forms: Sequence[str]
    glosses: Sequence[str]
    tags: Sequence[str]
    heads: Sequence[int]
    deprels: Sequence[str]
    reasons: Sequence[str]
    confidence: Sequence[float | None]
    hand: frozenset[int] = frozenset()


def band(confidence: float | None) -> str:
    """The class of a confidence.

    >>> band(0.43), band(0.6), band(0.97), band(None)
    ('weak', 'fair', 'good', 'plain')
    """
    if confidence is None:
        return "plain"
    return "weak" if confidence < WEAK_HEAD else "fair" if confidence < FAIR_HEAD else "good"


def word_description(shown: DrawnSentence, k: int) -> str:
    """All about a word, in words."""
    gloss = f" ‘{shown.glosses[k - 1]}’" if shown.glosses and shown.glosses[k - 1] else ""
    tag = f" {shown.tags[k - 1]}" if shown.tags[k - 1] not in ("", "_") else ""
    head, rel, reason, confidence = shown.heads[k - 1], shown.deprels[k - 1], shown.reasons[k - 1], shown.confidence[k - 1]
    up = "the root" if head == 0 else f"head {head} {shown.forms[head - 1]}" if head > 0 else "no head"
    parts = [f"{k} {shown.forms[k - 1]}{gloss}{tag}", up]
    parts += [f"relation {rel}"] if rel not in ("_", "root") else []
    parts += [reason] if reason else []
    parts += [f"{100 * confidence:.0f} % sure"] if confidence is not None else []
    return ", ".join(parts)


def sentence_svg(shown: DrawnSentence) -> str:
    """The tree above its words; words are the options of a list, so that a keyboard can choose among them."""
    return "".join(_picture(shown))


def _picture(shown: DrawnSentence) -> Iterator[str]:
    n = len(shown.forms)
    rtl = runs_rtl(shown.forms)
    at = [0, *(range(n - 1, -1, -1) if rtl else range(n))]
    edges = [_edge(shown, k) for k in range(1, n + 1) if shown.heads[k - 1] >= 0]
    arcs, roots = [e for e in edges if e.head], {e.child: e for e in edges if not e.head}
    drawn = fan(arcs, list(roots), at)
    tags = ["" if tag == "_" else tag for tag in shown.tags]
    least = [text_width(gloss) * GLOSS for gloss in shown.glosses]
    mark = max((24.0, *(label_width(edge) + 3 for edge in roots.values())))
    xs, extent = columns(shown.forms, tags, [drawn], at, mark, least)
    places = [round(x) for x in xs]
    base = ZONE + drawn.height * LEVEL + 22
    high = base + 12 + (18 if any(shown.glosses) else 0) + (15 if any(tags) else 0) + 14
    wide = round(extent) + 2 * MARGIN
    yield (
        f'<svg xmlns="http://www.w3.org/2000/svg" class="divproj tree" viewBox="{-MARGIN} 0 {wide} {high}" width="{wide}" '
        f'height="{high}" role="listbox" aria-orientation="horizontal" aria-label="Words of the sentence">'
        f'<g class="zone" aria-hidden="true"><rect x="{-MARGIN + 1}" y="1" width="{wide - 2}" height="{ZONE - 4}" rx="6"/>'
        f'<text x="{wide // 2 - MARGIN}" y="{ZONE // 2 + 4}">drop here to make it the root</text></g>'
    )
    yield from _words(shown, tags, places, base, rtl)
    yield from _arcs(drawn, roots, shown, places, base - 17)
    yield "</svg>"


def _edge(shown: DrawnSentence, k: int) -> DrawnEdge:
    reason, rel = shown.reasons[k - 1], shown.deprels[k - 1]
    kind = reason if reason in GLYPHS else "given"
    return DrawnEdge("f", k, shown.heads[k - 1], kind, (), "" if rel == "_" else rel, confidence=shown.confidence[k - 1])


def _words(shown: DrawnSentence, tags: Sequence[str], xs: Sequence[int], base: int, rtl: bool) -> Iterator[str]:
    direction = ' direction="rtl"' if rtl else ""
    for k, form in enumerate(shown.forms, 1):
        gloss, tag = shown.glosses[k - 1] if shown.glosses else "", tags[k - 1]
        loose = " loose" if shown.heads[k - 1] < 0 else ""
        half = max(12, round(max(text_width(form) * 15, text_width(gloss) * GLOSS) / 2) + 5)
        rows = [f'<text class="form"{direction} x="{xs[k]}" y="{base}">{escape(form)}</text>']
        y = base
        if any(shown.glosses):
            y += 18
            rows.append(f'<text class="gloss" x="{xs[k]}" y="{y}">{escape(gloss)}</text>')
        if any(tags):
            y += 15
            rows.append(f'<text class="pos" x="{xs[k]}" y="{y}">{escape(tag)}</text>')
        rows.append(f'<text class="place" x="{xs[k]}" y="{y + 14}">{k}</text>')
        yield (
            f'<g class="word {band(shown.confidence[k - 1])}{loose}" role="option" aria-selected="false" tabindex="-1" data-word="{k}" '
            f'aria-label="{escape(word_description(shown, k))}"><title>{escape(word_description(shown, k))}</title>'
            f'<rect class="box" x="{xs[k] - half}" y="{base - 16}" width="{2 * half}" height="{y + 18 - base + 16}" rx="6"/>'
            f"{''.join(rows)}</g>"
        )


def _arcs(drawn: Fan, roots: dict[int, DrawnEdge], shown: DrawnSentence, xs: Sequence[int], edge_y: int) -> Iterator[str]:
    shapes = [(edge, root_shape(edge, *drawn.roots[child], xs, edge_y, -1)) for child, edge in roots.items()]
    shapes += ((arc.edge, arc_shape(arc, xs, edge_y, -1)) for arc in sorted(drawn.arcs, key=lambda arc: -arc.level))
    for edge, shape in shapes:
        hand = " hand" if edge.child in shown.hand else ""
        yield (
            f'<g class="edge {band(edge.confidence)}{hand}" aria-hidden="true" data-child="{edge.child}" data-head="{edge.head}">'
            f"<title>{escape(word_description(shown, edge.child))}</title>{shape}</g>"
        )


KEYS = (
    ("← →", "previous word, next word; Home and End: first word, last word"),
    ("↑ ↓", "up to the head of the word, down to its first dependent"),
    ("W", "next word of this sentence with low confidence"),
    (
        "Enter or H",
        "choose another head: go to it with the arrow keys or type its number; Enter accepts it, R or 0 makes the word the root, Esc cancels",
    ),
    ("R", "make the word the root"),
    ("L", "change the relation; Enter accepts it, Esc cancels"),
    ("T, X, M, F, E", "change the part of speech, XPOS, the lemma, the features, the gloss; Enter accepts, Esc cancels"),
    ("K or Shift+K", "note on the word; note on the sentence"),
    ("V or J", "split the word; join it with the next one"),
    ("Shift+M", "make a multiword token, change its form, or dissolve it"),
    ("Shift+V or Shift+J", "split the sentence before the word; join the next sentence to this one"),
    ("Shift+T", "change the translation"),
    ("I", "change the links of the word to the translation"),
    ("Q", "keep this tree beside, to try another one"),
    ("A or Shift+A", "state of the sentence; name of the annotator"),
    ("F8", "go to the next word in which UD forbids something"),
    ("Y", "words at once: tag word types, the most useful first"),
    ("/", "search and replace"),
    ("G", "mark the sentence as gold, or remove the mark; Shift+G marks it and goes to the next sentence"),
    ("N or Page Down", "next sentence"),
    ("P or Page Up", "previous sentence"),
    ("U or Ctrl+Z", "undo"),
    ("Shift+U or Ctrl+Y", "redo"),
    ("O", "change the order of the list: least confident first, most to gain first, or file order"),
    ("S", "write the file now (every change is already saved)"),
    ("Shift+L", "learn from the gold sentences; trees change only where they get better"),
    ("C", "go to the sentence that is most worth correcting next"),
    ("D", "show what learning changed, and refuse what you do not want"),
    ("B", "back to the list of texts, in the workbench"),
    ("?", "this help; Esc closes it"),
)
"""What the keyboard does, for the help and the documentation."""


def page(title: str, home: str = "") -> Page:
    """The frame; its script fetches the sentences. `home` is where it leads back to."""
    reasons = "".join(
        f"<dt>{GLYPHS.get(name, '')} {name}</dt><dd>{escape(explanation)}</dd>" for name, explanation in REASONS.items()
    )
    back = f'<a id="back" href="{escape(home)}" aria-keyshortcuts="B">‹ texts</a> ' if home else ""
    scripts = ("review", "review_changes", "review_edits", "review_hands")
    return page_of("review", title, scripts, KEYS, {"reasons": reasons, "title": back + escape(title)})


WORKBENCH_KEYS = (
    ("↑ ↓", "previous text, next text"),
    ("Enter", "correct the trees of the text"),
    ("P", "project the text"),
    ("E", "save its trees as a file"),
    ("F", "save them into a copy of your file (FLEx, ELAN, Toolbox)"),
    ("D", "show how it diverges from the translation"),
    ("L", "learn rules from all gold sentences, if a test shows that they help"),
    ("R", "show the rules in words"),
    ("A", "add a file"),
    ("/", "search the trees"),
    ("?", "this help; Esc closes it"),
)
"""What the keyboard does."""


def workbench_page(title: str) -> Page:
    """The page and the policy under which it works."""
    return page_of("workbench", title, ("workbench",), WORKBENCH_KEYS, {"title": escape(title)})
