"""Languages of translation lines."""

from __future__ import annotations

import pytest

from divproj.text import language_id

LINES = {
    "en": ["My aunt sold the canoe to the teacher.", "He didn't want to wait for us.", "Where are they going?"],
    "es": ["Mi tía le vendió la canoa al maestro.", "No quería esperarnos.", "¿A dónde van ellos?"],
    "pt": ["A minha tia vendeu a canoa ao professor.", "Ele não quis esperar por nós.", "Para onde eles vão?"],
    "fr": ["Ma tante a vendu la pirogue au maître.", "Il n'a pas voulu nous attendre.", "Où est-ce qu'ils vont ?"],
    "de": ["Meine Tante hat dem Lehrer das Boot verkauft.", "Er wollte nicht auf uns warten.", "Wohin gehen sie?"],
    "ru": ["Моя тётя продала лодку учителю.", "Он не хотел нас ждать.", "Куда они идут?"],
    "it": ["Mia zia ha venduto la barca al maestro.", "Lui non voleva aspettarci.", "Dove vanno le donne della città?"],
    "nl": ["Mijn tante heeft de boot aan de leraar verkocht.", "Hij wilde niet op ons wachten.", "Waar gaan ze naartoe?"],
    "id": ["Bibi saya menjual perahu kepada guru itu.", "Dia tidak mau menunggu kami.", "Mereka pergi ke mana?"],
    "tpi": ["Meri bilong mi i salim kanu long tisa.", "Em i no laik wetim mipela.", "Ol i go long wanem hap?"],
    "tr": ["Teyzem kayığı öğretmene sattı, ama o gelmedi.", "Bizi beklemek istemedi ve eve gitti."],
    "pl": ["Moja ciotka sprzedała łódź nauczycielowi.", "On nie chciał na nas czekać."],
    "zh": ["我的姑姑把船卖给了老师。"],
    "ja": ["おばは先生に舟を売りました。"],
    "ko": ["이모가 선생님에게 배를 팔았다."],
    "el": ["Η θεία μου πούλησε τη βάρκα."],
}  # fmt: skip


@pytest.mark.parametrize(("code", "line"), [(code, line) for code, some in LINES.items() for line in some])
def test_a_line_is_never_in_a_wrong_language(code: str, line: str) -> None:
    assert language_id.of_text(line).code in (code, "")


@pytest.mark.parametrize("code", LINES)
def test_several_lines_are_decided(code: str) -> None:
    found = language_id.of_lines(LINES[code])
    assert found.code == code
    assert found.score >= language_id.SURE_LANGUAGE


def test_what_says_nothing_is_undecided() -> None:
    for text in ("", "…", "12", "Ana Maria", "PST.3SG", "Komi tarusa welimbo kaq naqta pintusa wiro alaq nembu."):
        assert language_id.of_text(text).code == ""


def test_short_lines_follow_the_rest() -> None:
    texts = [*LINES["de"], "Ja.", "", "Das Wasser kommt."]
    assert [guess.code for guess in language_id.of_each(texts)] == ["de", "de", "de", "de", "", "de"]


def test_a_choice_among_some() -> None:
    assert language_id.of_text("Ele foi para a casa dele.", among=("es", "pt")).code == "pt"
    assert language_id.of_text("Она ушла домой.", among=("en",)).code == ""
    assert language_id.of_text("我的船", among=("en",)).code == ""
    assert language_id.of_text("anything at all", among=("xx",)).code == ""


def test_persian_has_letters_of_its_own() -> None:
    assert language_id.of_text("او به خانه می‌گوید که پدر").code == "fa"
    assert language_id.of_text("ذهب الرجل إلى البيت").code == "ar"


def test_tags_and_addresses_are_not_words() -> None:
    assert language_id.of_text("<i>The man</i> was here, https://de.example/der/die/das").code == "en"


def test_every_language_that_can_be_the_answer_has_a_name() -> None:
    from divproj.io.interlinear.languages import NAMES

    assert set(language_id.LANGUAGES) <= set(NAMES)
