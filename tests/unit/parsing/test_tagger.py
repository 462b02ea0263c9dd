"""`Tagger`: learning, search against brute force, saving, what it refuses."""

from __future__ import annotations

import io
import itertools
import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from shared import need

from divproj import ModelError
from divproj.io.trees import conllu
from divproj.parsing import tagger_kernel as kernel
from divproj.parsing.tagger import (
    ATOMS,
    TEMPLATES,
    Tagger,
    TaggerState,
    atoms_of,
    from_levels,
    jackknife,
    key_table,
    pack,
    parts_of,
    tag_classes,
    template_array,
    thin,
    to_levels,
    unpack,
)

NOUNS, VERBS, DETS = ("goat", "hen", "river", "Rosa"), ("sees", "likes", "follows"), ("the", "a", "every")


def toy(n=60, seed=3):
    """Sentences whose tags are plain from the words, and their tags."""
    chance = np.random.default_rng(seed)
    words, tags = [], []
    for _ in range(n):
        pick = [str(chance.choice(kind)) for kind in (DETS, NOUNS, VERBS, DETS, NOUNS)]
        words.append((*pick, "."))
        tags.append(("DET+DT", "NOUN+NN", "VERB+VBZ", "DET+DT", "NOUN+NN", "PUNCT+."))
    return words, tags


@pytest.fixture(scope="module")
def tagger():
    return Tagger(epochs=5).fit(*toy())


def test_learns_and_guesses_unseen_words(tagger):
    assert tagger.predict([("the", "hen", "likes", "a", "badger", ".")]) == [toy()[1][0]]
    assert tagger.score(*toy(20, 9)) == 1.0


def test_nothing_to_tag(tagger):
    assert tagger.predict([]) == []
    assert [len(row) for row in tagger.predict([(), ("hen",), ()])] == [0, 1, 0]


def test_compiled_and_plain_agree(tagger):
    words, _ = toy(100, 5)
    assert sum(map(len, words)) * 8 > 4000 > len(words[0]) * 8
    assert tagger.predict(words)[:20] == [tagger.predict([sentence])[0] for sentence in words[:20]]


def test_same_seed_same_bytes():
    one, two = (Tagger(epochs=3, random_state=7).fit(*toy()).to_arrays() for _ in range(2))
    assert {k: v.tobytes() for k, v in one.items()} == {k: v.tobytes() for k, v in two.items()}


def test_saved_and_loaded(tagger):
    buffer = io.BytesIO()
    np.savez_compressed(buffer, **tagger.to_arrays(), other=np.zeros(3))
    buffer.seek(0)
    again = Tagger.from_arrays(json.loads(json.dumps(tagger.meta())), np.load(buffer, allow_pickle=False))
    assert again == tagger
    assert again.classes_ == tagger.classes_
    words, _ = toy(30, 8)
    assert again.predict(words) == tagger.predict(words)
    assert {k: v.tobytes() for k, v in again.to_arrays().items()} == {k: v.tobytes() for k, v in tagger.to_arrays().items()}


def test_dev_keeps_the_best_pass_and_watch_is_told():
    words, tags = toy()
    seen = []
    Tagger(epochs=3).fit(words, tags, dev=(words[:5], tags[:5]), watch=lambda *told: seen.append(told))
    assert [turn for turn, _, _ in seen] == [1, 2, 3]
    assert all(0 <= right <= 1 and score is not None for _, right, score in seen)


def test_ctrl_c_keeps_what_there_is():
    def stop(turn, right, score):
        raise KeyboardInterrupt

    assert Tagger(epochs=50).fit(*toy(), watch=stop).score(*toy()) > 0.8


def test_one_sentence_and_one_tag():
    assert Tagger().fit([("Oh",)], [("INTJ",)]).predict([("Oh", "no")]) == [("INTJ", "INTJ")]


def test_jackknife_tags_every_sentence_by_others():
    words, tags = toy(12)
    words[3], tags[3] = ("zzz",), ("X",)
    found = jackknife([*words, ()], [*tags, ()], folds=4, epochs=3)
    assert [len(row) for row in found] == [*map(len, words), 0]
    assert found[3] != ("X",)
    assert found[0] == tags[0]
    assert jackknife(words[:1], tags[:1]) == tags[:1]


@pytest.mark.parametrize(
    ("words", "tags", "message"),
    [
        ([], [], "no words to learn tags from"),
        ([()], [()], "no words to learn tags from"),
        ([("a",)], [], "1 sentences but tags for 0"),
        ([("a",), ("b", "c")], [("X",), ("X",)], "sentence 2 has 2 words but 1 tags"),
    ],
)
def test_bad_training_data(words, tags, message):
    with pytest.raises(ModelError, match=message):
        Tagger().fit(words, tags)


def test_params():
    assert Tagger(C=0.5).get_params()["C"] == 0.5
    assert Tagger().set_params(epochs=3).epochs == 3
    with pytest.raises(ModelError, match=r"no parameter 'depth'; it has C, cost"):
        Tagger().set_params(depth=2)


def test_other_versions_are_refused(tagger):
    for change in ({"format": "x"}, {"version": 99}, {"templates": 1}):
        with pytest.raises(ModelError, match="not a tagger of version 1"):
            Tagger.from_arrays({**tagger.meta(), **change}, tagger.to_arrays())


@pytest.mark.parametrize(
    ("name", "change"),
    [
        ("keys", lambda a: a[:-1]),
        ("levels", lambda a: a[:-1]),
        ("columns", lambda a: a + 900),
        ("sizes", lambda a: a + 1),
        ("scale", lambda a: a * np.nan),
        ("scale", lambda a: a[:0]),
        ("triple_places", lambda a: a + 2**30),
        ("classes", None),
    ],
)
def test_broken_weights_are_refused(tagger, name, change):
    arrays = tagger.to_arrays()
    if change:
        arrays["tagger." + name] = change(arrays["tagger." + name])
    else:
        del arrays["tagger." + name]
    with pytest.raises(ModelError, match="weights cannot be used"):
        Tagger.from_arrays(tagger.meta(), arrays)


def test_broken_meta_is_refused(tagger):
    with pytest.raises(ModelError, match="weights cannot be used"):
        Tagger.from_arrays({**tagger.meta(), "params": {"depth": 1}}, tagger.to_arrays())


# the parts


def test_templates():
    assert parts_of("class-1 low class+2") == [(-1, "class"), (0, "low"), (2, "class")]
    assert len(set(TEMPLATES)) == len(TEMPLATES)
    array = template_array()
    assert array[TEMPLATES.index("low-1")][0].tolist() == [-1, ATOMS.index("low")]
    assert (array[TEMPLATES.index("")] == kernel.NONE).all()


@given(st.text(max_size=8))
def test_atoms_of_any_word(word):
    atoms = atoms_of(word, {})
    assert len(atoms) == len(ATOMS)
    assert all(3 <= atom < 2**32 for atom in atoms)


def test_tag_classes_need_enough_words():
    words = [("run", "hen")] * 4 + [("run", "once")]
    tags = [("VERB", "NOUN")] * 4 + [("NOUN", "NOUN")]
    classes = tag_classes(words, tags)
    assert len(classes) == 2
    assert len(set(classes.values())) == 2


@given(st.lists(st.integers(1, 2**32 - 1), unique=True, max_size=40), st.lists(st.integers(1, 2**32 - 1), max_size=9))
def test_table_finds_every_key_and_no_other(keys, others):
    table = key_table(np.array(keys, np.int64))
    for key in [*keys, *others]:
        assert kernel.find(*table, key) == (keys.index(key) if key in keys else -1)


@given(
    st.lists(st.integers(-5, 5), min_size=1, max_size=7), st.integers(-1, 6), st.integers(1, 7), st.sampled_from([1.0, 99.0])
)
def test_likeliest(scores, gold, most, gap):
    gold = min(gold, len(scores) - 1)
    chosen = np.full(min(most, len(scores)), -1, np.int64)
    count = kernel.likeliest(np.array(scores, float), gold, gap, chosen)
    ranked = sorted(range(len(scores)), key=lambda t: (-scores[t], t))
    expected = [t for t in ranked if scores[t] >= max(scores) - gap][: len(chosen)]
    if gold >= 0 and gold not in expected:
        expected = [*expected, gold] if len(expected) < len(chosen) else [*expected[:-1], gold]
    assert chosen[:count].tolist() == expected


@settings(max_examples=40)
@given(st.integers(1, 4), st.integers(1, 3), st.integers(0, 10_000))
def test_search_equals_brute_force(n, K, seed):
    chance = np.random.default_rng(seed)
    tags = K + 1
    likely = np.array([chance.permutation(tags)[:K] for _ in range(n)], np.int64)
    count = chance.integers(1, K + 1, n)
    single, pair = chance.normal(size=(n, K)), chance.normal(size=(n, K, K))
    triple = chance.normal(size=(tags + 1, tags + 1, tags)).astype(np.float32)
    paths = [np.array(p, np.int64) for p in itertools.product(*(range(c) for c in count))]
    best = max(kernel.path_score(likely, single, pair, triple, p) for p in paths)
    for run in (kernel.search, kernel.search.compiled):
        path = np.zeros(n, np.int64)
        assert run(likely, count, single, pair, triple, path) == pytest.approx(best)
        assert kernel.path_score(likely, single, pair, triple, path) == pytest.approx(best)


def test_averages_are_averages():
    words, tags = toy(1)
    tagger = Tagger(C=1e9, drop=0.0, drop_word=0.0, gap=1e9)
    tagger.tags_, tagger.classes_ = sorted(set(tags[0])), {}
    course = TaggerState(tagger, words, tags)
    steps = []
    for turn in range(1, 4):
        course.turn(turn)
        steps.append(course.weights.copy())
    mean = course.weights - course.sums / course.steps[0]
    naive = sum([np.zeros_like(steps[0]), *steps[:-1]]) / 3  # of the weights that each step met
    assert np.allclose(mean, naive, atol=1e-5)


@given(st.lists(st.floats(-2, 2, width=32), min_size=1, max_size=20))
def test_levels_are_near(values):
    array = np.array(values, np.float32)
    back = from_levels(to_levels(array, 2.0), 2.0)
    assert np.abs(back - array).max() <= 0.02
    assert (to_levels(back, 2.0) == to_levels(array, 2.0)).all()


def test_thin_keeps_the_largest(monkeypatch):
    from divproj.parsing import tagger as tagger_weights

    monkeypatch.setattr(tagger_weights, "KEEP", 3)
    mean = np.array([[0, 5, 0.1], [0, 0, 0.2], [3, -4, 0.3]], np.float32)
    weights = thin(np.array([10, 20, 30]), mean, np.zeros((4, 4, 3), np.float32))
    assert weights.keys.tolist() == [10, 30]
    assert weights.values[weights.values != 0].tolist() == pytest.approx([5, -4], rel=0.02)
    again, _ = unpack(pack(weights, {}), 3)
    assert all(
        np.array_equal(getattr(again, k), getattr(weights, k)) for k in ("keys", "starts", "columns", "values", "triple")
    )


def test_english_at_200_sentences():
    rows = itertools.islice(conllu.load(need("ewt/en_ewt-ud-dev.conllu")), 600)
    data = [(sentence.forms, sentence.column(3)) for sentence in rows]
    words, tags = zip(*data, strict=True)
    assert Tagger(epochs=8).fit(words[:400], tags[:400]).score(words[400:], tags[400:]) > 0.83
