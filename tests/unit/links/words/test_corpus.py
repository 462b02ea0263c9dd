"""Long texts in shards: the same links wherever they are worked on, and counts that travel."""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from divproj.core.errors import AlignmentError, ModelError
from divproj.links import word_model
from divproj.links.word_corpus import Column, Shard, WordRow, WordText, _pack_links, _unpack_links, align_text
from divproj.links.word_direction import Prior, Settings
from divproj.links.word_model import Counts, ScoredLinks, Tally, WordAligner
from divproj.runtime.checkpoint import Checkpoint
from divproj.runtime.engine import Workers

LEXICON = {"das": "the", "haus": "house", "buch": "book", "ein": "a", "mann": "man", "liest": "reads", "sieht": "sees"}
FEW = Settings(sweeps=8, burn_in=2)


def rows(count: int = 90, seed: int = 1) -> list[WordRow]:
    chance = random.Random(seed)
    made = []
    for _ in range(count):
        f = [chance.choice([*LEXICON]) for _ in range(chance.randint(1, 6))]
        made.append(WordRow(f, [LEXICON[word] for word in f]))
    return made


def aligned(text: WordText, **more) -> tuple[list[ScoredLinks], WordAligner]:
    aligner = WordAligner(settings=FEW)
    return [linked for shard in align_text(aligner, text, **more) for linked in shard], aligner


def test_one_shard_is_what_fit_align_does():
    some = rows()
    found, aligner = aligned(WordText.of(some))
    twin = WordAligner(settings=FEW)
    assert found == twin.fit_align([(row.f, row.e) for row in some])
    assert aligner.counts_ == twin.counts_


def test_shards_give_the_same_links_here_and_in_processes():
    text = WordText.of([*rows(), WordRow([], ["nothing"]), WordRow(["x"] * 500, ["y"])], 20)
    assert (text.shard_count, text.pairs, text.usable, text.too_long) == (5, 92, 90, 1)
    here, learned = aligned(text)
    there, also = aligned(text, workers=Workers(jobs=2))
    assert here == there
    assert learned.counts_ == also.counts_
    assert [linked.shape for linked in here[-2:]] == [(0, 1), (500, 1)]
    assert not here[-1].probabilities
    right = sum((i, i) in linked.probabilities for linked in here[:-2] for i in range(1, linked.shape[0] + 1))
    assert right > 0.9 * sum(linked.shape[0] for linked in here[:-2])


def test_what_other_shards_taught_is_known():
    """A shard of a single pair cannot say which words belong together; the others can."""
    lone = WordRow(["mann", "buch"], ["book", "man"])
    alone, _ = aligned(WordText.of([lone]))
    found, _ = aligned(WordText.of([*rows(60), lone], 60))
    assert found[-1].probabilities.keys() == {(1, 2), (2, 1)} != alone[0].probabilities.keys()


def test_aligning_alone_changes_no_model():
    text = WordText.of(rows(), 30)
    _, aligner = aligned(text)
    before = dict(aligner.counts_)
    list(align_text(aligner, text, learn=False))
    assert aligner.counts_ == before
    list(align_text(aligner, text))
    assert sum(aligner.counts_.values()) > 1.5 * sum(before.values())


def test_lemmas_and_tags_go_with_their_shards():
    some = [row._replace(lemmas=(row.f, row.e), tags=(["X"] * len(row.f), ["_"] * len(row.e))) for row in rows(40)]
    text = WordText.of(some, 15)
    assert (text.lemmas, text.tags) == (True, False), "tags are of no use where one side has none"
    shards = list(text.shards())
    assert [len(shard.pairs()) for shard in shards] == [15, 15, 10]
    assert shards[1].lemmas is not None
    assert shards[1].lemmas[0].sentences() == [row.f for row in some[15:30]]
    assert shards[1].tags is None
    assert len(aligned(text)[0]) == 40


def test_a_text_that_shrinks_is_noticed():
    text = WordText.of(rows(30), 20)
    with pytest.raises(AlignmentError, match="the text is shorter than when it was read first; leave it as it is"):
        aligned(replace(text, rows=rows(25)))


def test_stems_of_known_words_help_other_forms():
    """The dictionary knows the singular, the text has the plural."""
    pair = (["gartens", "blumen"], ["flowers", "gardens"])
    settings = Settings(sweeps=60, burn_in=10)
    found = WordAligner(settings=settings).fit_align([pair], {("garten", "garden"): 4.0, ("blume", "flower"): 4.0})[0]
    assert found.probabilities.keys() == {(1, 2), (2, 1)}


def test_shards_that_are_done_are_not_done_again(tmp_path, monkeypatch):
    text = WordText.of(rows(60), 20)
    expected, learned = aligned(text)
    real, done = word_model.WordAligner.learn, []

    def learn(*args, **options):
        if len(done) == 4:
            raise KeyboardInterrupt
        done.append(1)
        return real(*args, **options)

    monkeypatch.setattr(word_model.WordAligner, "learn", learn)
    with pytest.raises(KeyboardInterrupt):
        aligned(text, checkpoint=Checkpoint(tmp_path / "kept", seconds=0))
    assert {path.stem for path in (tmp_path / "kept").glob("*.npz")} == {"learned-1", "learned-2", "learned-3", "linked-1"}
    done[:] = [1, 1]
    found, again = aligned(text, checkpoint=Checkpoint(tmp_path / "kept", resume=True, seconds=0))
    assert found == expected
    assert again.counts_ == learned.counts_
    assert len(done) == 4, "two shards were left to link"
    with pytest.raises(ModelError, match="the checkpoint is of other data or other settings"):
        aligned(WordText.of(rows(60, 3), 20), checkpoint=Checkpoint(tmp_path / "kept", resume=True))


@pytest.mark.parametrize(
    ("part", "name", "value"),
    [
        ("learned-1", "words-rows", np.array([9999])),
        ("learned-1", "stems-f", np.array([255], np.uint8)),
        ("linked-1", "sizes", np.array([-1])),
        ("linked-1", "places", np.array([1, 2])),
        ("linked-1", "chances", None),
    ],
)
def test_kept_shards_that_cannot_be_are_refused(tmp_path, part, name, value):
    text, here = WordText.of(rows(20), 10), tmp_path / "kept"
    aligned(text, checkpoint=Checkpoint(here, seconds=0))
    kept = Checkpoint(here, resume=True, seconds=0)
    aligned(text, checkpoint=kept)
    arrays = dict(kept.read(part))
    arrays.pop(name) if value is None else arrays.update({name: value})
    kept.finish(part, arrays)
    with pytest.raises(ModelError, match="a broken checkpoint: ") as error:
        aligned(text, checkpoint=Checkpoint(here, resume=True))
    assert error.value.remedy == "start without `resume`"


def test_ctrl_c_ends_a_text_of_many_shards(monkeypatch):
    def wait(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr(word_model, "wait", wait)
    with pytest.raises(KeyboardInterrupt):
        aligned(WordText.of(rows(40), 20))


words = st.text("abcß ", max_size=3)
known = st.dictionaries(st.tuples(words, words), st.floats(0.01, 9), max_size=12)


@given(known)
def test_counts_travel(counts):
    made = Counts.of(counts)
    assert made.to_dict() == counts
    assert Counts.from_arrays(made.arrays("x"), "x").to_dict() == counts


@given(st.lists(known, min_size=1, max_size=4), st.sets(words), st.sets(words), st.data())
def test_sums_without_a_part_against_plain_dictionaries(parts, f, e, data):
    tally = Tally()
    for part in parts:
        tally.add(Counts.of(part))
    left_out = data.draw(st.none() | st.integers(0, len(parts) - 1))
    expected: Counter[tuple[str, str]] = Counter()
    for k, part in enumerate(parts):
        if k != left_out:
            expected.update({pair: count for pair, count in part.items() if pair[0] in f and pair[1] in e})
    assert tally.between((f, e), left_out).to_dict() == pytest.approx(dict(expected))
    assert tally.counts().to_dict() == pytest.approx(dict(sum(map(Counter, parts), Counter())))


@given(st.lists(st.lists(words, max_size=4), max_size=4))
def test_columns_come_back(sentences):
    assert Column.of(sentences).sentences() == sentences
    assert Shard.of([WordRow(s, s) for s in sentences], False, False).pairs() == [(s, s) for s in sentences]


@given(st.dictionaries(st.tuples(st.integers(1, 5), st.integers(1, 5)), st.floats(0.1, 9), max_size=9))
def test_priors_of_cells(counts):
    cells = [(i, j) for i in range(1, 6) for j in range(1, 6)]
    src, tgt = np.array(cells).T
    assert Prior.of(counts).counts(src, tgt).tolist() == [counts.get(cell, 0.0) for cell in cells]


@given(st.lists(st.dictionaries(st.tuples(st.integers(1, 4), st.integers(1, 4)), st.floats(0, 1), max_size=5), max_size=5))
def test_links_travel(found):
    links = [ScoredLinks(chances, (4, 4)) for chances in found]
    assert _unpack_links(_pack_links(links)) == links
