"""The networks of the gloss model, with weights drawn at random, and s6 corrected by gold trees of the language."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from unit.projection.test_universal import ENGLISH, bank, sentence

from divproj.core.errors import ModelError
from divproj.core.links import Links
from divproj.core.pair import Pair
from divproj.core.tree import DepTree
from divproj.links.grams import Grams
from divproj.projection import systems
from divproj.projection.candidates import TagLexicon
from divproj.projection.correction import HeadModel
from divproj.projection.direct import ProjectionInput
from divproj.projection.glossed.corrected import REL_OF, TAG_OF, HeldOutGains, S6Plus
from divproj.projection.glossed.facts import Glosses
from divproj.projection.glossed.model import COLUMNS, EDGE, ORDER, GlossModel, GlossNetwork, GramNumbers, shapes, word_order
from divproj.projection.glossed.s6 import S6
from divproj.projection.glossed.training import learn
from divproj.projection.rules import learn as learn_rules
from divproj.projection.systems import AdaptedSystem
from divproj.ud.tagsets import LABELS, UPOS

NAMES = GramNumbers(("PST", "ACC", "DEF"), ("tense", "core", "article"))


def network(seed: int = 1) -> GlossNetwork:
    chance = np.random.default_rng(seed)
    sizes = shapes(8, len(NAMES.grams), len(NAMES.kinds))
    return GlossNetwork.of({name: chance.normal(0, 0.2, shape) for name, shape in sizes.items()}, 3, 3)


@pytest.fixture(scope="module")
def linear() -> GlossModel:
    return learn([bank("a", "SVO"), bank("b", "SOV"), bank("c", "VSO")], ENGLISH, Grams.load_shipped())[0]


@pytest.fixture
def model(linear: GlossModel) -> GlossModel:
    return GlossModel(
        linear.english, linear.tagger, linear.plain, linear.linked, linear.labels, names=NAMES, networks=(network(), network(2))
    )


def test_readings_are_probabilities(model: GlossModel) -> None:
    some = [sentence("SVO", "dog", "see", k)[0] for k in range(2)]
    state = S6(model).adapt(some)
    read = state.analyses[some[0]]
    assert read.sentence is not None
    assert read.sentence.columns.shape == (4, len(COLUMNS))
    assert (read.sentence.columns < list(COLUMNS.values())).all()
    assert (read.sentence.edges < np.array(list(EDGE.values()))[:, None, None]).all()
    assert np.isclose(read.sentence.phrases.sum(0)[1:], 1).all()
    for found in read.readings:
        assert found.tags.shape == (4, len(UPOS))
        assert np.allclose(found.tags.sum(1), 1, atol=1e-5)
        assert np.allclose(np.exp(found.edges[:, 1:]).sum(0), 1, atol=1e-4)
        labels = model.networks[0].relations(found, read.sentence, [2, 3, 0, 3])
        assert labels.shape == (4, len(LABELS))
        assert np.allclose(labels.sum(1), 1, atol=1e-5)
    assert np.allclose(S6(model).mix(read).sum(0)[1:], 1)


def test_company_changes_nothing(model: GlossModel) -> None:
    states = [S6(model).adapt([sentence(order, "dog", "see", 0)[0]]) for order in ("SVO", "SOV")]
    inputs = [a.sentence for state in states for a in state.analyses.values() if a.sentence is not None]
    order = word_order(inputs)
    assert order.shape == (ORDER,)
    together, alone = network().read(inputs, order), [network().read([s], order)[0] for s in inputs]
    for a, b in zip(together, alone, strict=True):
        assert np.allclose(a.edges, b.edges, atol=1e-5)


def test_given_tags_reach_the_network(model: GlossModel) -> None:
    bitext, _ = sentence("SVO", "dog", "see", 0)
    given = ProjectionInput(bitext.forms, bitext.e, bitext.links, bitext.glosses, "", ("_", "PROPN", "_", "_", "_"))
    system = AdaptedSystem.to(S6(model), [given])
    assert system.state.analyses[given].readings[0].tags[1, UPOS.index("PROPN")] > 0.95
    assert system.project(given).upos[1] == "PROPN"


def test_labels_of_the_user_reach_the_network(model: GlossModel) -> None:
    bitext = ProjectionInput.of(gold("SVO", 5))
    given = replace(bitext, labels=("_", "v", *("n",) * (len(bitext) - 2)))
    system = AdaptedSystem.to(S6(model), [given])
    chances = system.state.analyses[given].readings[0].tags
    assert chances[1, [UPOS.index("VERB"), UPOS.index("AUX")]].sum() > 0.5
    assert chances[2, [UPOS.index("NOUN"), UPOS.index("PROPN")]].sum() > 0.5
    assert system.project(given).upos[1] in ("VERB", "AUX")


def test_without_glosses_or_translation(model: GlossModel) -> None:
    bitext, _ = sentence("SVO", "dog", "see", 0)
    bare = ProjectionInput(bitext.forms, bitext.e, bitext.links)
    alone = ProjectionInput(bitext.forms, DepTree((), ()), Links(frozenset(), (5, 0)), bitext.glosses)
    mark = ProjectionInput(("!",), DepTree((), ()), Links(frozenset(), (1, 0)))
    for given in (bare, alone, mark):
        found = S6(model).project(given)
        assert sorted(found.heads).count(0) == 1


def test_saved_and_loaded(model: GlossModel, tmp_path: Path) -> None:
    model.save(tmp_path / "m")
    again = GlossModel.load(tmp_path / "m")
    assert again.names == NAMES
    assert len(again.networks) == 2
    assert np.abs(again.networks[1].weights["product"] - model.networks[1].weights["product"]).max() < 0.01


def test_damaged_network() -> None:
    weights = dict(network().weights)
    del weights["product"]
    with pytest.raises(ModelError, match="array 'product' of the network is missing"):
        GlossNetwork.of(weights, 3, 3)
    with pytest.raises(ModelError, match="'grams' of the network is"):
        GlossNetwork.of(network().weights, 4, 3)


def test_roles_of_bare_grams() -> None:
    apart = Glosses(Grams.load_shipped(), ENGLISH)
    assert [apart(g).role for g in ("3SG.PST", "PST", "3SG", "ACC", "DEF", "dog-PL")] == [
        "aux",
        "aux",
        "pron",
        "case",
        "det",
        "",
    ]
    assert apart("AUXFUT").grams == ("AUX", "FUT")
    assert apart("auxeat").words == ("eat",)
    assert apart("negate").words == ("negate",)


def gold(order: str, k: int) -> Pair:
    bitext, tree = sentence(order, ("dog", "cat")[k % 2], ("see", "eat")[k // 2 % 2], k)
    return Pair(tree, bitext.e, bitext.links, bitext.sent_id, glosses=bitext.glosses)


def odd(k: int) -> Pair:
    """An annotator who hangs articles on the verb and calls them `discourse`."""
    pair = gold("SVO", k)
    heads = tuple(3 if form.startswith("d") else h for form, h in zip(pair.f.forms, pair.f.heads, strict=True))
    rels = tuple("discourse" if form.startswith("d") else r for form, r in zip(pair.f.forms, pair.f.deprels, strict=True))
    return Pair(DepTree(pair.f.forms, heads, rels, pair.f.upos), pair.e, pair.links, pair.sent_id, glosses=pair.glosses)


def test_corrected_learns_and_starts_from_s6(linear: GlossModel) -> None:
    given = ProjectionInput.of(gold("SVO", 5))
    plain = S6(linear).project(given)
    assert S6Plus({}, TagLexicon(), S6(linear)).project(given).heads == plain.heads
    pairs = [odd(k) for k in range(8)]
    learned = S6Plus.fit(pairs, base=S6(linear))
    state = learned.adapt([*map(ProjectionInput.of, pairs)])
    found = learned.project(ProjectionInput.of(pairs[0]), state)
    assert found.heads == pairs[0].f.heads
    assert found.deprels[0] == "discourse"
    chances = learned.edge_probabilities(ProjectionInput.of(pairs[0]), state)[1]
    assert np.allclose(chances.sum(0)[1:], 1)


def test_rules_of_another_system() -> None:
    pairs = [gold("SVO", k) for k in range(2)]
    rules = systems.Corrections(learn_rules(pairs), HeadModel())
    with pytest.raises(ModelError, match=r"the rules were learned for s2\+, and cannot be used by s6\+"):
        systems.projector("s6+", rules)
    with pytest.raises(ModelError, match="needs rules"):
        systems.projector("s6+")


def test_what_harms_is_left_out() -> None:
    weights = {"some edge": 2.0, f"{TAG_OF}ta = DET": 1.0, f"{TAG_OF}so = ADV": 3.0, f"{REL_OF}ta = det": 4.0}
    assert HeldOutGains().select(weights) == weights
    judged = HeldOutGains(
        np.array([-10.0, -9.0, -8.0, -9.5, -12.0]),
        np.array([9, 9, 9, 8, 7]),
        {TAG_OF: np.array([-1, -1, 0, 0, 0]), REL_OF: np.array([-2, -2, -1, -1, -1])},
    )
    assert judged.select(weights) == {"some edge": 1.0, f"{TAG_OF}so = ADV": 3.0}
    judged.edges[0] = 0.0
    judged.forms[TAG_OF][:] = -1
    assert judged.select(weights) == {}


def test_gold_trees_without_a_pattern_do_no_harm(linear: GlossModel) -> None:
    """Words of every sentence hang by chance, so no sentence teaches anything of another."""
    chance = np.random.default_rng(3)
    pairs = []
    for k in range(10):
        pair = gold("SVO", k)
        top = int(chance.integers(1, len(pair.f.forms) + 1))
        heads = tuple(0 if c == top else top for c in range(1, len(pair.f.forms) + 1))
        pairs.append(Pair(replace(pair.f, heads=heads), pair.e, pair.links, f"{k}"))
    shown = [ProjectionInput.of(pair) for pair in pairs]
    base = S6(linear)
    state, learned = base.adapt(shown), S6Plus.fit(pairs, base=base)
    right, before = (
        sum(
            a == b
            for p, s in zip(pairs, shown, strict=True)
            for a, b in zip(p.f.heads, system.project(s, state).heads, strict=True)
        )
        for system in (learned, base)
    )
    assert right >= before
