"""Functions of the public API that combine several packages: write, analyze, evaluate, draw, parser."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from os import PathLike
from pathlib import Path

from divproj.core.errors import AlignmentError
from divproj.core.options import EvaluateOptions
from divproj.core.pair import Pair
from divproj.core.tree import DepTree
from divproj.divergence.analysis import Analysis
from divproj.divergence.analysis import analyze as analyze_pairs
from divproj.drawing.svg import pair_svg, tree_svg
from divproj.evaluation.trees import TreeScores, score_trees
from divproj.io.corpus import Corpus
from divproj.io.files import writing
from divproj.parsing.language import Language, load_pack


def write(pairs: Iterable[Pair], path: str | PathLike[str]) -> int:
    """Write the F side of pairs as CoNLL-U, completely or not at all; returns their number.

    >>> import tempfile, divproj as dp
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     dp.write(dp.read("deu-eng"), f"{folder}/trees.conllu") > 0
    True
    """
    count = 0
    with writing(path) as out:
        for pair in pairs:
            text = pair.to_conllu()
            out.write(text.rstrip("\n") + "\n\n")
            count += 1
    return count


def analyze(
    source: Corpus | Iterable[Pair] | str | PathLike[str],
    *,
    extended: bool = False,
    paper: bool = False,
    tags: str = "auto",
    each: Callable[[Pair, float], None] | None = None,
) -> Analysis:
    """Measure how far two languages diverge: the share of edges that match, before and after remove, merge and swap.

    `source` is a corpus, pairs with trees on both sides, a corpus folder, or the name of a sample corpus. `each` is called
    with every pair and the share of its E edges that match. `paper` merges as the paper's Algorithm 5 is printed.

    >>> import divproj as dp
    >>> dp.analyze("deu-eng").match_percentages()["initial"] > 50
    True
    """
    if isinstance(source, str | PathLike):
        source = Corpus.at(str(source))
    return analyze_pairs(source, extended=extended, paper=paper, tags=tags, each=each)


def evaluate(
    gold: Iterable[Pair | DepTree],
    system: Iterable[Pair | DepTree],
    *,
    punctuation: bool = EvaluateOptions.punctuation,
    subtypes: bool = EvaluateOptions.subtypes,
) -> TreeScores:
    """Return attachment scores of F trees against gold trees of the same sentences, in the same order.

    The defaults are those of `proj evaluate`: punctuation counts, and LAS compares universal relations (with `subtypes`, whole ones).

    >>> import divproj as dp
    >>> evaluate(dp.read("deu-eng"), dp.read("deu-eng")).uas
    100.0
    """
    gold, system = list(gold), list(system)
    if len(gold) != len(system):
        raise AlignmentError(
            f"{len(gold)} gold sentences but {len(system)} to score", remedy="give the same sentences in the same order"
        )
    rows = []
    for g, s in zip(gold, system, strict=True):
        reasons, sure = (s.reasons, s.confidence) if isinstance(s, Pair) else ((), ())
        rows.append((_tree(g), _tree(s), reasons, sure))
    return score_trees(rows, punctuation=punctuation, subtypes=subtypes)


def _tree(item: Pair | DepTree) -> DepTree:
    return item.f if isinstance(item, Pair) else item


def draw(item: Pair | DepTree) -> str:
    """Draw a pair or a tree as SVG.

    >>> draw(DepTree(("Dogs", "bark"), (2, 0)))[:4]
    '<svg'
    """
    return pair_svg(item) if isinstance(item, Pair) else tree_svg(item)


def parser(name: str | PathLike[str] = "en") -> Language:
    """A shipped parser by its language, or a parser made by `proj train` by its folder.

    >>> [tree] = parser("en").parse([("Dogs", "bark", ".")])
    >>> tree.forms
    ('Dogs', 'bark', '.')
    """
    return Language.load(Path(name)) if Path(name).is_dir() else load_pack(str(name))
