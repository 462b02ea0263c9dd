"""Glosses made for treebanks without glosses."""

import sys
from pathlib import Path

import numpy as np

from divproj.core.tree import DepTree
from divproj.io.trees import conllu
from divproj.links.grams import Grams
from divproj.parsing.tagger import Lemmatizer
from divproj.ud.rows import features, shipped_grams

FOLDER = str(Path(__file__).resolve().parents[3] / "train" / "glossed")
sys.path.insert(0, FOLDER)  # not longer than for these imports: other programs of train have modules of the same names
import glossing  # noqa: E402
from banks import may_see  # noqa: E402
from glossing import Glosser, Style, grams_by_feature  # noqa: E402

sys.path.remove(FOLDER)

TEXT = """# text_en = The dogs didn't see us.
1	hundarna	hund	NOUN	_	Case=Nom|Definite=Def|Number=Plur	2	nsubj	_	_
2	såg	se	VERB	_	Mood=Ind|Number=Sing|Person=3|Tense=Past	0	root	_	_
3	inte	inte	PART	_	Polarity=Neg	2	advmod	_	_
4	oss	vi	PRON	_	Case=Acc|Number=Plur|Person=1|PronType=Prs	2	obj	_	_
5	.	.	PUNCT	_	_	2	punct	_	_

"""
ENGLISH = DepTree(
    ("The", "dogs", "did", "n't", "see", "us", "."),
    (2, 5, 5, 5, 0, 5, 5),
    ("det", "nsubj", "aux", "advmod", "root", "obj", "punct"),
    ("DET", "NOUN", "AUX", "PART", "VERB", "PRON", "PUNCT"),
)
LEMMAS = ("the", "dog", "do", "not", "see", "we", ".")
ALL = frozenset({"Tense", "Number", "Case", "Definite"})
LINKS = {1: 2, 2: 5, 3: 4, 4: 6}


def glosses_of(style: Style, links: dict[int, int] = LINKS, partners: dict[str, str] | None = None) -> tuple[str, ...]:
    [rows] = conllu.loads(TEXT)
    english = {"NOUN": ["stone"], "VERB": ["go"]}
    glosser = Glosser(style, grams_by_feature(Grams.load_shipped()), partners or {}, english, np.random.default_rng(1))
    return glosser.sentence(rows, ENGLISH, LEMMAS, links)


class TestGlosser:
    def test_grams_for_everything(self):
        style = Style("-", ALL, pronouns=True, function=True, persons=True, forms=False, capitalised=False)
        assert glosses_of(style) == ("dog-DEF-PL", "see-PST-3SG", "NEG", "1PL.ACC", ".")

    def test_english_words_alone(self):
        style = Style("-", frozenset(), pronouns=False, function=False, persons=False, forms=True, capitalised=False)
        assert glosses_of(style) == ("dogs", "see", "n't", "us", ".")

    def test_dots_and_capitalised_grams(self):
        style = Style(".", ALL, pronouns=True, function=True, persons=False, forms=False, capitalised=True)
        assert glosses_of(style) == ("dog.Def.Pl", "see.Pst", "Neg", "1PlAcc", ".")

    def test_words_without_a_link_have_their_partner_or_any_word_of_their_tag(self):
        style = Style("-", frozenset(), pronouns=False, function=False, persons=False, forms=False, capitalised=False)
        assert glosses_of(style, {}, {"hund": "hound"}) == ("hound", "go", "indeed", "1PL", ".")

    def test_glosses_are_read_back_as_the_features_they_were_made_of(self):
        style = Style("-", ALL, pronouns=True, function=True, persons=False, forms=False, capitalised=False)
        glosses = glosses_of(style)
        assert features(glosses[0], "NOUN", shipped_grams()) == "Definite=Def|Number=Plur"
        assert features(glosses[1], "VERB", shipped_grams()) == "Tense=Past"


def test_a_style_is_that_of_its_seed():
    assert Style.draw(np.random.default_rng(4)) == Style.draw(np.random.default_rng(4))
    assert len({Style.draw(np.random.default_rng(seed)) for seed in range(30)}) > 20


def test_only_mutual_links_between_words_of_a_kind():
    rows = [*conllu.loads(TEXT)]
    lemmas = Lemmatizer().fit(zip(ENGLISH.forms, ENGLISH.upos, LEMMAS, strict=True))
    [glosses] = glossing.gloss(rows, [ENGLISH], lemmas, Grams.load_shipped(), 3)
    assert len(glosses) == 5
    assert glosses[4] == "."
    assert all(glosses)
    assert glossing._mutual({(1, 1): 0.9, (2, 1): 0.5, (2, 2): 0.4, (3, 2): 0.6}) == {1: 1, 3: 2}


def test_relatives_of_a_group_stay_out():
    from divproj.projection.glossed.training import GlossedTreebank

    turkish = GlossedTreebank("tr*0", "Turkic", [], [], tagged=False)
    assert not may_see("Turkic", turkish)
    assert may_see("Chibchan", turkish)
    assert may_see("all", turkish)
    assert not may_see("Turkic", GlossedTreebank("kir", "Turkic", [], []))
