"""Xigt: references, tiers for both languages, and what is wrong with them."""

from __future__ import annotations

import pytest
from shared import ROOT

from divproj import Faults
from divproj.core.sentence import Sentence
from divproj.core.tree import NO_HEAD
from divproj.io.interlinear import xigt

FIXTURES = ROOT / "tests" / "fixtures" / "igt"
WORDS = '<tier type="words" id="w"><item id="w1">Sena</item><item id="w2">uva</item></tier>'


def told(tiers: str) -> tuple[Sentence, list[str]]:
    faults = Faults(strict=False)
    (found,) = xigt.loads(f'<xigt-corpus>\n<igt id="i">{tiers}</igt></xigt-corpus>', faults)
    return found, [str(fault) for fault in faults.noted]


class TestReading:
    def test_all_tiers(self):
        first, second = xigt.load(FIXTURES / "good.xml")
        assert first.words == ("Sena", "taru-n", "mire-va")
        assert first.segments == ()
        assert first.glosses == ("sister", "house-ACC", "see-PST")
        assert first.tags == ("NOUN", "NOUN", "VERB")
        assert (first.translation, first.translations) == ("The sister saw a house.", ())
        assert first.e_words == ("The", "sister", "saw", "a", "house", ".")
        assert first.e_tags == ("DT", "NN", "", "", "", "")
        assert first.links == {(1, 1), (1, 2), (2, 5), (3, 3)}
        assert first.tree is not None
        assert (first.tree.heads, first.tree.deprels) == ((3, 3, 0), ("nsubj", "obj", "root"))
        assert first.e_tree is not None
        assert first.e_tree.heads == (2, 3, 0, NO_HEAD, 3, NO_HEAD)
        assert (first.sent_id, first.language, first.judgement) == ("k1", "xku", "?")
        assert dict(first.meta) == {
            "doc-id": "7",
            "line-range": "1 3",
            "source": "Dira's notes; page=4",
            "comment": "said twice",
            "align:b": "0-1",
            "phrase-structure:ps": "(NP (DT The) (NN sister))",
            "dependencies:tw-ds": "5<2:x",
        }
        assert (second.words, second.judgement, second.translation) == (("Kolu", "uva"), "*", "fish swim")

    def test_phrase_and_gloss_line_alone(self):
        found, _ = told('<tier type="phrases" id="p"><item id="p1">Sena uva</item></tier><tier type="glosses" id="g" alignment="p"><item id="g1" alignment="p1">sister swim</item></tier>')  # fmt: skip
        assert (found.words, found.glosses) == (("Sena", "uva"), ("sister", "swim"))

    def test_glosses_of_morphemes(self):
        found, _ = told(
            WORDS
            + '<tier type="morphemes" id="m"><item id="m1" segmentation="w1">sen</item><item id="m2" segmentation="w1">=a</item></tier>'
            + '<tier type="glosses" id="g" alignment="m"><item id="g1" alignment="m1">sister</item><item id="g2" alignment="m2">DEF</item>'
            + '<item id="g3" alignment="m2">F</item><item id="g4" alignment="w2">swim</item></tier>'
        )
        assert (found.segments, found.glosses) == (("sen=a", "uva"), ("sister=DEF.F", "swim"))

    def test_glosses_that_are_not_aligned(self):
        tier = '<tier type="glosses" id="g"><item id="g1" alignment="w1">a</item><item id="g2">b</item><item id="g3" alignment="w2">c</item></tier>'
        assert told(WORDS + tier)[0].glosses == ("a", "b", "c")

    def test_several_translations(self):
        tier = '<tier type="translations" id="t"><item id="t1" xml:lang="fr">sœur</item><item id="t2" xml:lang="eng">sister</item></tier>'
        found, _ = told(WORDS + tier)
        assert (found.translation, found.translations) == ("sister", (("fr", "sœur"), ("en", "sister")))

    def test_links_the_other_way_round(self):
        tiers = '<tier type="translations" id="t"><item id="t1">She swims</item></tier><tier type="words" id="tw" segmentation="t"><item id="tw1" segmentation="t1[0:3]"/><item id="tw2" segmentation="t1[4:9]"/></tier>'  # fmt: skip
        links = (
            '<tier type="bilingual-alignments" id="a" source="w" target="tw"><item id="a1" source="w2" target="tw2"/></tier>'
        )
        assert told(WORDS + tiers + links)[0].links == {(2, 2)}

    def test_words_that_are_joined(self):
        tiers = '<tier type="phrases" id="p"><item id="p1">Se na uva</item></tier><tier type="words" id="w"><item id="w1" segmentation="p1[0:2]+p1[3:5]"/><item id="w2" segmentation="p1[0:2,6:9]"/><item id="w3" segmentation="p1[6:9],p1[0:2]"/></tier>'  # fmt: skip
        assert told(tiers)[0].words == ("Sena", "Se uva", "uva Se")

    def test_no_tiers(self):
        assert told("")[0].words == ()


class TestFaults:
    def test_references_to_nothing(self):
        found, messages = told(
            '<tier type="words" id="w"><item id="w1" segmentation="p9[0:2]"/><item id="w2">uva</item></tier>'
        )
        assert found.words == ("_", "uva")
        assert messages == ["<text>:2 (sent_id i): item w1: 'p9[0:2]' refers to 'p9', which is not there; left out"]

    def test_references_in_a_circle(self):
        found, messages = told('<tier type="phrases" id="p"><item id="p1" content="p2"/><item id="p2" content="p1"/><item id="p3" content="p3"/></tier>')  # fmt: skip
        assert found.words == ()
        assert messages == ["<text>:2 (sent_id i): item p3: 'p3' refers to 'p3', which is itself; left out"]

    def test_long_chains(self):
        items = "".join(f'<item id="p{k}" content="p{k + 1}"/>' for k in range(300))
        _, messages = told(f'<tier type="phrases" id="p">{items}<item id="p300">a</item></tier>')
        assert "leads through more than 100 references, a cycle?" in messages[0]

    def test_spans_past_the_end(self):
        found, messages = told('<tier type="phrases" id="p"><item id="p1">Sena</item></tier><tier type="words" id="w"><item id="w1" segmentation="p1[0:9]"/></tier>')  # fmt: skip
        assert found.words == ("Sena",)
        assert messages == ["<text>:2 (sent_id i): item w1: [0:9] reaches past the 4 characters of 'Sena'; left out"]

    def test_links_to_nothing(self):
        found, messages = told(
            WORDS + '<tier type="bilingual-alignments" id="a"><item id="a1" source="w1" target="tw9"/></tier>'
        )
        assert found.links == frozenset()
        assert messages == ["<text>:2 (sent_id i): item a1: w1 and tw9 lead to no pair of words; the link is left out"]

    @pytest.mark.parametrize(
        ("rows", "heads"),
        [
            ('<item dep="w1" head="w2">a</item><item dep="w2" head="w1">b</item>', (NO_HEAD, NO_HEAD)),
            ('<item dep="w1">a</item><item dep="w2">b</item>', (0, NO_HEAD)),
        ],
    )
    def test_heads_that_make_no_tree(self, rows, heads):
        found, messages = told(f'{WORDS}<tier type="dependencies" id="d" dep="w" head="w">{rows}</tier>')
        assert found.tree is not None
        assert found.tree.heads == heads
        assert "dependencies d: words" in messages[0]
        assert messages[0].endswith("are on a cycle or second roots; left without a head")


class TestWriting:
    def test_ids_and_metadata(self):
        text = xigt.dumps([Sentence(("Sena",), sent_id="a b", language="xku", meta=(("doc-id", "7"), ("x<y", "a & b")))])
        assert '<igt id="i1" doc-id="7">' in text
        assert '<meta type="sent_id">a b</meta>' in text
        assert '<meta type="x&lt;y">a &amp; b</meta>' in text

    def test_spans(self):
        text = xigt.dumps([Sentence(("Sena", "uva-mi"), (), ("sister", "swim-Q"), text="Sena, uva-mi?")])
        assert '<item id="w2" segmentation="p1[6:12]"/>' in text
        assert '<item id="m2.2" segmentation="w2[4:6]"/>' in text
        assert '<item id="g2.2" alignment="m2.2">Q</item>' in text

    def test_characters_that_xml_has_not(self):
        assert xigt.loads(xigt.dumps([Sentence(("a\x07b",), sent_id="i")]))[0].words == ("a\ufffdb",)


ROWS = """# sent_id = a1
# text = Vámonos al mar.
# text_en = Let's go to the sea.
1-2\tVámonos\t_\t_\t_\t_\t_\t_\t_\t_
1\tVamos\tir\tVERB\tVBP\tMood=Imp|Number=Plur\t0\troot\t0:root\tGloss=go-1PL|MSeg=vamo-s|Extra=a b
2\tnos\tnosotros\tPRON\t_\tCase=Acc\t1\tobj\t_\tGloss=us
2.1\tpues\tpues\tADV\t_\t_\t_\t_\t1:advmod\tCopyOf=-1
3-4\tal\t_\t_\t_\t_\t_\t_\t_\tWd=x
3\ta\ta\tADP\t_\t_\t5\tcase\t_\tGloss=to
4\tel\tel\tDET\t_\tDefinite=Def\t5\tdet\t_\tGloss=the
5\tmar\tmar\tNOUN\t_\t_\t1\tobl\t_\tGloss=sea|SpaceAfter=No
6\t.\t.\tPUNCT\t_\t_\t1\tpunct\t_\t_
6.1\tx\t_\t_\t_\t_\t_\t_\t_\t_

"""


def test_rows_of_conllu_come_back():
    from divproj.io.interlinear import rows as igt_conllu

    through = xigt.dumps(igt_conllu.loads(ROWS))
    assert igt_conllu.dumps(xigt.loads(through)) == ROWS
    edited = through.replace(">to</item>", ">toward</item>")
    assert "3\ta\ta\tADP\t_\t_\t5\tcase\t_\tGloss=toward\n" in igt_conllu.dumps(xigt.loads(edited))
    assert "cu5" not in xigt.dumps(xigt.loads(edited.replace("cu", "other"))), "tiers of others are not taken for ours"
