"""Several sources, from Python."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

import divproj as dp
from divproj.core.errors import Faults
from divproj.core.pair import Pair
from divproj.io.corpus import Corpus
from divproj.io.trees import conllu
from divproj.parsing.language import pack
from divproj.projection.direct import ProjectionInput
from divproj.projection.pipeline import CorpusOutput, TextSource, project_corpus
from divproj.projection.prepare import Preparation
from divproj.projection.projector import vote
from divproj.projection.systems import AdaptedSystem, make
from divproj.runtime.resources import folder


def some(count: int = 12) -> list[Pair]:
    return [pair for pair, _ in zip(dp.read("deu-eng"), range(count), strict=False)]


def without_some_links(pair: Pair) -> Pair:
    return replace(pair, links=dp.Links.of(sorted(pair.links)[1:], pair.links.shape))


def test_each_source_is_projected_by_what_was_learned_from_it():
    """What a system learns from one source says nothing of the other: its links and order of words may differ."""
    first = some()
    second = [without_some_links(pair) for pair in first]
    found = dp.projector("s5").projections(first, also=[(TextSource(), second)])
    made = []
    for source in (first, second):
        text = [*map(ProjectionInput.of, source)]
        system = AdaptedSystem.to(make("s5"), text)
        made.append([system.project(bitext) for bitext in text])
    assert [each.heads for _, each in found] == [vote(both).heads for both in zip(*made, strict=True)]


def test_sources_have_the_same_sentences():
    with pytest.raises(dp.AlignmentError, match="every source must have the same F sentences in the same order"):
        list(dp.projector("s1-r").pipe(some(), also=[some(3)]))


def test_styles_are_checked():
    with pytest.raises(dp.ModelError, match="no head style 'x' of E trees; choose one of as-is, ud, function"):
        dp.projector(style="x")


def test_phrases_need_a_system_that_looks_at_them(tmp_path: Path):
    with pytest.raises(dp.ModelError, match="`phrases` is given to system s1-r, which does not look at phrases; choose s5, s6"):
        list(dp.projector("s1-r", phrases="auto").pipe(some(3)))


@pytest.fixture(scope="module")
def text(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Ten sentences with translations in English and Spanish, the fourth in English alone."""
    sentences = [s for s in conllu.load(folder("tutorial") / "es" / "gold.conllu") if s is not None][:10]
    path = tmp_path_factory.mktemp("several") / "quechua.conllu"
    bare = [s.with_columns({k: ("_",) * len(s.forms) for k in (2, 3, 6, 7)}) for s in sentences]
    bare[3] = replace(bare[3], comments=tuple(c for c in bare[3].comments if not c.startswith("# text_es")))
    path.write_text("".join(map(conllu.dumps, bare)), encoding="utf-8")
    return path


class TestTranslationsOfOneText:
    """Translations in several languages in one file: the second is a witness beside the first."""

    def test_the_witness_has_its_own_trees_and_links(self, text: Path):
        faults = Faults(strict=False)
        how = Preparation("en")
        first = list(how(dp.read(text), faults))
        witness = how.witness("en").witness_pairs(first, faults)
        assert [(pair.e, pair.links) for pair in witness] == [(pair.e, pair.links) for pair in first]
        assert not faults.noted
        agreed = list(dp.projector("s6", parser="en").pipe(dp.read(text), also=["English"]))
        alone = list(dp.projector("s6", parser="en").pipe(dp.read(text)))
        assert [pair.f.heads for pair in agreed] == [pair.f.heads for pair in alone], "one translation has one vote"

    @pytest.mark.skipif(pack("es") is None, reason="the Spanish pack is not installed")
    def test_a_sentence_without_the_second_translation_is_projected_from_the_first(self, text: Path):
        faults = Faults(strict=False)
        how = Preparation("en")
        witness = how.witness("es").witness_pairs(list(how(dp.read(text), faults)), faults)
        assert [len(pair.e) > 0 for pair in witness] == [k != 3 for k in range(10)]
        assert {pair.e_language for pair in witness if len(pair.e)} == {"es"}
        assert not faults.noted
        voted = list(dp.projector("s6", parser="en").pipe(dp.read(text), also=["es"]))
        alone = list(dp.projector("s6", parser="en").pipe(dp.read(text)))
        assert voted[3].f.heads == alone[3].f.heads
        assert [pair.f.heads for pair in voted] != [pair.f.heads for pair in alone]
        corpus = Corpus(str(text))
        projector = dp.projector("s6", parser="en")
        trees = "".join(t.text for t in project_corpus(projector, [corpus], CorpusOutput(), faults, languages=["es"]))
        assert [s.tree.heads for s in conllu.loads(trees)] == [pair.f.heads for pair in voted]

    def test_a_language_that_no_translation_is_in(self, text: Path):
        with pytest.raises(dp.ProjError, match="no language pack 'it' is installed"):
            list(dp.projector("s6").pipe(dp.read(text), also=["it"]))
        if pack("fr"):
            with pytest.raises(dp.ProjError, match=r"no sentence has a translation in French \(fr\); write them as `# text_fr"):
                list(dp.projector("s6").pipe(dp.read(text), also=["fr"]))

    def test_standard_input_is_read_once(self):
        with pytest.raises(dp.ProjError, match="standard input is read once"):
            project_corpus(dp.projector("s6"), [Corpus("-")], CorpusOutput(), Faults(strict=False), languages=["en"])
