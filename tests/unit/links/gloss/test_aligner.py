"""Links from glosses to translations; the sentences are invented."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from shared import ROOT, need

import divproj as dp
from divproj import AlignmentError, Where
from divproj.core.sentence import Sentence
from divproj.io.trees import conllu, pharaoh
from divproj.links.glosses import PASS_SCORES, GlossAligner, GlossAlignment, punctuation, spread, word_class
from divproj.links.grams import Grams
from divproj.parsing.language import pack

ALIGNER = GlossAligner()


def align(words: str, glosses: str, translation: str, tags: str = "", aligner: GlossAligner = ALIGNER) -> GlossAlignment:
    return aligner.align(Sentence(tuple(words.split()), glosses=tuple(glosses.split())), translation.split(), tags.split())


def links(words: str, glosses: str, translation: str, tags: str = "", aligner: GlossAligner = ALIGNER) -> str:
    """Links as `f-e` pairs of words; a repeated word carries its place."""
    f, e = words.split(), translation.split()
    found = align(words, glosses, translation, tags, aligner).scored

    def shown(side: list[str], k: int) -> str:
        return side[k - 1] + (str(k) if side.count(side[k - 1]) > 1 else "")

    return " ".join(f"{shown(f, link.f)}-{shown(e, link.e)}" for link in found)


def sources(*args: str) -> dict[tuple[int, int], str]:
    return {(link.f, link.e): link.source for link in align(*args).scored}


class TestPasses:
    def test_names_numbers_and_punctuation(self):
        found = sources("Tomas-ka 12 bani !", "Tomas-NOM 12 goat !", "Tomas has 12 goats !")
        assert found == {(1, 1): "name", (2, 3): "name", (3, 4): "lemma", (4, 5): "punctuation"}

    def test_names_with_endings_that_are_not_cut_off(self):
        assert links("Tomaska lu", "", "Tomas slept") == "Tomaska-Tomas"

    def test_a_name_is_not_what_the_gloss_says_is_another_word(self):
        assert links("Hut Rot", "hat red", "Hut is a red hat", "NNP VBZ DT JJ NN") == "Hut-hat Rot-red"

    def test_initial_of_a_name(self):
        assert links("Iowan lu", "J sleep", "John sleeps") == "Iowan-John lu-sleeps"

    def test_exact_and_forms(self):
        found = sources("mi ta bu", "child eat.PST fish", "children ate fish")
        assert found == {(1, 1): "lemma", (2, 2): "lemma", (3, 3): "exact"}

    def test_derivation_synonyms_and_spelling(self):
        found = sources("ma ti ro", "dad loud refridgerator", "Father loudly refrigerator")
        assert found == {(1, 1): "synonym", (2, 2): "derived", (3, 3): "spelling"}

    def test_scores_follow_the_passes(self):
        for link in align("Tomas lu na .", "Tomas run NEG .", "Tomas did not run .").scored:
            assert 0 < link.score <= PASS_SCORES[link.source] <= 1

    def test_left_over(self):
        assert sources("mi ta bu", "woman herd goat", "the woman tended goats")[2, 3] == "left over"
        assert (2, 3) not in sources("mi ta bu", "woman HRD goat", "the woman tended goats")

    def test_left_over_keeps_the_class(self):
        assert links("mi zu", "woman grain-ACC", "women worked", "NNS VBD") == "mi-women"

    def test_another_preposition(self):
        assert sources("lu ka bu", "sit near tree", "sits by trees")[2, 2] in ("adposition", "synonym")
        assert sources("lu bu ka", "aim tree on", "aim at trees")[3, 2] == "adposition"
        assert links("mi ka lu", "goat on run", "goats want to run", "NNS VBP TO VB") == "mi-goats lu-run"

    def test_the_progressive_goes_with_its_verb(self):
        assert links("si Ana zu tari", "be Ana PROG sing", "Ana is singing") == "si-is Ana-Ana zu-singing tari-singing"
        assert links("zu tari", "3SG-PROG sing", "Ana is singing") == "tari-singing"


class TestNeighbours:
    def test_articles_go_with_their_nouns(self):
        words = "la mi la bu la ro ta"
        glosses = "the.DAT man the.ACC goat the.NOM boy give"
        assert (
            links(words, glosses, "the boy gives the man the goat")
            == "la1-the4 mi-man la3-the6 bu-goat la5-the1 ro-boy ta-gives"
        )

    def test_an_article_far_from_its_noun_is_left_out(self):
        assert (
            links("la Ana ro ki bu zu", "DET Ana see much goat big", "Ana sees the big goat")
            == "Ana-Ana ro-sees bu-goat zu-big"
        )

    def test_repeated_words_keep_their_order(self):
        assert links("mi ro mi ro", "dog bark dog bark", "dogs bark , dogs bark") == "mi1-dogs1 ro2-bark2 mi3-dogs4 ro4-bark5"

    def test_several_words_for_one(self):
        assert links("ta-ta bu", "eat~eat fish", "eats fish") == "ta-ta-eats bu-fish"
        assert links("ka ta bu ta", "NEG eat fish NEG", "does n't eat fish") == "ka-n't ta2-eat bu-fish ta4-n't"
        assert links("lo ta", "sing sing-PROG", "singing") == "lo-singing ta-singing"

    def test_one_word_for_several(self):
        assert links("noki bu", "in-the river", "in the river") == "noki-in noki-the bu-river"
        assert links("mi ta-su", "woman give-CAUS-PST", "the woman made give") == "mi-woman ta-su-made ta-su-give"
        assert links("bumiro", "fire-wood", "some fire-wood") == "bumiro-fire-wood"
        assert links("bumiro", "grand.father", "grandfather") == "bumiro-grandfather"


class TestGrams:
    @pytest.mark.parametrize(
        ("glosses", "translation", "expected"),
        [
            ("1SG sleep", "I sleep", "a-I b-sleep"),
            ("2 sleep", "you sleep", "a-you b-sleep"),
            ("3SG.F sleep-PST", "she slept", "a-she b-slept"),
            ("him sleep", "He sleeps", "a-He b-sleeps"),
            ("he sleep", "it sleeps", "a-it b-sleeps"),
            ("3pl-PERF sleep", "they slept", "a-they b-slept"),
            ("house-1SG.POSS burn", "my house burns", "a-my a-house b-burns"),
            ("house-1SG.POSS.ACC burn.1SG", "I burn my house", "a-my a-house b-I b-burn"),
            ("Ana-GEN house", "Ana 's house", "a-Ana a-'s b-house"),
            ("DEF goat", "the goat", "a-the b-goat"),
            ("INDF goat", "a goat", "a-a b-goat"),
            ("one goat", "a goat", "a-a b-goat"),
            ("PROX goat", "this goat", "a-this b-goat"),
            ("goat-DEF", "the goat", "a-the a-goat"),
            ("sleep NEG", "do n't sleep", "a-sleep b-n't"),
            ("sleep-NEG", "never sleep", "a-never a-sleep"),
            ("sleep-FUT", "will sleep", "a-will a-sleep"),
            ("FUT sleep", "will sleep", "a-will b-sleep"),
            ("PASS.3SG seen", "is seen", "a-is b-seen"),
            ("sleep-PST", "did sleep", "a-sleep"),
            ("river-LOC", "in the river", "a-in a-river"),
            ("river INS", "with rivers", "a-rivers b-with"),
            ("boy-DAT give", "gave to boys", "a-boys b-gave"),
            ("COP goat", "is a goat", "a-is b-goat"),
            ("say COMP", "says that", "a-says b-that"),
            ("REL sleep", "who sleeps", "a-who b-sleeps"),
            ("goat CONJ", "goats and", "a-goats b-and"),
            ("wash REFL", "wash himself", "a-wash b-himself"),
            ("sleep-INF", "to sleep", "a-to a-sleep"),
            ("Q sleep", "who sleeps", "a-who b-sleeps"),
            ("sleep-Q", "do sleep", "a-sleep"),
        ],
    )
    def test_grams(self, glosses, translation, expected):
        words = " ".join("ab"[: len(glosses.split())])
        assert links(words, glosses, translation) == expected

    def test_a_pronoun_before_an_agreement_mark(self):
        assert links("wa no-su", "1SG.NOM see-1SG", "I see") == "wa-I no-su-see"

    def test_a_subject_mark_is_no_possessor_and_no_object(self):
        assert (
            links("Ana ta ro bu-na", "Ana 3SG.F-PFV see goat-3SG.F", "Ana saw her goat")
            == "Ana-Ana ro-saw bu-na-her bu-na-goat"
        )
        assert links("Ana ta ro shi", "Ana 3SG.M-PFV see 3SG.M", "Ana saw it") == "Ana-Ana ro-saw shi-it"

    def test_do_support_is_no_verb(self):
        assert links("ki ta", "goat do", "did goats sleep", "VBD NNS VB") == "ki-goats"

    def test_own_table(self):
        aligner = GlossAligner(Grams.load_shipped().merge(Grams.loads("gram\twords\tkind\nXQ\tperchance\tmood\n")))
        assert links("a b", "sleep XQ", "sleep perchance", aligner=aligner) == "a-sleep b-perchance"
        assert links("a b", "sleep XQ", "sleep perchance") == "a-sleep"

    def test_other_languages(self):
        spanish = GlossAligner(Grams.load_shipped("es"))
        found = links("Pay wasi-pi llamka-n", "3SG casa-LOC trabajar-3SG", "él trabajaba en la casa", aligner=spanish)
        assert found == "Pay-él wasi-pi-en wasi-pi-casa llamka-n-trabajaba"
        french = GlossAligner(Grams.load_shipped("fr"))
        assert links("a b c", "1PL NEG dormir", "nous ne dormons pas", aligner=french) == "a-nous b-pas c-dormons"


class TestOddInput:
    def test_gold_links_win(self):
        igt = Sentence(("a", "b"), glosses=("dog", "run"), links=frozenset({(1, 2)}))
        found = ALIGNER.align(igt, ("dogs", "run"))
        assert [tuple(link) for link in found.scored] == [(1, 2, 1.0, "gold")]

    def test_gold_links_of_another_translation(self):
        igt = Sentence(("a",), links=frozenset({(1, 4)}), where=Where("x.txt", 7, "s1"))
        with pytest.raises(AlignmentError) as caught:
            ALIGNER.align(igt, ("dogs", "run"))
        assert str(caught.value) == (
            "x.txt:7 (sent_id s1): gold link 1-4 (counted from 1) is out of range: the sentences have 1 and 2 words; "
            "the translation must be in the words of the gold links"
        )

    @pytest.mark.parametrize(
        ("words", "glosses", "translation"), [("", "", ""), ("a", "dog", ""), ("", "dog", "dog"), ("", "", "dog")]
    )
    def test_empty(self, words, glosses, translation):
        assert align(words, glosses, translation).scored == ()

    def test_no_gloss(self):
        assert links("Ana ro 7 bu .", "", "Ana saw 7 goats .") == "Ana-Ana 7-7 .-."

    def test_fewer_glosses_than_words(self):
        assert links("Ana-ka la suma-ti .", "Ana-NOM sing-PST .", "Ana sang .") == "Ana-ka-Ana suma-ti-sang .-."

    def test_more_glosses_than_words(self):
        assert links("Ana-ka suma .", "Ana-NOM to sing .", "Ana likes to sing .") == "Ana-ka-Ana suma-to suma-sing .-."

    @pytest.mark.parametrize(("words", "glosses"), [("a b c", ""), ("a", "x y z"), ("a b .", "x ."), (". .", "a"), ("", "x")])
    def test_spread(self, words, glosses):
        f, g = tuple(words.split()), tuple(glosses.split())
        pairs = spread(Sentence(f, glosses=g))
        assert [gloss for _, gloss in pairs] == (list(g) if f else [])
        places = [word for word, _ in pairs]
        assert places == sorted(places)
        assert all(0 <= word < len(f) for word in places)

    def test_segments_show_what_the_words_hide(self):
        igt = Sentence(("아나는", "잔다"), ("Ana-neun", "ja-nda"), ("TOP", "sleep"))
        assert ALIGNER.align(igt, ("Ana", "sleeps")).links.links == {(1, 1), (2, 2)}

    def test_punctuation_marks_of_other_scripts(self):
        assert links("कुत्ता ।", "dog ।", "dogs .") == "कुत्ता-dogs ।-."
        assert links('" a "', '" dog "', "“ dogs ”") == '"1-“ a-dogs "3-”'
        assert punctuation("....") == "..."

    def test_words_that_carry_punctuation(self):
        assert links("a b", "dog run", "[dogs run],") == "a-[dogs b-run],"

    def test_tags_of_both_kinds(self):
        assert word_class("NNP") == word_class("PROPN") == "N"
        assert word_class("ADJ") == word_class("JJR") == "J"
        assert word_class("") == ""

    def test_tags_of_another_length_are_ignored(self):
        assert links("a b", "dog run", "dogs run", "NNS") == "a-dogs b-run"

    def test_a_long_sentence(self):
        n = 400
        found = align(" ".join(["ka"] * n), " ".join(["the", "dog"] * (n // 2)), " ".join(["the", "dog"] * (n // 2)))
        assert len(found.links) == n


TEXT = st.text(max_size=12)
GLOSSES = """
dog dogs the a 3SG 3sg.F-PST NEG n't not in-the . , ! Ana Ana-NOM eat~eat ate 's of GEN LOC PROG 1SG.POSS-house to will is
"""
LIKELY = st.sampled_from(GLOSSES.split())
LINE = st.lists(st.one_of(TEXT, LIKELY), max_size=8).map(tuple)
TAG = st.sampled_from(["NN", "VBZ", "DT", "IN", "TO", "PRP$", "POS", "MD", "NOUN", "_", ""])


@settings(max_examples=100)
@given(LINE, LINE, LINE, LINE, st.lists(TAG, max_size=8))
def test_any_input(words, segments, glosses, translation, tags):
    igt = Sentence(words, segments, glosses)
    found = ALIGNER.align(igt, translation, tags)
    assert found.links.shape == (len(words), len(translation))
    assert {(link.f, link.e) for link in found.scored} == found.links.links
    assert len(found.links) == len(found.links.links)
    assert list(found.links) == sorted(found.links)
    assert all(0 < link.score <= 1 and link.source in PASS_SCORES for link in found.scored)
    assert GlossAligner().align(igt, translation, tags) == found


def measured(folder) -> tuple[float, float]:
    """Precision and F1 on a folder with igt.txt, e.conllu and align.txt."""
    right = found = gold = 0
    blocks = re.split(r"\n\s*\n", (folder / "igt.txt").read_text("utf-8").strip())
    for block, sentence, (_, line) in zip(
        blocks, conllu.load(folder / "e.conllu"), pharaoh.load(folder / "align.txt"), strict=True
    ):
        words, *segments, glosses, _ = (tuple(row.split()) for row in block.split("\n"))
        igt = Sentence(words, *segments, glosses=glosses)
        result = ALIGNER.align(igt, sentence.forms, sentence.column(4)).links
        expected = pharaoh.parse(line, result.shape).links
        right, found, gold = right + len(result.links & expected), found + len(result), gold + len(expected)
    return right / found, 2 * right / (found + gold)


def test_the_gold_of_odin():
    scores = [measured(need(f"odin/{name}")) for name in ("ger", "gli", "hua", "kkn")]
    precision, f1 = (sum(column) / 4 for column in zip(*scores, strict=True))
    assert precision >= 0.97
    assert f1 >= 0.965


@pytest.mark.parametrize(("name", "floor"), [("hin-eng", 0.91), ("deu-eng", 0.94), ("spa-eng", 0.89), ("kor-eng", 0.9)])
def test_the_sample_corpora(name, floor):
    precision, f1 = measured(ROOT / "corpora" / name)
    assert precision >= 0.92
    assert f1 >= floor


def test_lines_too_long_to_weigh_are_paired_in_order():
    words, glosses = ("a",) * 600, ("b",) * 601
    found = spread(Sentence(words, glosses=glosses))
    assert found == [*((k, "b") for k in range(600)), (599, "b")]
    assert spread(Sentence(glosses, glosses=words)) == [(k, "a") for k in range(600)]


class TestTwoLanguages:
    """Glosses in one language, the translation in another: words are compared by what they are in English."""

    IGT = Sentence(("allqu", "runa-ta", "kani-ru-n"), glosses=("dog", "man-ACC", "bite-PST-3SG"))

    @staticmethod
    def links(aligner: GlossAligner, igt: Sentence, words: str) -> set[tuple[int, int]]:
        return {(link.f, link.e) for link in aligner.align(igt, words.split()).scored}

    def test_english_glosses_and_a_spanish_translation(self):
        words = "El perro mordió al hombre ."
        aligner = GlossAligner(Grams.for_translations("es"), gloss_language="en")
        assert {(1, 2), (2, 5)} <= self.links(aligner, self.IGT, words)
        assert (1, 2) not in self.links(GlossAligner(Grams.for_translations("es")), self.IGT, words)

    def test_french_glosses_and_an_english_translation(self):
        igt = Sentence(("wulu", "ka", "muso", "ye"), glosses=("chien", "PST", "femme", "voir"))
        aligner = GlossAligner(gloss_language="fr")
        assert {(1, 2), (3, 5), (4, 3)} <= self.links(aligner, igt, "The dog saw the woman")

    def test_neither_is_english(self):
        igt = Sentence(("allqu", "runa"), glosses=("perro", "hombre"))
        aligner = GlossAligner(Grams.for_translations("fr"), gloss_language="es")
        assert self.links(aligner, igt, "le chien et l' homme") >= {(1, 2), (2, 5)}

    def test_one_language_is_linked_as_before(self):
        assert GlossAligner(Grams.for_translations("es"), gloss_language="es").gloss_language == ""
        assert GlossAligner(gloss_language="en").gloss_language == ""

    @pytest.mark.skipif(pack("es") is None, reason="the Spanish pack is not installed")
    def test_a_text_is_linked_without_an_option(self, tmp_path):
        path = tmp_path / "text.txt"
        path.write_text(
            "allqu kaniru-n runa-ta\ndog bite-3SG man-ACC\n‘El perro mordió al hombre.’\n\nwarmi wasi-pi tiya-n\n"
            "woman house-LOC live-3SG\n‘La mujer vive en la casa.’\n",
            encoding="utf-8",
        )
        pairs = list(dp.projector().pipe(dp.read(path)))
        assert [pair.e_language for pair in pairs] == ["es", "es"]
        words = [{(pair.f.forms[f - 1], pair.e.forms[e - 1]) for f, e in pair.links} for pair in pairs]
        assert {("allqu", "perro")} <= words[0]
        assert {("warmi", "mujer"), ("wasipi", "casa")} <= words[1]
        assert [pair.f.upos[0] for pair in pairs] == ["NOUN", "NOUN"]
