"""The model of glossed text, learned here from a handful of sentences of our own."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from divproj import read
from divproj.core.errors import ModelError
from divproj.core.links import Links
from divproj.core.tree import DepTree
from divproj.links.grams import Grams
from divproj.parsing.language import pack
from divproj.projection.direct import ProjectionInput
from divproj.projection.glossed import linear, s6
from divproj.projection.glossed.facts import EnglishLexicon, Glosses, foreign_language, in_capitals, lexicon_of
from divproj.projection.glossed.model import GlossModel
from divproj.projection.glossed.s6 import S6
from divproj.projection.glossed.training import GlossedTreebank, learn
from divproj.projection.phrasal.cues import InducedLinks
from divproj.projection.systems import AdaptedSystem
from divproj.ud.rows import attach_marks
from divproj.ud.tagsets import LABELS, UPOS

ENGLISH = EnglishLexicon.of(
    [
        (w, w, t)
        for w, t in (("dog", "NOUN"), ("cat", "NOUN"), ("see", "VERB"), ("eat", "VERB"), ("the", "DET"), ("fish", "NOUN"))
    ]
    * 3
)
E_TREE = DepTree(("The", "dog", "saw", "fish"), (2, 3, 0, 3), ("det", "nsubj", "root", "obj"), ("DET", "NOUN", "VERB", "NOUN"))


def sentence(order: str, subject: str, verb: str, k: int) -> tuple[ProjectionInput, DepTree]:
    """Subject, object and verb in this order, the subject with an article before it, and a full stop."""
    rows = {
        "D": ("DEF", "DET", "det"),
        "S": (subject, "NOUN", "nsubj"),
        "O": ("fish-ACC", "NOUN", "obj"),
        "V": (f"{verb}-PST", "VERB", "root"),
    }
    letters = order.replace("S", "DS")
    at = {letter: place for place, letter in enumerate(letters, 1)}
    heads = [at["S"] if x == "D" else 0 if x == "V" else at["V"] for x in letters]
    forms = tuple(f"{x.lower()}{k % 3}" for x in letters)
    links = frozenset({(at["S"], 2), (at["V"], 3), (at["O"], 4)})
    stop = len(letters) + 1
    gold = DepTree(
        (*forms, "."), (*heads, at["V"]), (*(rows[x][2] for x in letters), "punct"), (*(rows[x][1] for x in letters), "PUNCT")
    )
    bitext = ProjectionInput(
        (*forms, "."), E_TREE, Links(links, (stop, 4)), (*(rows[x][0] for x in letters), ""), f"{order}{k}"
    )
    return bitext, gold


def bank(name: str, order: str) -> GlossedTreebank:
    some = [sentence(order, ("dog", "cat")[k % 2], ("see", "eat")[k // 2 % 2], k) for k in range(4)]
    return GlossedTreebank(name, name, [b for b, _ in some], [g for _, g in some])


@pytest.fixture(scope="module")
def model() -> GlossModel:
    found, folds = learn([bank("a", "SVO"), bank("b", "SOV"), bank("c", "VSO")], ENGLISH, Grams.load_shipped())
    assert set(folds) == {"a", "b", "c"}
    return found


def test_unseen_order(model: GlossModel) -> None:
    some = [sentence("OSV", "cat", "eat", k) for k in range(3)]
    system = AdaptedSystem.to(S6(model), [b for b, _ in some])
    for bitext, gold in some:
        found = system.project(bitext)
        assert found.tree.heads == gold.heads
        assert found.tree.upos == gold.upos
        assert found.tree.deprels == gold.deprels
        assert all(0.0 <= p <= 1.0 for p in found.confidence)


def test_given_tags_are_kept(model: GlossModel) -> None:
    bitext, _ = sentence("SVO", "dog", "see", 0)
    given = ProjectionInput(bitext.forms, bitext.e, bitext.links, bitext.glosses, "", ("_", "PROPN", "_", "_", "_"))
    assert S6(model).project(given).upos[1] == "PROPN"


def test_without_glosses_or_translation(model: GlossModel) -> None:
    bitext, _ = sentence("SVO", "dog", "see", 0)
    bare = ProjectionInput(bitext.forms, bitext.e, bitext.links)
    alone = ProjectionInput(bitext.forms, DepTree((), ()), Links(frozenset(), (5, 0)), bitext.glosses)
    for given in (bare, alone, ProjectionInput(("x",), DepTree((), ()), Links(frozenset(), (1, 0)))):
        found = S6(model).project(given)
        assert sorted(found.heads).count(0) == 1
        assert len(found.upos) == len(given.forms)


def test_weighed_columns_are_probabilities(model: GlossModel) -> None:
    bitext, _ = sentence("SVO", "dog", "see", 0)
    _, chances = S6(model).edge_probabilities(bitext)
    assert np.allclose(chances.sum(0)[1:], 1.0)


def test_saved_and_loaded(model: GlossModel, tmp_path: Path) -> None:
    model.save(tmp_path / "m")
    again = GlossModel.load(tmp_path / "m")
    assert again.english == model.english
    assert np.abs(again.linked - model.linked).max() < 0.01
    (tmp_path / "m" / "weights.npz").write_bytes(b"no")
    with pytest.raises(ModelError):
        GlossModel.load(tmp_path / "m")


def test_glosses_taken_apart() -> None:
    apart = Glosses(Grams.load_shipped(), ENGLISH)
    assert apart("see-PST.3SG").words == ("see",)
    assert apart("see-PST.3SG").grams[0] == "PST"
    assert apart("Neg").shape == "G"
    assert apart("negative.marker").grams == ("NEG",)
    assert apart("").shape == "-"
    loud = ProjectionInput(("a", "b"), DepTree((), ()), Links(frozenset(), (2, 0)), ("DOG", "SEE"))
    assert in_capitals([loud])
    assert Glosses(Grams.load_shipped(), ENGLISH, capitals=True)("DOG").words == ("dog",)


def test_grammar() -> None:
    chances = np.full((3, len(LABELS)), 0.001)
    chances[:, LABELS.index("nsubj")] = (0.9, 0.8, 0.0)
    chances[:2, LABELS.index("obl")] = 0.1
    chances[2, LABELS.index("aux")] = 0.9
    found = s6.relations([3, 3, 0], ["NOUN", "NOUN", "VERB"], chances)
    assert found == ["nsubj", "obl", "root"]
    assert s6.lift_dependents([2, 3, 0], ["NOUN", "AUX", "VERB"], chances[[0, 2, 1]]) == [3, 3, 0]
    assert not s6.label_mask("VERB", 1, 2)[LABELS.index("aux")]


def test_marks_cross_nothing() -> None:
    heads = [0, 0, 1]
    attach_marks(heads, [2])
    assert heads == [0, 1, 1]
    only = [0, 0]
    attach_marks(only, [1, 2])
    assert only == [0, 1]


def test_kernels_learn() -> None:
    index = np.array([[1, 2], [3, 4]] * 50, np.int32)
    right = np.array([0, 1] * 50)
    weights = linear.fit_class(index, right, np.ones(100), 8, 2)
    assert linear.class_chances(index[:2], weights).argmax(1).tolist() == [0, 1]
    starts = np.arange(0, 101, 2)
    weights = linear.fit_choice(index, starts, starts[:-1], np.ones(50), 8)
    assert linear.choice_chances(index, starts, weights)[0] > 0.9
    assert len(UPOS) == 17


def test_sums_of_features_are_those_of_the_compiled_kernels() -> None:
    chance = np.random.default_rng(3)
    index, weights = chance.integers(0, 64, (7, 5), dtype=np.int32), chance.normal(size=(64, 4)).astype(np.float32)
    by_hand = np.zeros((7, 4))
    for f in range(5):
        by_hand += weights[index[:, f]]
    for run in (linear.class_scores.plain, linear.class_scores.compiled):
        scores = np.zeros((7, 4))
        run(index, weights, scores)
        assert (scores == by_hand).all()


def test_edges_weigh_the_same_with_and_without_the_compiled_kernel(monkeypatch: pytest.MonkeyPatch) -> None:
    chance = np.random.default_rng(4)
    rows, names = 1100, ("side c_tag", "far", "c_tag h_tag far", "h_tag side")
    columns = {name: chance.integers(0, 1 << 32, rows) for name in ("side", "far", "c_tag", "h_tag")}
    found = linear.Edges(np.array([0, 400, 1100]), np.zeros(rows, np.int64), columns)
    weights = chance.normal(size=1 << 10).astype(np.float32)
    slow = linear.choice_chances(linear.features(found, names, 1 << 10), found.starts, weights)
    monkeypatch.setattr(linear, "COMPILED", 1 / 100)
    assert (linear.choice_probabilities(found, names, weights) == slow).all()
    plain, fast = np.zeros(8), np.zeros(8)
    given = (
        np.array([columns["far"][:8], columns["side"][:8]]),
        np.array([1, 3]),
        np.array([0, 1, 0]),
        np.array([5, 9], np.uint64),
    )
    with np.errstate(over="ignore"):
        linear.choice_scores.plain(*given, weights, plain)
    linear.choice_scores.compiled(*given, weights, fast)
    assert (plain == fast).all()


def test_links_are_induced_once_for_a_text(monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[int] = []
    look = InducedLinks.observe
    monkeypatch.setattr(InducedLinks, "observe", lambda self, text: calls.append(len(text)) or look(self, text))
    S6().adapt([sentence("SOV", "dog", "see", 1)[0]])
    assert calls == [1]


def test_a_sentence_alone_has_the_statistics_of_its_text(model: GlossModel) -> None:
    """What was projected before changes nothing, and a sentence that is not of the text is projected with what the text has taught."""
    text = [sentence("OSV", "cat", "eat", k)[0] for k in range(3)]
    system = S6(model)
    state = system.adapt(text)
    before = [system.project(each, state) for each in text]
    new = replace(text[0], sent_id="new")
    assert new not in state.analyses
    assert system.project(new, state).heads == before[0].heads
    assert system.project(new, state).confidence == before[0].confidence
    assert [system.project(each, state) for each in text] == before
    assert len(state.analyses) == 3
    assert system.mix(system.analyze(new, state)) == pytest.approx(system.mix(state.analyses[text[0]]))


def test_a_long_text_is_projected_with_one_state(monkeypatch: pytest.MonkeyPatch) -> None:
    """Sentences after those that were adapted to are projected as these are."""
    from divproj.projection import projector
    from divproj.projection.projector import Projector

    pairs = [p for p, _ in zip(read("deu-eng"), range(30), strict=False)]
    monkeypatch.setattr(projector, "ADAPT_LIMIT", 20)
    made = Projector("s6")
    state = made.adapt(pairs[:20])
    alone = [made.projection(pair, state).heads for pair in pairs]
    assert [found.heads for _, found in made.projections(iter(pairs))] == alone
    assert [made.projection(pair, state).heads for pair in reversed(pairs)] == alone[::-1]


@pytest.mark.skipif(pack("fr") is None, reason="the French pack is not installed")
def test_words_of_glosses_in_another_language_have_its_tags() -> None:
    tree = DepTree(("Le", "chien", "dort", "pour", "toi"), (2, 3, 0, 5, 3), upos=("DET", "NOUN", "VERB", "ADP", "PRON"))
    links = Links(frozenset({(1, 2)}), (3, 5))
    text = ProjectionInput(("miko", "ra", "dali"), tree, links, ("chien", "pour", "manger-PST"), e_language="fr")
    assert foreign_language([text]) == "fr"
    without = replace(text, e=DepTree((), ()), links=Links(frozenset(), (3, 0)), glosses=("chien", "le", "manger-PST"))
    alone = lexicon_of([without], Grams.load_shipped(), "fr")
    assert [alone.tags(word)[0] for word in ("chien", "le", "manger")] == ["NOUN", "DET", "VERB"], "function words too"
    lexicon = lexicon_of([text], Grams.load_shipped(), "fr")
    assert lexicon.tags("pour")[0] == "ADP"
    assert lexicon.tags("le")[0] == "DET"
    assert lexicon.tags("manger")[0] == "VERB"
    assert "pst" not in lexicon
    assert lexicon.tags("lentement") == ("", "", 0)
    undecided = replace(text, glosses=("_", "NEG", "3SG"))
    assert [foreign_language([replace(undecided, e_language=code)]) for code in ("en", "fr")] == ["", "fr"]


def test_words_of_glosses_without_a_pack_have_the_tags_of_what_they_are_in_english(monkeypatch: pytest.MonkeyPatch) -> None:
    from divproj.projection.glossed import facts

    monkeypatch.setattr(facts, "pack", lambda code: None)
    text = ProjectionInput(("miko", "dali"), DepTree((), ()), Links(frozenset(), (2, 0)), ("chien", "manger-PST"))
    lexicon = lexicon_of([text], Grams.load_shipped(), "fr", EnglishLexicon({"dog": ("NOUN", "", 9), "eat": ("VERB", "", 9)}))
    assert [lexicon.tags(word)[0] for word in ("chien", "manger", "pst")] == ["NOUN", "VERB", ""]
    assert lexicon_of([text], Grams.load_shipped(), "fr").words == {}


def test_the_language_of_glosses_is_not_that_of_the_translation() -> None:
    """Glosses in English with a Spanish translation are looked up in English, French ones with an English translation in French."""
    tree = DepTree(("El", "perro", "duerme"), (2, 3, 0), upos=("DET", "NOUN", "VERB"))
    text = ProjectionInput(("dali", "miko"), tree, Links(frozenset(), (2, 3)), ("the.big.dog", "is.sleep-PST"), e_language="es")
    assert foreign_language([text]) == ""
    french = replace(text, glosses=("le.chien", "est.dans.la.maison"), e_language="en")
    assert foreign_language([french]) == "fr"
