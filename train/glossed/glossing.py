"""Glossed banks made of treebanks that have translations and no glosses: more word orders than glossed treebanks have.

A word's gloss is the lemma of the English word that it is aligned with, or else the usual partner of its own lemma, or else an English
word of its tag by chance; its grams are those of `rules/grams.tsv` that stand for its features. Linguists do not gloss alike, so each
treebank gives two banks, each of a style drawn by chance: what separates grams, which features are glossed, whether function words
have English glosses or grams.

    Hund-ar   Number=Plur   dogs    ->  dog-PL  or  dog.PL  or  dog
    vi        Person=1 …    we      ->  1PL     or  we
    är        AUX, cop      are     ->  COP     or  be

The words were glossed by their gold tags and features, so nothing is learned from their tags (`GlossedTreebank.tagged`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from divproj.core.errors import Faults
from divproj.core.sentence import Rows
from divproj.core.tree import DepTree
from divproj.io.interlinear.rows import from_sentence
from divproj.io.trees import conllu
from divproj.links.grams import Grams
from divproj.links.word_model import WordAligner
from divproj.parsing.tagger import Lemmatizer
from divproj.ud.tagsets import UPOS

FOLDS = {
    "Germanic": ("Indo-Iranian", "English-creole"), "Romance": ("Indo-Iranian", "English-creole"), "Slavic": ("Indo-Iranian",),
    "Celtic": ("Indo-Iranian",), "Greek": ("Indo-Iranian",), "Anatolian": ("Indo-Iranian",), "Indo-Aryan": ("Indo-Iranian",),
    "Uralic": ("Turkic",), "Turkic": ("Turkic",), "Sinitic": ("Chadic",), "Egyptian": ("Chadic",), "Austronesian": ("English-creole",),
}  # fmt: skip
"""Groups of `banks.GROUPS` that have a relative of a family, however distant: its banks stay out of their models."""
LONGEST = 25
"""Words of a sentence that is taken."""
CASE_OF_SUBJECTS = ("Nom", "Abs")
VERBAL = ("Tense", "Aspect", "Mood", "Evident", "Polarity", "Voice", "VerbForm")
NOMINAL = ("Case", "Definite", "Number", "Gender")
CONTENT = frozenset({"ADJ", "ADV", "INTJ", "NOUN", "NUM", "PROPN", "VERB", "X"})
"""Tags of words that are not linked with words of other tags."""
SMALL = {"CCONJ": ("and", "CONJ"), "SCONJ": ("that", "COMP"), "INTJ": ("oh", "INTJ"), "PART": ("indeed", "PTCL")}
"""The English gloss and the gram of a function word that nothing else is known of."""


@dataclass(frozen=True)
class Style:
    """How a linguist glosses."""

    separator: str
    features: frozenset[str]
    """Features that are glossed."""
    pronouns: bool
    """Pronouns are glossed by grams, as `3SG.F`."""
    function: bool
    """Function words are glossed by grams: COP, NEG, COMP, DEF."""
    persons: bool
    """Verbs are glossed with their person."""
    forms: bool
    """English words are inflected as in the translation."""
    capitalised: bool
    """Grams are written as `Pl`, not `PL`, and `1PlAcc`, not `1PL.ACC`."""

    @classmethod
    def draw(cls, chance: np.random.Generator) -> Style:
        rich = chance.random()
        features = frozenset(name for name in (*VERBAL, *NOMINAL, "Degree", "PronType") if chance.random() < rich)
        yes = [bool(chance.random() < share) for share in (0.5, 0.5, rich, 0.25 * (1 - rich), 0.15)]
        return cls(str(chance.choice(["-", "-", "."])), features, *yes)


@dataclass
class Glosser:
    """Glosses the words of one treebank."""

    style: Style
    grams: dict[str, str]
    """Grams by feature, `Case=Acc` → `ACC`."""
    partners: dict[str, str]
    """The usual English lemma of a lemma."""
    english: dict[str, list[str]]
    """English lemmas by tag, to draw from."""
    chance: np.random.Generator

    def sentence(self, rows: Rows, e: DepTree, e_lemmas: Sequence[str], links: dict[int, int]) -> tuple[str, ...]:
        """Return the glosses of a sentence; `links` has the E word of F words, from 1."""
        return tuple(self._word(rows, k, e, e_lemmas, links.get(k + 1, 0)) for k in range(len(rows.forms)))

    def _word(self, rows: Rows, k: int, e: DepTree, e_lemmas: Sequence[str], link: int) -> str:
        form, tag, deprel = rows.forms[k], rows.column(3)[k], rows.column(7)[k].partition(":")[0]
        feats = dict(f.split("=", 1) for f in rows.column(5)[k].split("|") if "=" in f)
        if tag in ("PUNCT", "SYM"):
            return form
        if tag == "PRON" and feats.get("PronType", "Prs") == "Prs" and feats.get("Person") in ("1", "2", "3"):
            if self.style.pronouns or not link:
                return self._case(self._person(feats) + ("" if "Poss" not in feats else ".POSS"))
            return self._inflect(e.forms[link - 1].lower(), feats, ())
        if self.style.function and (gram := self._function(tag, deprel, feats)):
            return self._inflect(self._case(gram), feats, VERBAL if tag == "AUX" else ())
        if link:
            stem = e.forms[link - 1].lower() if self.style.forms and tag not in ("PROPN", "ADP") else e_lemmas[link - 1]
        else:
            stem = self._unlinked(rows.column(2)[k], form, tag)
        return self._inflect(stem, feats, VERBAL if tag in ("VERB", "AUX") else (*NOMINAL, "Degree"), tag)

    def _function(self, tag: str, deprel: str, feats: dict[str, str]) -> str:
        """The gram by which a function word is glossed; '' for others."""
        if feats.get("Polarity") == "Neg" and tag in ("PART", "ADV", "AUX", "INTJ"):
            return "NEG"
        if deprel == "cop":
            return "COP"
        if tag == "DET" and feats.get("PronType") == "Art":
            return "INDF" if feats.get("Definite") == "Ind" else "DEF"
        if tag == "DET" and feats.get("PronType") == "Dem":
            return "DEM"
        if tag == "AUX":
            return next((gram for name in VERBAL if (gram := self.grams.get(f"{name}={feats.get(name)}"))), "AUX")
        if feats.get("PronType") == "Rel":
            return "REL"
        return SMALL[tag][1] if tag in ("SCONJ", "PART") else ""

    def _unlinked(self, lemma: str, form: str, tag: str) -> str:
        partner = self.partners.get(lemma if lemma != "_" else form.lower())
        if partner:
            return partner
        if tag in SMALL:
            return SMALL[tag][0]
        names = self.english.get(tag)
        return form if tag == "PROPN" or not names else names[int(self.chance.integers(len(names)))]

    def _inflect(self, stem: str, feats: dict[str, str], names: Sequence[str], tag: str = "") -> str:
        """The stem with the grams of these features, as far as the style glosses them."""
        grams = []
        for name in names:
            value = feats.get(name, "").partition(",")[0]
            usual = value in ("Sing", *CASE_OF_SUBJECTS, "Ind", "Pos", "Act", "Fin") and name != "Definite"
            if name in self.style.features and not usual and (gram := self.grams.get(f"{name}={value}")):
                grams.append(self._case(gram))
        if tag in ("VERB", "AUX") and self.style.persons and feats.get("Person") in ("1", "2", "3"):
            grams.append(self._case(self._person({**feats, "Case": "", "Gender": ""})))
        if tag == "NOUN" and self.style.persons and feats.get("Person[psor]") in ("1", "2", "3"):
            owner = {"Person": feats["Person[psor]"], "Number": feats.get("Number[psor]", "Sing")}
            grams.append(self._case(f"{self._person(owner)}.POSS"))
        return self.style.separator.join([stem.replace(" ", "."), *grams])

    def _person(self, feats: dict[str, str]) -> str:
        number = {"Sing": "SG", "Plur": "PL", "Dual": "DU"}.get(feats.get("Number", ""), "")
        gender = {"Masc": ".M", "Fem": ".F"}.get(feats.get("Gender", ""), "") if "Gender" in self.style.features else ""
        case = {"Acc": ".ACC", "Nom": ".NOM"}.get(feats.get("Case", ""), "") if "Case" in self.style.features else ""
        return f"{feats['Person']}{number}{gender}{case}"

    def _case(self, gram: str) -> str:
        return "".join(part.title() for part in gram.split(".")) if self.style.capitalised else gram


def grams_by_feature(grams: Grams) -> dict[str, str]:
    """Grams by the one feature that they stand for: the inverse of the table."""
    by_feature: dict[str, str] = {}
    for row in grams.rows:
        if row.feats and "|" not in row.feats:
            by_feature.setdefault(row.feats, row.name)
    return by_feature


def lemmatizer(ewt: Path) -> Lemmatizer:
    """Lemmas of English words, from UD English EWT."""
    rows = [s for s in conllu.load(ewt) if s is not None]
    return Lemmatizer().fit(row for s in rows for row in zip(s.forms, s.column(3), s.column(2), strict=True))


def treebanks(folder: Path) -> list[tuple[str, str, list[Rows]]]:
    """Name, family and sentences of each treebank of INDEX.tsv, without those that are too long."""
    read = []
    for line in (folder / "INDEX.tsv").read_text(encoding="utf-8").splitlines()[1:]:
        name, _, family, *_ = line.split("\t")
        rows = [s for s in conllu.load(folder / f"{name}.conllu.gz", Faults(strict=False)) if s is not None]
        rows = [s for s in rows if 1 < len(s.forms) <= LONGEST and from_sentence(s).translation.strip()]
        rows = [s for s in rows if all(tag in UPOS for tag in s.column(3))]
        read.append((name, family.partition(" ")[0], rows))
    return read


def gloss(rows: list[Rows], trees: list[DepTree], lemmas: Lemmatizer, grams: Grams, seed: int) -> list[tuple[str, ...]]:
    """Glosses of the sentences of a treebank, whose English trees are given, in a style drawn by the seed."""
    chance = np.random.default_rng(seed)
    e_lemmas = [lemmas.predict(zip(e.forms, e.upos, strict=True)) for e in trees]
    f_lemmas = [
        [lemma if lemma != "_" else form.lower() for lemma, form in zip(s.column(2), s.forms, strict=True)] for s in rows
    ]
    tags = [s.column(3) for s in rows], [e.upos for e in trees]
    linked = WordAligner(threshold=0.2).fit_align([*zip(f_lemmas, e_lemmas, strict=True)], tags=tags)
    links = [
        {i: j for i, j in _mutual(each.probabilities).items() if (f[i - 1] in CONTENT) == (e[j - 1] in CONTENT)}
        for each, f, e in zip(linked, *tags, strict=True)
    ]
    counts: dict[str, Counter[str]] = {}
    english: dict[str, list[str]] = {}
    for f_words, e_words, e, pairs in zip(f_lemmas, e_lemmas, trees, links, strict=True):
        for i, j in pairs.items():
            counts.setdefault(f_words[i - 1], Counter())[e_words[j - 1]] += 1
        for lemma, tag in zip(e_words, e.upos, strict=True):
            english.setdefault(tag, []).append(lemma)
    partners = {lemma: min(each, key=lambda name: (-each[name], name)) for lemma, each in counts.items()}
    glosser = Glosser(Style.draw(chance), grams_by_feature(grams), partners, english, chance)
    return [glosser.sentence(*row) for row in zip(rows, trees, e_lemmas, links, strict=True)]


def _mutual(probabilities: dict[tuple[int, int], float]) -> dict[int, int]:
    """The E word of each F word, where each is the best partner of the other."""
    best_f: dict[int, tuple[float, int]] = {}
    best_e: dict[int, tuple[float, int]] = {}
    for (i, j), p in probabilities.items():
        best_f[i] = max(best_f.get(i, (0.0, 0)), (p, -j))
        best_e[j] = max(best_e.get(j, (0.0, 0)), (p, -i))
    return {i: -j for i, (_, j) in best_f.items() if best_e[-j][1] == -i}
