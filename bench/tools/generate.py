"""A corpus of sentence pairs whose divergence is known because it was made: the same seed gives the same bytes.

python bench/tools/generate.py FOLDER [--pairs 1000000] [--seed 1] [--remove 0.1] [--merge 0.1] [--swap 0.05]
python bench/tools/generate.py FOLDER --glossed [--pairs 100000] [--seed 1]

Each pair starts as one tree on both sides. Then words lose their link (remove), a word of one side becomes two that share its
link (merge), and a dependent of E takes its head's place (swap), at these rates, in places that do not touch. What was done is
printed as JSON.

With `--glossed` the folder gets `igt.txt`: sentences of an invented verb-final language, with glosses and English translations.
"""

from __future__ import annotations

import argparse
import json
import random
from collections import Counter
from contextlib import ExitStack
from pathlib import Path

TAGS = ("NOUN", "VERB", "ADP", "DET", "PRON", "ADJ", "ADV", "AUX", "PROPN", "PART")
RELS = ("nsubj", "obj", "obl", "det", "case", "amod", "advmod", "aux", "nmod", "mark")
TYPES = 20_000
LENGTH = (4, 16)


def projective(rng: random.Random, n: int) -> list[int]:
    """Heads of words 1..n (place 0 is not used): a word of each span governs what is to its left and right."""
    heads = [0] * (n + 1)
    spans = [(1, n, 0)]
    while spans:
        low, high, head = spans.pop()
        if low <= high:
            word = rng.randint(low, high)
            heads[word] = head
            spans += [(low, word - 1, word), (word + 1, high, word)]
    return heads


class Pair:
    """Heads of both sides and the links between them; words of F and of E that have the same number were one."""

    def __init__(self, rng: random.Random, rates: dict[str, float]) -> None:
        self.n = n = rng.randint(*LENGTH)
        self.heads = {"f": projective(rng, n)}
        self.heads["e"] = list(self.heads["f"])
        self.made: list[str] = []
        links = {(k, k) for k in range(1, n + 1)}
        free = set(links)
        for word in rng.sample(range(1, n + 1), n):
            kind = rng.choices((*rates, ""), (*rates.values(), 1 - sum(rates.values())))[0]
            head = self.heads["f"][word]
            if (word, word) not in free or not kind:
                continue
            if kind == "remove":
                links.discard((word, word))
            elif kind == "merge":
                side = rng.choice("fe")
                self.heads[side].append(word)
                new = len(self.heads[side]) - 1
                links.add((new, word) if side == "f" else (word, new))
            elif head and (head, head) in free:
                e = self.heads["e"]
                e[word], e[head] = e[head], word
                free.discard((head, head))
            else:
                continue
            free.discard((word, word))
            self.made.append(kind)
        self.links = sorted(links)


def rows(rng: random.Random, sent_id: int, heads: list[int], letter: str) -> str:
    lines = [f"# sent_id = {sent_id}"]
    for k, head in enumerate(heads[1:], 1):
        word = int(TYPES ** rng.random())  # few types are frequent, many are rare
        rel = RELS[word % len(RELS)] if head else "root"
        lines.append(f"{k}\t{letter}{word}\t{letter}{word}\t{TAGS[word % len(TAGS)]}\t_\t_\t{head}\t{rel}\t_\t_")
    return "\n".join(lines) + "\n\n"


def generate(folder: Path, pairs: int, seed: int = 1, **rates: float) -> Counter[str]:
    """Write f.conllu, e.conllu and align.txt; returns how often each change was made."""
    rng = random.Random(seed)
    done: Counter[str] = Counter()
    folder.mkdir(parents=True, exist_ok=True)
    with ExitStack() as files:
        f, e, align = (
            files.enter_context((folder / name).open("w", encoding="utf-8", newline="\n"))
            for name in ("f.conllu", "e.conllu", "align.txt")
        )
        for number in range(1, pairs + 1):
            pair = Pair(rng, rates)
            f.write(rows(rng, number, pair.heads["f"], "f"))
            e.write(rows(rng, number, pair.heads["e"], "e"))
            align.write(" ".join(f"{i - 1}-{j - 1}" for i, j in pair.links) + "\n")
            done.update(pair.made)
            done["words"] += len(pair.heads["f"]) + len(pair.heads["e"]) - 2
    return done


WORDS = """
man, woman, child, dog, cat, bird, house, river, stone, tree, fire, water, meat, bread, salt, knife, boat, net, fish, road, hill, field,
rain, wind, night, day, moon, sun, star, sister, brother, father, mother, friend, chief, hunter, healer, singer, basket, pot, rope, drum,
door, roof, garden, goat, sheep, horse, cow, hen, egg, seed, root, leaf, fruit, grass, sand, cloud, storm, winter, summer, morning, village,
market, school, book, letter, song, story, name, word, hand, eye, ear, foot, head, heart, bone

see saw, find found, carry carried, eat ate, cook cooked, break broke, build built, bring brought, call called, catch caught, cut cut, dig
dug, draw drew, drink drank, follow followed, forget forgot, give gave, hear heard, hide hid, hold held, hunt hunted, kill killed, know
knew, leave left, like liked, lose lost, make made, meet met, open opened, pull pulled, push pushed, read read, remember remembered, sell
sold, send sent, show showed, steal stole, take took, teach taught, throw threw, tie tied, touch touched, want wanted, wash washed, watch
watched, write wrote

big, small, old, young, red, white, black, green, good, bad, long, short, heavy, light, hot, cold, new, strong, weak, happy, sad, tall, wet,
dry, deep

quickly, slowly, yesterday, today, often, never, again, here, there, early
"""
"""Nouns, verbs with their past, adjectives and adverbs, in English."""
NOUNS, VERBS, ADJECTIVES, ADVERBS = (part.replace(",\n", ", ").split(", ") for part in WORDS.strip().split("\n\n"))
NAMES = 4000
"""Invented names of people: the long tail of rare types."""


class Language:
    """An invented language that puts verbs last: stems for English words, suffixes for cases, numbers and tenses."""

    def __init__(self, rng: random.Random) -> None:
        self.rng = rng
        self.stems: dict[str, str] = {}
        self.suffixes = {gram: self.syllable() for gram in ("PL", "ACC", "LOC", "GEN", "PST", "NEG", "3PL")}
        self.names = [self.syllable().capitalize() + self.syllable() + self.syllable() for _ in range(NAMES)]

    def syllable(self) -> str:
        return self.rng.choice("bdfghjklmnprstvz") + self.rng.choice("aeiou")

    def word(self, english: str, *grams: str) -> tuple[str, str]:
        """The word for an English one with these suffixes, and its gloss."""
        stem = self.stems.setdefault(english, "".join(self.syllable() for _ in range(self.rng.randint(1, 3))))
        return "-".join([stem, *(self.suffixes[gram] for gram in grams)]), "-".join([english, *grams])

    def phrase(self, case: str = "") -> tuple[list[tuple[str, str]], str]:
        """A noun phrase, and its translation."""
        if self.rng.random() < 0.12:
            name = self.names[int(NAMES ** self.rng.random()) - 1]
            form = f"{name}-{self.suffixes[case]}" if case else name
            return [(form, f"{name}-{case}" if case else name)], name
        noun, many = self.rng.choice(NOUNS), self.rng.random() < 0.25
        grams = [
            *(["PL"] if many and noun not in ("man", "woman", "child", "foot", "sheep", "fish") else []),
            *([case] if case else []),
        ]
        words, english = [], "the"
        if self.rng.random() < 0.35:
            adjective = self.rng.choice(ADJECTIVES)
            words.append(self.word(adjective))
            english += f" {adjective}"
        words.append(self.word(noun, *grams))
        english += f" {noun}{'s' * ('PL' in grams)}"
        if not case and self.rng.random() < 0.15:
            owner, of = self.phrase("GEN")
            return owner + words, f"{english} of {of}"
        return words, english

    def clauses(self) -> tuple[list[tuple[str, str]], str]:
        """Words with their glosses, and the translation, of one clause or several."""
        subject, does = self.phrase()
        object_, to = self.phrase("ACC")
        verb, past = self.rng.choice(VERBS).split()
        negated = self.rng.random() < 0.1
        words, english = [*subject], f"{does} {'did not ' + verb if negated else past} {to}"
        if self.rng.random() < 0.4:
            place, at = self.phrase("LOC")
            words += place
            english += f" in {at}"
        if self.rng.random() < 0.2:
            adverb = self.rng.choice(ADVERBS)
            words.append(self.word(adverb))
            english += f" {adverb}"
        words += object_
        words.append(self.word(verb, "PST", *(["NEG"] if negated else [])))
        if self.rng.random() < 0.25:
            other, more = self.clauses()
            return [*words, self.word("and"), *other], f"{english}, and {more}"
        return words, english


def glossed(folder: Path, sentences: int, seed: int = 1) -> Counter[str]:
    """Write igt.txt; returns the number of words."""
    rng = random.Random(seed)
    language, done = Language(rng), Counter[str]()
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / "igt.txt").open("w", encoding="utf-8", newline="\n") as out:
        for _ in range(sentences):
            words, english = language.clauses()
            forms, glosses = zip(*words, strict=True)
            out.write(f"{' '.join(forms)}\n{' '.join(glosses)}\n'{english[0].upper()}{english[1:]}.'\n\n")
            done["words"] += len(words)
    return done


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--glossed", action="store_true", help="Glossed text of an invented language instead of two treebanks.")
    parser.add_argument("--pairs", type=int, default=1_000_000)
    parser.add_argument("--seed", type=int, default=1)
    for name, rate in (("remove", 0.1), ("merge", 0.1), ("swap", 0.05)):
        parser.add_argument(f"--{name}", type=float, default=rate)
    options = vars(parser.parse_args())
    is_glossed = options.pop("glossed")
    done = glossed(options["folder"], options["pairs"], options["seed"]) if is_glossed else generate(**options)
    print(json.dumps({"pairs": options["pairs"], "seed": options["seed"], **done}))


if __name__ == "__main__":
    main()
