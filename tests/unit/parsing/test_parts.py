"""Sentences too long to be parsed as one are parsed in parts."""

from __future__ import annotations

import numpy as np
import pytest
from toybank import TREEBANK

from divproj.core.errors import LONGEST_SENTENCE, PARSED_WHOLE, PART, Faults, FormatError, ModelError, Where
from divproj.io.trees import forest, forests
from divproj.parsing import batch
from divproj.parsing.batch import blank
from divproj.parsing.language import EdgeProbabilities, Language, forest_of, several
from divproj.text.tokenizer import Token


@pytest.fixture(scope="module")
def language():
    return Language.train(TREEBANK[:8], bits=10, epochs=1)


def words(count):
    text = " ".join(["a"] * (count - 1) + ["."])
    return blank(text, [Token(2 * k, 2 * k + 1, (text[2 * k],)) for k in range(count)], "1", Where("x", 1))


def test_a_long_sentence_is_one_tree(language):
    sentence = words(PARSED_WHOLE + PART)
    [found] = language.annotate([sentence])
    tree = found.tree  # raises where it is none
    assert sum(head == 0 for head in tree.heads) == 1
    assert tree.deprels.count("parataxis") >= (PARSED_WHOLE + PART) // PART - 1
    assert all("ParseConf=" in misc for misc in found.column(9))
    assert list(several(language, found, 3)) == [found]
    assert forest_of(language, found).forms == found.forms


def test_long_sentences_are_tagged_in_parts(language, monkeypatch):
    """A network's memory grows with the square of a sentence."""
    sizes = []
    predict = language.tagger.predict
    monkeypatch.setattr(language.tagger, "predict", lambda given: (sizes.extend(map(len, given)), predict(given))[1])
    long, short = ("a",) * (PARSED_WHOLE + 1), ("a", ".")
    tags = language.tag([long, short])
    assert [len(own) for own in tags] == [len(long), len(short)]
    assert max(sizes) <= PART
    assert sum(sizes) == len(long) + len(short)


def test_endless_sentences_have_no_forest(language, monkeypatch):
    monkeypatch.setattr(batch, "language", lambda how: language)
    noted = Faults(strict=False)
    made = batch.parse_batch(batch.Parsing(None, None, "", forest=True), [words(LONGEST_SENTENCE + 1), words(3)], noted)
    assert len(made.forests.splitlines()) == 1
    assert f"x:1 (sent_id 1): {LONGEST_SENTENCE + 1} words: no forest of more than {LONGEST_SENTENCE}; cut it into" in str(
        noted.noted[0]
    )


def test_chances_of_parts():
    a, b = np.arange(9.0).reshape(3, 3), np.arange(16.0).reshape(4, 4) + 100
    chances = EdgeProbabilities((a, b))
    assert chances[1, 2] == a[1, 2]
    assert chances[4, 3] == b[2, 1]
    assert chances[1, 4] == b[0, 2], "a root that depends on the first part"
    with pytest.raises(IndexError):
        chances[0, 6]


def test_forests_of_endless_sentences_are_refused():
    flat = "(S " + "(N a) " * (LONGEST_SENTENCE + 1) + ")"
    message = f"{LONGEST_SENTENCE + 1} words, at most {LONGEST_SENTENCE} expected; cut it into sentences"
    with pytest.raises(FormatError, match=message):
        forests.forests_of(flat)
    with pytest.raises(FormatError, match=message):
        forests.forests_of("".join(f"{k}\ta\t_\t_\t_\t_\t{k - 1}\tdep\t_\t_\n" for k in range(1, LONGEST_SENTENCE + 2)) + "\n")
    noted = Faults(strict=False)
    assert forests.forests_of(flat + "\n(S (N a))", faults=noted)[0].forms == ("a",)
    assert noted.sentences == 1
    whole = forest.dumps(forests.forests_of("(S (N a))")[0])
    with pytest.raises(FormatError, match=message):
        forest.loads(whole.replace('["a"]', str(["a"] * (LONGEST_SENTENCE + 1)).replace("'", '"')))


def test_a_damaged_tagger_names_the_folder(language, tmp_path, monkeypatch):
    language.save(tmp_path / "model")
    meta = language.tagger.meta()
    monkeypatch.setattr(type(language.tagger), "meta", lambda self: {**meta, "version": 0})
    language.save(tmp_path / "model")
    with pytest.raises(ModelError, match=f"{tmp_path / 'model'}: not a tagger of version"):
        Language.load(tmp_path / "model")
