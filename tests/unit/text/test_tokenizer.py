"""Running text cut as a treebank cuts it."""

from __future__ import annotations

import json
from itertools import pairwise

import pytest

from divproj import ModelError
from divproj.core.errors import Where
from divproj.core.sentence import Rows
from divproj.io.trees import conllu
from divproj.parsing.batch import blank
from divproj.text.tokenizer import Token, Tokenizer


def sentence(*tokens: str) -> Rows:
    """A sentence of tokens; `du=de+le` stands for two words, `l'~` has no space after it."""
    rows, words = [], 0
    for token in tokens:
        misc = "SpaceAfter=No" if token.endswith("~") else "_"
        form, _, parts = token.removesuffix("~").partition("=")
        several = parts.split("+") if parts else []
        if several:
            rows.append(f"{words + 1}-{words + len(several)}\t{form}" + "\t_" * 7 + f"\t{misc}")
        for word in several or [form]:
            words += 1
            rows.append(f"{words}\t{word}" + "\t_" * 7 + f"\t{'_' if several else misc}")
    [made] = conllu.loads("\n".join(rows) + "\n\n")
    assert made is not None
    return made


FRENCH = [
    sentence("L'~", "ami", "du=de+le", "roi", "vient~", "-il", "aujourd'hui", "?"),
    sentence("L'~", "eau", "du=de+le", "lac", "est~", "-il", "froide", "?"),
    sentence("Le", "chien", "des=de+les", "voisins", "dort", "aujourd'hui~", "."),
    sentence("La", "porte", "des=de+les", "maisons", "est", "grande~", "."),
    sentence("Il", "mange", "des", "pommes~", "."),
    sentence("Elle", "mange", "des", "noix~", "."),
    sentence("Elle", "mange", "des", "figues", "chez", "M.", "Li~", "."),
    sentence("Elle", "voit", "M.", "Ba~", "."),
]
SPANISH = [
    sentence("Quiere", "hacerla=hacer+la~", "."),
    sentence("Quiere", "comerla=comer+la", "al=a+el", "fin~", "."),
    sentence("Quiere", "verla=ver+la~", "."),
    sentence("Dándole=Dando+le", "agua~", "."),
    sentence("Mirándole=Mirando+le~", "."),
    sentence("Una", "perla", "bella~", "."),
    sentence("Va", "al=a+el", "mar~", "."),
]


class TestFrench:
    tokenizer = Tokenizer.learn(FRENCH)

    @pytest.mark.parametrize(
        ("text", "words"),
        [
            ("L'eau du roi.", "L' eau de le roi ."),
            ("L’ami vient-il aujourd’hui ?", "L’ ami vient -il aujourd’hui ?"),
            ("Elle mange des poires.", "Elle mange des poires ."),
            ("La porte des voisins", "La porte de les voisins"),
            ("Du pain !", "De le pain !"),
            ("« Oui », dit M. Li...", "« Oui » , dit M. Li ..."),
            ("Il a 3,5 kg (environ).", "Il a 3,5 kg ( environ ) ."),
        ],
    )
    def test_words(self, text, words):
        assert self.tokenizer.words(text) == tuple(words.split())

    def test_sentences(self):
        text = "M. Li vient. Il dort ! « Qui ? » Personne… 12 hommes."
        assert [text[a:b] for a, b in self.tokenizer.sentence_spans(text)] == [
            "M. Li vient.",
            "Il dort !",
            "« Qui ? »",
            "Personne…",
            "12 hommes.",
        ]

    def test_an_empty_text_has_nothing(self):
        assert self.tokenizer.tokens("  ") == []
        assert self.tokenizer.sentence_spans("") == []


class TestSpanish:
    tokenizer = Tokenizer.learn(SPANISH)

    @pytest.mark.parametrize(
        ("text", "words"),
        [
            ("¿Quiere beberla?", "¿ Quiere beber la ?"),
            ("Cantándole al mar", "Cantando le a el mar"),
            ("Una perla", "Una perla"),
            ("AL MAR", "A EL MAR"),
        ],
    )
    def test_endings_of_unseen_words(self, text, words):
        assert self.tokenizer.words(text) == tuple(words.split())

    def test_words_from_a_table(self):
        more = Tokenizer.learn(SPANISH, {"conmigo": ("con", "mí"), "mar": ("a", "b")})
        assert more.words("Viene conmigo al mar") == ("Viene", "con", "mí", "a", "el", "mar")

    def test_rows_of_the_whole(self):
        text = "Va al mar."
        rows = blank(text, self.tokenizer.tokens(text), "1", Where("x", 1)).lines
        assert [(row[0], row[1], row[9]) for row in rows] == [
            ("1", "Va", "_"),
            ("2-3", "al", "_"),
            ("2", "a", "_"),
            ("3", "el", "_"),
            ("4", "mar", "SpaceAfter=No"),
            ("5", ".", "_"),
        ]


def test_hyphens_as_the_treebank_has_them():
    cut = Tokenizer.learn([sentence("Nord~", "-~", "Süd", "am=an+dem", "3.", "Mai")] * 2)
    assert cut.words("West-Ost am 5. Juni") == ("West", "-", "Ost", "an", "dem", "5.", "Juni")
    kept = Tokenizer.learn([sentence("кто-то", "пришёл")] * 2)
    assert kept.words("Где-то поёт") == ("Где-то", "поёт")


@pytest.mark.parametrize("bank", [FRENCH, SPANISH, []])
def test_facts_come_back(bank):
    tokenizer = Tokenizer.learn(bank)
    assert Tokenizer.from_facts(json.loads(json.dumps(tokenizer.facts()))) == tokenizer


@pytest.mark.parametrize(
    "damage", [{"parts": {"du": ["de"]}}, {"elided": [3]}, {"share": {"du": "x"}}, {"endings": 3}, {"beside": {"du": 1}}, None]
)
def test_damaged_facts(damage):
    facts = Tokenizer().facts() | damage if damage else {}
    with pytest.raises(ModelError, match="'tokenizer' does not describe how text is cut"):
        Tokenizer.from_facts(facts)


def test_every_letter_is_in_one_token():
    text = "«L'ami»—dit-il… http://x.org/a?b, a@b.fr 3-4 ¡Ya! “d'où” -- ''ja'' \u200b ٣ 北京"
    for tokenizer in (Tokenizer(), TestFrench.tokenizer, Tokenizer(cut_hyphens=True, ordinals=True)):
        tokens = tokenizer.tokens(text)
        assert "".join(text[t.start : t.end] for t in tokens) == "".join(text.split())
        assert all(a.end <= b.start for a, b in pairwise(tokens))
        assert all(isinstance(t, Token) for t in tokens)
