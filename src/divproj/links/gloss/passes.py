"""The passes of the gloss aligner over one sentence, the surest first.

Content words are linked first; function words and grams then go where the words around them went.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from divproj.data.igt import morphs
from divproj.links.gloss.gloss_tokens import FUNCTION, Token, plain, punctuation
from divproj.links.gloss.grams import folded
from divproj.links.gloss.link_context import Neighbours
from divproj.links.settings import CLASS_MISFIT, GRAM_RANK, NEGATION_RANK, PASS_SCORES, PLACE_FIT, SECOND_LINK, SIMILAR_MEANING
from divproj.text.stems import relation

TENSE = frozenset({"aspect", "auxiliary", "mood", "tense", "verbal", "voice"})
CLAUSE = frozenset({"clause", "conjunction", "question", "relative"})
SUBJECT = TENSE | CLAUSE
"""Kinds that make a word with a person a mark of the subject."""
BOUND = frozenset({"article", "case", "core", "infinitive", "linker"})
"""Kinds whose affixes are words before the same noun or verb."""
PARTICIPLES = {"en": ("ing",), "es": ("ando", "iendo", "yendo")}
"""Endings of the form that goes with a progressive auxiliary."""


Option = tuple[int, str]
"""A word of the translation and the pass that proposes it."""
Proposal = tuple[int, int, list[Option]]
"""A token (negative: a whole gloss), its word, and its options."""


class Sieve(Neighbours):
    """The passes; each adds links to those of the passes before it."""

    def run(self) -> dict[tuple[int, int], tuple[float, str]]:
        """Score and pass of each link."""
        if self.n and self.m:
            self.punctuation()
            self.names()
            proposed = [(k, t.word, options) for k, t in self.waiting() if (options := self.options(t.part.text))]
            self.words([*proposed, *self.compounds()], function=False)
            self.relations()
            self.words(proposed, function=True)
            self.gram_words()
            self.adpositions()
            self.progressives()
            self.meanings()
            self.left_over()
        return self.found

    def punctuation(self) -> None:
        """Each mark to the same mark, from the end when there are more on one side."""
        ours: dict[str, list[int]] = {}
        theirs: dict[str, list[int]] = {}
        for i, word in enumerate(self.igt.words):
            if mark := punctuation(word):
                ours.setdefault(mark, []).append(i)
        for j, mark in enumerate(self.e.marks):
            if mark:
                theirs.setdefault(mark, []).append(j)
        for mark, places in ours.items():
            for i, j in zip(reversed(places), reversed(theirs.get(mark, ())), strict=False):
                self.link(i, j, "punctuation")

    def names(self) -> None:
        """Names and numbers that the sentence itself shares with its translation, with or without case endings."""
        named: dict[str, list[int]] = {}
        for j, word in enumerate(self.e.words):
            if self.e.forms[j] and not self.e.marks[j] and (word[0].isdigit() or word != word.lower()):
                named.setdefault(plain(word), []).append(j)
        if not named:
            return
        segments = self.igt.segments if len(self.igt.segments) == self.n else self.igt.words
        pairs: set[tuple[int, int]] = set()
        for i, word in enumerate(segments):
            if word == word.lower() and not any(map(str.isdigit, word)):
                continue
            whole, first = plain(word), plain(morphs(word)[0])
            spelled = {whole, first} | {
                name
                for name in named
                if len(name) > 3 and name.isalpha() and first.startswith(name) and len(first) - len(name) < 4
            }
            row = self.rows[i]
            letter = row[0].part.text if len(row) == 1 else ""
            if len(letter) == 1 and letter.isalpha() and letter not in self.e.by_form and not row[0].part.gram:
                spelled |= {name for name in named if name.startswith(letter)}
            for name in spelled:
                if len(name) > 1 or name.isdigit():
                    pairs |= {(i, j) for j in named.get(name, ()) if not self.contradicted(i, j)}
        left: set[int] = set()
        for i, j in sorted(pairs, key=lambda pair: (-self.near(*pair), pair)):
            if i not in left and not self.f_of[j]:
                left.add(i)
                self.link(i, j, "name")

    def contradicted(self, i: int, j: int) -> bool:
        """Whether the gloss of word i is another word of the translation."""
        texts = [token.part.text for token in self.rows[i] if token.part.plain]
        return any(
            j not in self.e.by_form.get(text, ()) and (text in self.e.by_form or text in self.e.by_lemma) for text in texts
        )

    def options(self, text: str) -> list[Option]:
        """Words of the translation that are a gloss word or a form of it."""
        bare = text.rstrip("0123456789")
        if len(bare) > 1 and bare != text and text not in self.e.by_form:  # `man2`, the second sense of a word
            text = bare
        found = dict.fromkeys(self.e.by_form.get(text, ()), "exact")
        for lemma in self.lemmas(text):
            for j in self.e.by_lemma.get(lemma, ()):
                found.setdefault(j, "lemma")
        return [(j, found[j]) for j in sorted(found) if not self.e.supports(j)]

    def words(self, proposed: Iterable[Proposal], *, function: bool) -> None:
        """Gloss words that are in the translation, as they stand or in another form."""
        proposals: list[Proposal] = []
        rivals: Counter[int] = Counter()
        for k, i, found in proposed:
            options = [option for option in found if self.e.content[option[0]] != function] if k not in self.done else []
            if options:
                proposals.append((k, i, options))
                rivals.update(j for j, _ in options)
        taken: set[int] = set()
        hard: list[Proposal] = []
        for k, i, options in proposals:
            j, source = options[0]
            if len(options) == 1 and rivals[j] == 1:
                self.link(i, j, source, k)
                taken.add(j)
            else:
                hard.append((k, i, options))
        fit = self.anchor if function else self.near
        ranked = sorted((source != "exact", -fit(i, j), i, j, k, source) for k, i, options in hard for j, source in options)
        for _, _, i, j, k, source in ranked:
            if k not in self.done and j not in taken and not self.misplaced(i, j):
                self.link(i, j, source, k)
                taken.add(j)
        for _, _, i, j, k, source in ranked:
            if k not in self.done and not self.e_of[i] and (not function or "negation" in self.e.kinds[j]):
                self.link(i, j, source, k, SECOND_LINK)

    def compounds(self) -> list[Proposal]:
        """Glosses of several parts that the translation writes as one word."""
        found = []
        for i, row in enumerate(self.rows):
            parts = [token.part.text for token in row if token.part.plain]
            if len(parts) > 1:
                places = self.e.by_form.get("".join(parts)) or self.e.by_lemma.get("".join(parts))
                if places:
                    found.append((-2 - i, i, [(j, "exact") for j in places]))
        return found

    def misplaced(self, i: int, j: int) -> bool:
        """Whether an article is far from the noun that it belongs to."""
        return "article" in self.e.kinds[j] and self.gap(i, j) > 3

    def relations(self) -> None:
        """Derivation, synonyms, spelling: content words still without a link."""
        free = [j for j in range(self.m) if self.e.content[j] and not self.f_of[j]]
        if not free:
            return
        ranked = []
        for k, token in self.waiting():
            text = token.part.text
            for j in free if len(text) > 1 else ():
                source = relation(text, self.e.forms[j], name=self.e.words[j][:1].isupper())
                if source:
                    ranked.append((-PASS_SCORES[source], -self.near(token.word, j), k, j, source))
        for _, _, k, j, source in sorted(ranked):
            if k not in self.done and not self.f_of[j]:
                self.link(self.tokens[k].word, j, source, k)

    def gram_words(self) -> None:
        """Grams and the words that stand for them: possessors on their noun, independent words, then other affixes."""
        ranked = []
        for k, token in enumerate(self.tokens):
            kind, words = self.meaning(token) if k not in self.done else ("", ())
            if not words:
                continue
            i = token.word
            free = self.is_free(i)
            for rank, word in enumerate(folded(words)):
                for j in self.e.by_form.get(word, ()):
                    if self.fits(token, j, kind, rank, free):
                        own = not free and kind == "person" and i in self.head(j) and self.e.forms[j] in self.grams.possessives
                        order = -self.anchor(i, j) + (NEGATION_RANK if kind == "negation" else GRAM_RANK) * rank
                        if kind == "person" and not own:
                            other = self.e.forms[j] in self.grams.possessives and "POSS" not in token.part.features
                            order += other + ("article" in self.e.kinds[j])
                        ranked.append((0 if own else 1 if free else 2, order, k, j, kind))
        for _, _, k, j, kind in sorted(ranked):
            if k not in self.done and (not self.f_of[j] or kind == "negation"):
                self.link(self.tokens[k].word, j, "gram", k)

    def is_free(self, i: int) -> bool:
        """Whether the gloss of word i is grams alone."""
        row = enumerate(self.rows[i], self.starts[i])
        return all(not token.part.plain or (token.part.gram and k not in self.done) for k, token in row)

    def meaning(self, token: Token) -> tuple[str, tuple[str, ...]]:
        """Kind and words of a gram; plain pronouns, negations and the like may stand for others of their kind."""
        part = token.part
        if part.gram:
            return part.gram.kind, part.gram.words
        kinds = self.grams.closed.get(part.text, frozenset())
        if "person" in kinds:
            for lemma in sorted(self.lemmas(part.text)):
                if lemma in self.grams.pronouns:
                    return "person", self.grams.pronouns[lemma]
        for kind, name in (("negation", "NEG"), ("relative", "REL"), ("genitive", "GEN"), ("article", "INDF")):
            if kind in kinds and part.text in (words := self.grams.words(name)):
                return kind, words
        return "", ()

    def fits(self, token: Token, j: int, kind: str, rank: int, free: bool) -> bool:
        """Whether a gram of this kind may go to word j."""
        form, i = self.e.forms[j], token.word
        if kind == "negation":
            return "negation" in self.e.kinds[j]
        if self.f_of[j] or (self.e.content[j] and kind in FUNCTION):
            return False
        row = self.rows[i]
        alone = free and not row[0].part.features
        if kind == "person":
            return self.fits_person(row, i, j)
        if kind in TENSE and self.e.content[j]:
            return self.e.classes[j] in ("", "R")
        if kind in TENSE:
            if alone:
                return any(abs(other - i) <= 2 for other in self.head(j) + self.beside(j, -1, 4))
            return (
                kind == "tense"
                and token.part.gram is not None
                and token.part.gram.name == "FUT"
                and rank < 3
                and (i in self.head(j) or not self.e_of[i])
            )
        if kind in CLAUSE:
            return alone and not (kind == "question" and self.e.classes[j] == "V")
        if kind == "genitive":
            if form.startswith("'"):
                return j > 0 and any(abs(other - i) <= (2 if free else 0) for other in self.f_of[j - 1])
            return free or (self.grams.language != "en" and i in self.head(j))
        if kind in BOUND:
            if free or (kind == "article" and all(t.function for t in row)):
                return not self.misplaced(i, j)
            return (
                i in self.head(j)
                and not all(t.function for t in row)
                and not (token.part.gram and token.part.gram.name == "DAT")
            )
        return True

    def fits_person(self, row: list[Token], i: int, j: int) -> bool:
        """A subject mark is no possessor, nor an object behind its verb or a preposition; an affix is no article."""
        if "article" in self.e.kinds[j] and self.e.classes[j] != "P" and any(not t.function for t in row):
            return False
        subject = any(t.part.gram and t.part.gram.kind in SUBJECT for t in row) and not any(
            t.part.plain and not t.part.gram for t in row
        )
        if not subject:
            return True
        if self.e.forms[j] in self.grams.possessives and i not in self.head(j):
            return False
        if not j:
            return True
        return "case" not in self.e.kinds[j - 1] and not (
            self.e.content[j - 1] and any(other > i for other in self.f_of[j - 1])
        )

    def adpositions(self) -> None:
        """One preposition for another, before the same noun."""
        free = [j for j in range(self.m) if self.is_preposition(j) and not self.f_of[j] and self.head(j)]
        ranked = []
        for k, token in enumerate(self.tokens if free else ()):
            part, i = token.part, token.word
            kinds = self.grams.closed.get(part.text, frozenset()) if part.plain else frozenset()
            label = bool(part.gram and part.gram.kind == "case" and self.is_free(i))
            bound = any(not t.function for t in self.rows[i])
            if k not in self.done and (label or ("case" in kinds and not (bound and "genitive" in kinds))):
                ranked += [(label, self.gap(i, j), -j, k) for j in free if self.gap(i, j) <= (0 if bound else 2)]
        for _, _, j, k in sorted(ranked):
            if k not in self.done and not self.f_of[-j]:
                self.link(self.tokens[k].word, -j, "adposition", k)

    def is_preposition(self, j: int) -> bool:
        """Whether word j is a preposition, not the *to* of an infinitive nor a conjunction."""
        kinds = self.e.kinds[j]
        if "case" not in kinds or "conjunction" in kinds or self.e.content[j]:
            return False
        return not ("infinitive" in kinds and j + 1 < self.m and self.e.classes[j + 1] == "V")

    def progressives(self) -> None:
        """A word that is the progressive alone goes with its verb."""
        endings = PARTICIPLES.get(self.grams.language)
        for k, token in enumerate(self.tokens):
            gram, i = token.part.gram, token.word
            if (
                endings
                and not self.e_of[i]
                and gram
                and gram.name in ("PROG", "CONT", "DUR")
                and not any(t.part.features for t in self.rows[i])
            ):
                verbs = [
                    j
                    for other in (i + 1, i - 1)
                    if 0 <= other < self.n
                    for j in self.e_of[other]
                    if self.e.forms[j].endswith(endings)
                ]
                if verbs:
                    self.link(i, verbs[0], "progressive", k)

    def meanings(self) -> None:
        """Content words without a link and free words of the translation that mean about the same."""
        if self.likenesses is None:
            return
        free = [j for j in range(self.m) if self.e.content[j] and not self.f_of[j]]
        waiting: dict[int, list[str]] = {}
        for _, token in self.waiting():
            if not token.function and not self.e_of[token.word] and not self.is_label(token.word):
                waiting.setdefault(token.word, []).append(token.part.text)
        ranked = []
        for i, texts in waiting.items() if free else ():
            for j in free:
                fit = self.likenesses.likeness(".".join(texts), self.e.forms[j])
                score = (
                    fit - (0.0 if self.same_class(i, j) else CLASS_MISFIT) + PLACE_FIT * min(1.0, max(-1.0, self.near(i, j)))
                )
                if score >= SIMILAR_MEANING:
                    ranked.append((-score, i, j))
        for _, i, j in sorted(ranked):
            if not self.e_of[i] and not self.f_of[j]:
                self.link(i, j, "meaning")

    def left_over(self) -> None:
        """Content words that nothing else fits: of one class and the only ones, or between linked neighbours."""
        ours = sorted(
            {
                token.word
                for _, token in self.waiting()
                if not token.function and not self.e_of[token.word] and not self.is_label(token.word)
            }
        )
        theirs = [j for j in range(self.m) if not self.f_of[j] and self.e.content[j]]
        pairs = [(i, j) for i in ours for j in theirs if self.same_class(i, j)]
        choices = Counter(i for i, _ in pairs), Counter(j for _, j in pairs)
        for i, j in pairs:
            if (choices[0][i] == choices[1][j] == 1 or self.between(i, j)) and not self.e_of[i] and not self.f_of[j]:
                self.link(i, j, "left over")

    def is_label(self, i: int) -> bool:
        """Whether the gloss of word i is in capitals: a gram that the table does not know."""
        glosses = self.igt.glosses
        return len(glosses) == self.n and glosses[i].isupper() and not self.igt.words[i].isupper()

    def between(self, i: int, j: int) -> bool:
        """Whether both neighbours of word i are linked with those of word j."""
        left = j - 1 in self.e_of[i - 1] if i and j else i == j
        right = j + 1 in self.e_of[i + 1] if i + 1 < self.n and j + 1 < self.m else self.n - i == self.m - j
        return left and right

    def same_class(self, i: int, j: int) -> bool:
        """Whether the gloss of word i has nothing against the class of word j."""
        letter = self.e.classes[j]
        if not letter:
            return True
        kinds = {t.part.gram.kind for t in self.rows[i] if t.part.gram}
        if kinds & TENSE or any(t.part.plain and t.part.text.endswith(("ed", "ing")) for t in self.rows[i]):
            return letter in "VJ"
        return letter in "NQ" if kinds & {"case", "core", "genitive"} else True
