"""What a notebook shows of a corpus."""

from __future__ import annotations

from divproj.data.errors import ProjError
from divproj.drawing.measure import escape
from divproj.drawing.svg import pair_svg
from divproj.io.corpus import Corpus

SHOWN = 3
"""Pairs that are drawn."""


def corpus_html(corpus: Corpus) -> str:
    """Name, number of pairs and first sentences of a corpus, and pictures of its first pairs.

    >>> "deu-eng" in corpus_html(Corpus.at("deu-eng"))
    True
    """
    try:
        pictures = [pair_svg(pair) for pair in corpus[:SHOWN]]
    except ProjError as error:  # a notebook shows what there is
        pictures = [f"<p>{escape(str(error))}</p>"]
    return f"<div><p>{escape(repr(corpus))}</p>{''.join(pictures)}</div>"
