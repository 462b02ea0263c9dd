"""What part of speech an English word of a gloss usually is, from a treebank's counts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field

from divproj.projection.ud_names import UPOS as UPOS
from divproj.runtime.vectors import WordVectors

_ENDINGS = (
    ("ly", "ADV"), ("ing", "VERB"), ("ed", "VERB"), ("tion", "NOUN"), ("ness", "NOUN"), ("ment", "NOUN"), ("ity", "NOUN"),
    ("er", "NOUN"), ("ous", "ADJ"), ("ful", "ADJ"), ("able", "ADJ"), ("ish", "ADJ"), ("ize", "VERB"), ("s", "NOUN"),
)  # fmt: skip


@dataclass(frozen=True)
class English:
    """Words in lower case with their usual tag, the second one ('' for none) and how usual the first is, in tenths."""

    words: dict[str, tuple[str, str, int]] = field(default_factory=dict)

    @classmethod
    def of(cls, tokens: Iterable[tuple[str, str, str]], least: int = 2) -> English:
        """From (form, lemma, UPOS) of a treebank; words seen less often than `least` are left out."""
        seen: dict[str, Counter[str]] = {}
        for form, lemma, tag in tokens:
            if tag in UPOS and tag != "PUNCT":
                for word in {form.lower(), lemma.lower()}:
                    seen.setdefault(word, Counter())[tag] += 1
        made = {}
        for word, tags in sorted(seen.items()):
            total = tags.total()
            if total >= least:
                ranked = sorted(tags.items(), key=lambda item: (-item[1], item[0]))
                second = ranked[1][0] if len(ranked) > 1 and ranked[1][1] * 10 >= total else ""
                made[word] = ranked[0][0], second, min(9, 10 * ranked[0][1] // total)
        return cls(made)

    def __contains__(self, word: str) -> bool:
        return word in self.words

    def tags(self, word: str) -> tuple[str, str, int]:
        """The usual tags of a word; of an unknown one what its ending suggests.

        >>> English().tags("slowly"), English().tags("blorp")
        (('ADV', '', 0), ('', '', 0))
        """
        found = self.words.get(word)
        if found is None:
            tag = next((tag for ending, tag in _ENDINGS if word.endswith(ending) and len(word) > len(ending) + 2), "")
            found = tag, "", 0
        return found


OPEN = ("ADJ", "ADV", "INTJ", "NOUN", "NUM", "PROPN", "VERB")
WIDEST = 30_000
"""Words of a table of vectors that get a tag."""


def widened(counted: English, rare: English, vectors: WordVectors) -> English:
    """`counted` with words that a treebank has seldom or never: tags by their vectors, learned from words with one tag.

    `rare` has all words of the treebank.
    """
    from sklearn.linear_model import LogisticRegression

    known = [
        (word, tags[0]) for word, tags in sorted(rare.words.items()) if tags[0] in OPEN and tags[2] >= 6 and word in vectors
    ]
    learned = LogisticRegression(C=3.0, max_iter=300).fit([vectors.vector(w) for w, _ in known], [tag for _, tag in known])
    more = [w for w in vectors.words[:WIDEST] if w.isalpha() and w not in counted]
    made = dict(counted.words)
    for word, chances in zip(more, learned.predict_proba([vectors.vector(w) for w in more]), strict=True):
        order = sorted(range(len(chances)), key=lambda k: -chances[k])
        first, second = (str(learned.classes_[k]) for k in order[:2])
        if first == "PROPN" and chances[order[0]] < 0.6:
            first, second = second, ""
        first = rare.words[word][0] if word in rare else first
        made[word] = first, second if chances[order[1]] > 0.2 and second != first else "", int(5 * chances[order[0]])
    return English(made)
