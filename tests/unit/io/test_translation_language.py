"""The language of translations: from the key, the code, the script and the words. The sentences are ours."""

from __future__ import annotations

import pytest

from divproj.core.sentence import Sentence
from divproj.io.interlinear import rows as igt_conllu
from divproj.io.interlinear.languages import languages_of, text_language, translation_key, translations_of, with_codes
from divproj.text import language_id

FRENCH = ("Le chat dort sur la table.", "Nous avons mangé du pain ce matin.", "Ma sœur ne veut pas venir avec nous.")
SPANISH = (
    "El gato duerme en la mesa.",
    "Esta mañana hemos comido pan con la familia.",
    "Mi hermana no quiere venir con nosotros.",
)
ENGLISH = ("The cat is sleeping on the table.", "We ate bread this morning.", "My sister does not want to come with us.")
RUSSIAN = ("Кошка спит на столе.", "Мы ели хлеб сегодня утром.", "Моя сестра не хочет идти с нами.")
CZECH = (
    "Kočka spí na stole vedle okna.", "Dnes ráno jsme jedli čerstvý chléb.", "Moje sestra nechce jít dnes večer s námi.",
    "Jejich otec pracuje každý den v lese.", "Voda v řece byla velmi studená.", "Babička vypráví dětem starou pohádku.",
    "Proč jsi včera nepřišel domů dřív?", "Ptáci odletěli na jih před první zimou.", "Muž otevřel dveře a vešel dovnitř.",
    "Zítra budeme stavět novou střechu.", "Nikdo neví, kde leží jeho loď.", "Viděl jsem dva koně u starého mlýna.",
)  # fmt: skip


@pytest.mark.parametrize(
    ("key", "code"),
    [
        ("text_fr", "fr"), ("text_fra", "fr"), ("text[spa]", "es"), ("text[es]", "es"), ("text[pt-BR]", "pt"), ("text_pt_BR", "pt"),
        ("text_port", "pt"), ("text_Russian", "ru"), ("text-en", "en"), ("english", "en"), ("English translation", "en"), ("French", "fr"),
        ("en", "en"), ("rus", "ru"), ("español", "es"), ("translated_text", ""), ("translation", ""), ("Translation", ""),
        ("translation_es", "es"), ("translation[deu]", "de"), ("translated_text_fr", "fr"), ("free_translation", ""),
        ("text_phrase-gls-es", "es"), ("text_qu", "qu"), ("text[bi]", "bi"), ("spanish_text", "es"),
    ],
)  # fmt: skip
def test_keys_of_translations(key: str, code: str):
    assert translation_key(key, "some words") == code


@pytest.mark.parametrize(
    "key",
    ["text", "text_ipa", "text_ortho", "text_en_from", "text[gloss]", "text[orig]", "text_phrase-gls-wg", "gloss_en", "id", "no", "it",
     "speaker", "sent_id", "text_name", "text_transcription", "translit", "language", "phonetic_text", "translator", "translated", "text-id"],
)  # fmt: skip
def test_keys_of_other_things(key: str):
    assert translation_key(key, "some words") is None


def test_the_number_of_a_text_is_no_indonesian():
    assert translation_key("text_id", "17") is None
    assert translation_key("text_id", "Dia tidur di rumah.") == "id"
    [igt] = igt_conllu.loads("# text_id = 17\n# text_en = Yes.\n1\ta\t_\t_\t_\t_\t_\t_\t_\t_\n")
    assert (igt.translation, igt.meta) == ("Yes.", (("text_id", "17"),))
    short = Sentence(("a",), translation="Ya.", translations=(("id", "Ya."),))
    [again] = igt_conllu.loads(igt_conllu.dumps([short]))
    assert again.translations == (("id", "Ya."),)


def test_one_translation_under_two_keys_is_one():
    rows = "1\ta\t_\t_\t_\t_\t_\t_\t_\t_\n"
    [igt] = igt_conllu.loads(f"# text_rus = Да.\n# text_ru = Да.\n# text_ru_from = text_rus\n{rows}")
    assert igt.translations == (("ru", "Да."),)
    [igt] = igt_conllu.loads(f"# translation = Oui.\n# text_fr = Oui.\n{rows}")
    assert (igt.translation, igt.translations) == ("Oui.", (("fr", "Oui."),))


def test_what_the_file_states_is_kept_for_english_too():
    rows = "1\ta\t_\t_\t_\t_\t_\t_\t_\t_\n"
    [stated] = igt_conllu.loads(f"# text_en = Ana.\n{rows}")
    [unsaid] = igt_conllu.loads(f"# translation = Ana.\n{rows}")
    assert translations_of(stated) == (("en", "Ana."),)
    assert translations_of(unsaid) == (("", "Ana."),)
    assert translations_of(Sentence(("a",))) == ()


class TestLanguagesOf:
    def test_a_code_holds(self):
        assert languages_of([("fr", "No."), ("qu", "Arí."), ("en", "Le chat dort sur la table.")]) == ["fr", "qu", "en"]

    def test_the_script_overrules_the_code(self):
        assert languages_of([("en", RUSSIAN[0]), ("fr", "Да."), ("en", "我的船在河里。")]) == ["ru", "ru", "zh"]
        assert languages_of([("ru", "Ona ushla.")]) == ["ru"]  # transliterated
        assert languages_of([("ru", ENGLISH[0])]) == ["en"]

    def test_words_decide_where_there_is_no_code(self):
        lines = [("", text) for text in (*FRENCH, *SPANISH, *ENGLISH, *RUSSIAN)]
        assert languages_of(lines) == [code for code in ("fr", "es", "en", "ru") for _ in range(3)]

    def test_short_lines_follow_the_text(self):
        assert languages_of([*(("", text) for text in FRENCH), ("", "Ana."), ("und", "Oh!")])[3:] == ["fr", "fr"]
        assert languages_of([("", "Ana."), ("", "Да."), ("", "")], "es") == ["es", "ru", ""]
        assert languages_of([("", "Ana."), ("", "12")]) == ["en", "en"]

    def test_many_translations_overrule_their_code(self):
        texts = [("en", text) for text in FRENCH * 7]
        assert set(languages_of(texts)) == {"fr"}
        assert set(languages_of(texts[:9])) == {"fr"}  # few, and all of them clearly
        assert set(languages_of(texts[:2])) == {"en"}  # too few to doubt what the file says
        assert set(languages_of([("qu", text) for text in SPANISH * 3])) == {
            "qu"
        }  # no language that would have been recognised
        assert set(languages_of([*texts[:5], ("en", ENGLISH[0])])) == {"en"}  # not all of them

    def test_running_text_in_no_known_language_is_not_english(self):
        assert "cs" not in language_id.LANGUAGES
        assert set(languages_of([("", text) for text in CZECH])) == {"und"}
        assert languages_of([("", "Ptáci odletěli.")]) == ["en"]

    def test_another_script(self):
        assert languages_of([("", "ወደ ቤት ሄደ።")]) == ["und"]
        assert languages_of([("", "ذهب الرجل إلى البيت"), ("", "他去了河边。")]) == ["ar", "zh"]


def test_the_language_of_a_text():
    assert text_language([Sentence(("x",), translation=text) for text in FRENCH]) == "fr"
    assert text_language([Sentence(("x",), translation=FRENCH[0]), None]) == ""
    assert text_language([Sentence(("x",), translation=text) for text in (*FRENCH[:2], *SPANISH[:2], *RUSSIAN)]) == ""


def test_codes_are_given_where_none_is_stated():
    coded = with_codes([*(Sentence(("x",), translation=text) for text in (*SPANISH, *ENGLISH[:2])), Sentence(("x",))])
    assert [igt.translations for igt in coded] == [*((("es", text),) for text in SPANISH), (), (), ()]
