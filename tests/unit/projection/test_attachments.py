"""s5 with what other languages tell of attachments."""

import pickle
from dataclasses import replace

import pytest

from divproj.core.links import Links
from divproj.core.tree import DepTree
from divproj.links.word_model import WordAligner
from divproj.parsing.language import pack
from divproj.projection import systems
from divproj.projection.confidence import calibrate
from divproj.projection.direct import ProjectionInput
from divproj.projection.glossed.attachments import S5WithPriors, ud_like
from divproj.projection.phrasal.cues import InducedLinks, e_lemmas
from divproj.projection.phrasal.s5 import S5, PhraseState

E = DepTree(
    ("the", "dog", "saw", "a", "cat"),
    (2, 3, 0, 5, 3),
    ("det", "nsubj", "root", "det", "obj"),
    ("DET", "NOUN", "VERB", "DET", "NOUN"),
)
GLOSSED = ProjectionInput(
    ("ta", "bi", "mu", "ko", "."), E, Links(frozenset({(1, 2), (4, 3)}), (5, 5)), ("dog", "DEF", "cat", "see.PST", "."), "1"
)
BARE = replace(GLOSSED, glosses=())


@pytest.fixture(scope="module")
def state() -> PhraseState:
    return S5WithPriors().adapt([GLOSSED])


def test_system_s5_is_attached():
    assert isinstance(systems.make("s5"), S5WithPriors)
    found = systems.train("s5", [], text=[GLOSSED])(GLOSSED)
    assert found == S5WithPriors().project(GLOSSED)


def test_a_glossed_sentence_has_tags_and_relations(state: PhraseState):
    found = S5WithPriors().project(GLOSSED, state)
    assert found.heads[3] == 0
    assert found.heads[1] == 1
    assert found.upos == ("NOUN", "DET", "NOUN", "VERB", "PUNCT")
    assert (found.deprels[1], found.deprels[3], found.deprels[4]) == ("det", "root", "punct")
    assert all(0 <= p <= 1 for p in found.confidence)


def test_without_glosses_tags_are_those_given_or_linked():
    given = replace(BARE, tags=("NOUN", "DET", "NOUN", "VERB", "PUNCT"))
    assert S5WithPriors().project(given).upos == given.tags
    found = S5WithPriors().project(replace(BARE, links=Links(frozenset(), (5, 0)), e=DepTree((), ())))
    assert found.upos == ("_", "_", "_", "_", "PUNCT")


def test_words_that_only_the_user_has_linked_take_their_heads_from_the_translation():
    def told(bitext: ProjectionInput) -> list[bool]:
        state = S5WithPriors().adapt([bitext])
        scores = state.priors.scores(state.links.of(bitext))[:4, 1:]  # without the mark, which governs nothing
        return [bool(column.any()) for column in scores.T[:4]]

    assert told(GLOSSED) == [True] * 4
    assert told(BARE)[0] is told(BARE)[3] is False
    guessed = replace(BARE.links, weights=tuple((link, 0.9) for link in sorted(BARE.links)))
    assert told(replace(BARE, links=guessed))[0]
    assert told(replace(BARE, tags=("NOUN", "DET", "NOUN", "VERB", "PUNCT"))) == [True] * 4


def test_no_word_is_punctuation_because_the_translation_ends_with_a_full_stop():
    e = DepTree((*E.forms, "."), (*E.heads, 3), (*E.deprels, "punct"), (*E.upos, "PUNCT"))
    for k in range(8):
        text = [ProjectionInput(("ta", "mu", f"ko{k}"), e, Links(frozenset(), (3, 6)), sent_id=str(n)) for n in range(3)]
        system = S5WithPriors()
        assert "PUNCT" not in system.project(text[0], system.adapt(text)).upos


def test_a_sentence_that_was_not_observed_is_read_when_it_comes(state: PhraseState):
    for late in (replace(GLOSSED, forms=("ta", "bi", "so", "ko", ".")), BARE):
        assert S5WithPriors().project(late, state).heads.count(0) == 1
    assert len(state.priors.readings) == 1


def test_part_of_a_text_travels(state: PhraseState):
    system, part = pickle.loads(pickle.dumps((S5WithPriors(), state.part([GLOSSED]))))
    assert system.project(GLOSSED, part) == S5WithPriors().project(GLOSSED, state)


def test_trees_of_another_style_are_left_alone():
    other = replace(GLOSSED, e=replace(E, deprels=("dep", "dep", "root", "dep", "dep")))
    assert ud_like([GLOSSED])
    assert not ud_like([other])
    assert S5WithPriors().project(other) == S5().project(other)


def test_labels_of_the_user_limit_the_tags():
    labels = ("n", "art", "n", "v-v:(TAM)", "_")
    found = S5WithPriors().project(replace(BARE, labels=labels))
    assert found.upos == ("NOUN", "DET", "NOUN", "VERB", "PUNCT")
    wanted = replace(GLOSSED, labels=("v", "det", "v", "n", "_"))
    assert S5WithPriors().project(wanted).upos[:4] == ("VERB", "DET", "VERB", "NOUN")


def test_labels_of_another_tag_set_say_nothing():
    strange = replace(GLOSSED, labels=("Q1", "Q2", "n", "Q3", "Q4"))
    assert S5WithPriors().project(strange).upos == S5WithPriors().project(GLOSSED).upos


SPANISH = [
    ("perro", "ladra", "mi"),
    ("perro", "ladró", "ko"),
    ("gato", "ladraba", "su"),
    ("gato", "ladrando", "ta"),
    ("niño", "duerme", "mi"),
]
"""Noun, form of a verb, and a word of F that goes with neither: the forms of *ladrar* are four words and one lemma."""
NOUNS = {"perro": "wanu", "gato": "misi", "niño": "oka"}


def spanish_text() -> list[ProjectionInput]:
    rows = []
    for k in range(20):
        noun, verb, other = SPANISH[k % 5]
        e = DepTree(("el", noun, f"{verb}"), (2, 3, 0), ("det", "nsubj", "root"), ("DET", "NOUN", "VERB"))
        forms = (NOUNS[noun], other, "soru" if verb == "duerme" else "tapi")
        rows.append(ProjectionInput(forms, e, Links(frozenset(), (3, 3)), sent_id=str(k), e_language="es"))
    return rows


@pytest.mark.skipif(pack("es") is None, reason="the Spanish pack is not installed")
def test_lemmas_of_the_translation():
    barked, *_ = (b for b in spanish_text() if "ladraba" in b.e.forms)
    assert e_lemmas(barked) == ("el", "gato", "ladrar")
    given = replace(barked, e=replace(barked.e, lemmas=("el", "gato", "_")))
    assert e_lemmas(given) == ("el", "gato", "ladraba"), "lemmas of the file go before those of the pack"
    assert e_lemmas(replace(barked, e_language="")) == e_lemmas(replace(barked, e_language="xx")) == barked.e.forms


@pytest.mark.skipif(pack("es") is None, reason="the Spanish pack is not installed")
def test_text_without_glosses_is_linked_with_words_and_with_lemmas():
    text = spanish_text()
    links = InducedLinks.with_lemmas()
    both = [pair.probabilities for pair in links.observe(text)]
    views = [
        WordAligner(threshold=0.0).fit_align([(b.forms, words) for b, words in zip(text, e, strict=True)])
        for e in ([b.e.forms for b in text], [*map(e_lemmas, text)])
    ]
    for b, probabilities, *linked in zip(text, both, *views, strict=True):
        mean = {link: sum(view.probabilities[link] for view in linked) / 2 for link in linked[0].probabilities}
        assert set(probabilities) <= {link for link, p in mean.items() if p > 0.09}, b.sent_id
        assert all(p == pytest.approx(mean[link], abs=0.051) for link, p in probabilities.items())
    late = replace(text[0], forms=("wanu", "zz", "tapi"))
    assert links.of(late).probabilities == {link: p for link, p in links.of(late).probabilities.items() if p >= 0.1}, (
        "a sentence that comes later is aligned in both ways, too"
    )
    state = S5WithPriors().adapt(text)
    assert state.links.lemma_aligner.counts_
    assert S5WithPriors().adapt([replace(b, glosses=("dog", "", "")) for b in text]).links.lemma_aligner is None


def test_a_word_without_a_gloss_has_the_tag_of_its_type():
    """One of eight links of *mu* is with a verb, and is not believed; links made by hand are."""
    e = DepTree(("dogs", "run"), (2, 0), ("nsubj", "root"), ("NOUN", "VERB"))
    for by_hand in (False, True):
        text = []
        for k in range(8):
            links = {(1, 1), (2, 2)} if k else {(1, 2), (2, 1)}
            weights = () if by_hand else tuple((link, 0.9) for link in sorted(links))
            forms = ("mu", "ko" if k else "so")
            text.append(ProjectionInput(forms, e, Links(frozenset(links), (2, 2), weights=weights), sent_id=str(k)))
        system = S5WithPriors()
        state = system.adapt(text)
        tags = [system.project(b, state).upos[0] for b in text]
        assert tags == ["VERB" if by_hand else "NOUN", *["NOUN"] * 7]


@pytest.mark.skipif(pack("es") is None, reason="the Spanish pack is not installed")
def test_links_that_the_text_suggests_are_those_of_the_projection():
    """Of text without glosses: so it is called projected, is drawn with them, and has a confidence by a map of its own."""
    text, system = spanish_text(), S5WithPriors()
    state = system.adapt(text)
    projection = system.project(text[0], state)
    assert projection.coverage > 0.5
    assert {link for link, _ in projection.sentence.links.weights} == projection.sentence.links.links
    assert calibrate(projection, "s5").calibrated == "s5 without glosses, not in English"
    by_hand = replace(text[0], links=Links.of([(1, 2), (3, 3)], (3, 3)))
    assert system.project(by_hand, state).sentence.links == by_hand.links
    assert calibrate(system.project(by_hand, state), "s5").calibrated == "s5"
    glossed = replace(text[0], glosses=("dog", "", "bark"))
    assert calibrate(system.project(glossed, system.adapt([glossed])), "s5").calibrated == "s5"
