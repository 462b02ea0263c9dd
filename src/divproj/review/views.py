"""What the page is told of a sentence: plain values, ready for JSON."""

from __future__ import annotations

from typing import Any

from divproj.data.sentence import Sentence
from divproj.drawing.curve import learning_svg
from divproj.drawing.projected import projection_svg
from divproj.drawing.review import REASONS, Shown, sentence_svg
from divproj.io.igt_conllu import from_sentence
from divproj.projection.direct import Projection, ProjectionInput
from divproj.review.checking import Verdict, accuracy
from divproj.review.choosing import next_to_correct
from divproj.review.session import Change, Session, incomplete

PREVIEW = 90
"""Characters of a sentence in the list."""


def item(session: Session, n: int) -> dict[str, Any]:
    """A line of the list."""
    state, sentence = session.states[n], session.document.blocks[n].sentence
    return {
        "id": name(sentence, n),
        "words": " ".join(sentence.forms)[:PREVIEW],
        "sure": state.confidence,
        "gold": state.gold,
        "hand": len(state.hand),
    }


def name(sentence: Sentence, n: int) -> str:
    return sentence.sent_id or f"sentence {n + 1}"


def shown(session: Session, n: int) -> Shown:
    """A sentence as it is drawn."""
    sentence, state = session.document.blocks[n].sentence, session.states[n]
    igt = from_sentence(sentence)
    glosses = igt.glosses if len(igt.glosses) == len(sentence.forms) else ()
    tags = next((c for c in (sentence.column(3), sentence.column(4)) if any(tag != "_" for tag in c)), sentence.column(3))
    return Shown(sentence.forms, glosses, tags, state.heads, state.rels, state.reasons, state.sure, state.hand)


def sentence_view(session: Session, n: int, bitext: ProjectionInput | None = None) -> dict[str, Any]:
    """A sentence with its picture."""
    sentence, state = session.document.blocks[n].sentence, session.states[n]
    igt = from_sentence(sentence)
    drawn = shown(session, n)
    texts = list(igt.translations) or ([("", igt.translation)] if igt.translation else [])
    return {
        "n": n,
        "id": name(sentence, n),
        "version": session.versions[n],
        "forms": drawn.forms,
        "glosses": drawn.glosses or ("",) * len(drawn.forms),
        "heads": drawn.heads,
        "rels": drawn.rels,
        "sure": drawn.sure,
        "why": [_why(drawn, k) for k in range(len(drawn.forms))],
        "confidence": state.confidence,
        "gold": state.gold,
        "lacking": incomplete(state),
        "text": igt.text or " ".join(sentence.forms),
        "translations": texts,
        "comments": sentence.comments,
        "svg": sentence_svg(drawn),
        "pair": _pair(session, n, bitext),
    }


def _why(drawn: Shown, k: int) -> str:
    reason, sure = drawn.reasons[k], drawn.sure[k]
    parts = [f"{reason}: {REASONS[reason]}" if reason in REASONS else reason] if reason else []
    parts += [f"{100 * sure:.0f} % sure"] if sure is not None else []
    parts += ["relation corrected"] if k + 1 in drawn.hand and reason != "corrected" else []
    return " · ".join(parts) or "nothing is known of where this head came from"


def _pair(session: Session, n: int, bitext: ProjectionInput | None) -> str:
    """Both trees and the links, where there are links; '' otherwise, and for a tree that is not whole."""
    state = session.states[n]
    if bitext is None or not len(bitext.e) or incomplete(state):
        return ""
    own = ("corrected", "learned")
    reasons: Any = tuple(reason if reason in REASONS and reason not in own else "projected" for reason in state.reasons)
    return projection_svg(Projection(bitext, state.heads, reasons, (), state.rels), standalone=False)


def word_of(change: Change) -> int:
    """The word to look at after a change: the first whose head or relation differs, 0 for none."""
    for n, after in change.after.items():
        before = change.before.get(n, after)
        pairs = zip(zip(before.heads, before.rels, strict=True), zip(after.heads, after.rels, strict=True), strict=True)
        return next((k for k, (old, new) in enumerate(pairs, 1) if old != new), 0)
    return 0


def changes(session: Session) -> list[dict[str, Any]]:
    """What the latest learning changed, tree by tree: words with another head, then those with another relation alone."""
    made = []
    for n, (old, new) in session.differing().items():
        forms = session.document.blocks[n].sentence.forms
        names = ("root", *forms, "no head")
        words = [
            {"word": k, "form": forms[k - 1], "old": names[a], "new": names[b]}
            for k, (a, b) in enumerate(zip(old.heads, new.heads, strict=True), 1)
            if a != b
        ]
        labels = sum(a == b and r != s for a, b, r, s in zip(old.heads, new.heads, old.rels, new.rels, strict=True))
        made.append({"n": n, "id": name(session.document.blocks[n].sentence, n), "heads": words, "labels": labels})
    return sorted(made, key=lambda row: -len(row["heads"]))


def choice(session: Session) -> dict[str, Any]:
    """The sentence to correct next with why, and the order of all by what there is to gain."""
    found = next_to_correct(session)
    order = [chosen.n for chosen in found]
    rest = set(range(len(session))) - set(order)
    first = found[0] if found else None
    return {"n": first.n if first else None, "why": first.why if first else "", "order": [*order, *sorted(rest)]}


def known(session: Session, verdict: Verdict | None) -> dict[str, Any]:
    """How good the trees are that nobody has corrected, as far as calibration and gold sentences tell, and the learning curve."""
    held = verdict.held if verdict and verdict.better and session.latest else {}
    found = accuracy(session, held)
    curve = verdict.curve if verdict else ()
    free = len(session.free)
    told = "Mark some sentences gold to learn how good the other trees are"
    if found:
        told = f"In the {free} sentence{'s' * (free != 1)} that nobody has corrected, about {100 * found.share:.0f} % (± {200 * found.error:.0f}) of the heads are right ({found.source})"
    return {
        "told": told,
        "share": found.share if found else None,
        "error": found.error if found else None,
        "curve": learning_svg([(p.gold, p.known.share, p.known.error) for p in curve]) if len(curve) > 1 else "",
    }
