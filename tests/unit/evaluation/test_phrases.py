"""Scores of phrase pairs."""

import numpy as np
import pytest
import shared

from divproj.evaluation import phrases
from divproj.evaluation.phrases import NULL, PhrasePairs, PhraseScore
from divproj.forest import build
from divproj.io.trees import enju
from divproj.io.trees.forests import ForestOptions, forests_of

G = frozenset({("a", "x"), ("b", "y"), ("c", NULL)})
H = frozenset({("a", "x"), ("b", "z"), ("c", NULL)})
J = frozenset({("a", "x"), ("b", "y"), ("c", "z")})


def test_the_paper_formulas_by_hand() -> None:
    """System {a-x, b-y, d-null}: wanted 2, 2, 1 (agreed by two), found 1, 2, 1; right of 3: 2, 2, 2."""
    system = frozenset({("a", "x"), ("b", "y"), ("d", NULL)})
    assert phrases.ali_row(system, [G, H, J]) == [(1, 2, 2, 3), (2, 2, 2, 3), (1, 1, 2, 3)]
    score = phrases.ali_score([(system, [G, H, J])])
    assert score.recall == pytest.approx(100 * (0.5 + 1 + 1) / 3)
    assert score.precision == pytest.approx(100 * 2 / 3)
    assert score.f1 == pytest.approx(2 * score.recall * score.precision / (score.recall + score.precision))
    twice = phrases.ali_score([(system, [G, H, J]), (G, [G, G, G])])
    assert twice.recall == pytest.approx(100 * (4 / 5 + 5 / 5 + 4 / 4) / 3)
    assert twice.as_json()["sentences"] == 2


def test_humans() -> None:
    assert phrases.human_score([[G, G, G]]).f1 == 100
    assert phrases.human_score([[G, H, J]]).recall == pytest.approx(100 * (1 + 1 + 1) / 3, abs=60)
    assert PhraseScore().recall == 100


def sentence(name: str, other: str, *nulls: str) -> str:
    words = "".join(f'<cons id="{name}{k}" cat="N"><tok id="t{k}">{w}</tok></cons>' for k, w in ((1, "red"), (2, other)))
    text = f'<sentence id="{name}"><cons id="{name}0" cat="NP">{words}</cons></sentence>'
    for null in nulls:
        text = text.replace(f'id="{null}"', f'id="{null}" pa1="-1" pa2="-1" pa3="-1"')
    return text


def test_annotated_trees() -> None:
    (src,), (tgt,) = enju.loads(sentence("s", "cat")), enju.loads(sentence("t", "dog"))
    links = {"pa1": {"s0": ("t0",), "s1": ("t1", "t0"), "s2": ("-1",)}}
    back = {"pa1": {"t0": ("s0",), "t1": ("s9",)}}
    (found,) = phrases.annotator_texts(src, tgt, links, back)
    assert found == {
        ("red cat", "red dog"), ("red", "red"), ("red", "red dog"), ("cat", NULL), (NULL, "dog"),
    }  # fmt: skip


def test_completed_with_nulls() -> None:
    src, tgt = forests_of("(NP (DT the) (JJ red) (NN cat))\n(NP (DT the) (NN cat))")
    pairs = PhrasePairs.complete([(0, 3, 0, 2), (2, 3, 1, 2)], src, tgt)
    assert pairs.src_nulls == {(0, 1), (1, 2)}
    assert pairs.tgt_nulls == {(0, 1)}
    assert pairs.texts(src.forms, tgt.forms) == {
        ("the red cat", "the cat"),
        ("cat", "cat"),
        ("the", NULL),
        ("red", NULL),
        (NULL, "the"),
    }
    assert len(pairs.texts(src.forms, tgt.forms, nulls=False)) == 2


def test_constituents() -> None:
    system = {(0, 2, 0, 2), (0, 1, 0, 1), (0, 1, 0, 2)}
    tight, loose = {(0, 2, 0, 2), (1, 2, 1, 2)}, {(0, 1, 0, 2)}
    assert phrases.constituent_row(system, tight, loose) == (1, 2, 2, 3)
    assert phrases.constituent_row(system, tight, loose, "both") == (1, 1, 1, 1)
    assert phrases.constituent_row(system, tight, loose, "either") == (1, 1, 2, 2)
    assert phrases.links_kept(system, {(0, 0), (1, 1)}) == (1, 2)


def test_node_links() -> None:
    (src,), (tgt,) = (forests_of(sentence(x, "cat")) for x in "st")
    links = [("good", "s0", "t0"), ("fuzzy", "s1", "t2"), ("good", "s7", "t0"), ("other", "s2", "t2")]
    sure, lost = phrases.node_quads(links, src, tgt, ("good",))
    every, _ = phrases.node_quads(links, src, tgt)
    assert sure == {(0, 2, 0, 2)}
    assert lost == 1
    assert every == {(0, 2, 0, 2), (0, 1, 1, 2)}
    assert phrases.node_row({(0, 1, 1, 2)}, sure, every) == (0, 1, 1, 1)


def test_reachability() -> None:
    src, tgt = forests_of("(S (NP (NN a)) (VP (VB b)) (. .))\n(S (NP (NN a)) (VP (VB b)) (. .))")
    assert phrases.reachable(src, tgt, [(0, 0), (2, 2)])
    assert not phrases.reachable(src, tgt, [(0, 0), (2, 2)], ((2,), (2,)))
    assert phrases.reachable(src, tgt, [(0, 0), (1, 1)], ((2,), (2,)))
    assert not phrases.reachable(src, tgt, [(0, 0), (1, 1)])
    assert phrases.reachable(src, tgt, [(0, 1), (1, 0), (2, 2)], ((2,), (2,)))
    both = forests_of("(S (NP (NN a)) (VP (VB b)) (. .))", options=ForestOptions(binarise="all"))[0]
    assert phrases.reachable(both, both, [(0, 0), (1, 1)])


def test_significance() -> None:
    good = PhraseScore([np.array([[9, 10, 9, 10]])] * 30)
    bad = PhraseScore([np.array([[2, 10, 2, 10]])] * 30)
    for measure in ("recall", "precision", "f1"):
        assert phrases.significance(good, bad, measure, rounds=1000) < 0.01
    assert phrases.significance(good, bad, rounds=500, seed=3) == phrases.significance(good, bad, rounds=500, seed=3)
    with pytest.raises(ValueError, match="30 and 0 sentences, the same number expected"):
        phrases.significance(good, PhraseScore())


def test_the_espada_sample() -> None:
    folder = shared.need("paraphrase/espada")
    trees = [next(iter(enju.load(folder / f"{side}-0003.xml"))) for side in "st"]
    links = [enju.load_links(folder / f"{side}-0003.xml")[0] for side in "st"]
    assert trees[0] is not None
    assert trees[1] is not None
    gold = phrases.annotator_texts(trees[0], trees[1], links[0], links[1])
    assert len(gold) == 3
    assert phrases.human_score([gold]).recall > 90
    root = PhrasePairs.complete([(0, len(trees[0]), 0, len(trees[1]))], build.from_tree(trees[0]), build.from_tree(trees[1]))
    assert 0 < phrases.ali_score([(root.texts(trees[0].forms, trees[1].forms), gold)]).recall < 50
