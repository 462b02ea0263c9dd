"""A corpus of sentence pairs whose divergence is known because it was made: the same seed gives the same bytes.

python bench/tools/generate.py FOLDER [--pairs 1000000] [--seed 1] [--remove 0.1] [--merge 0.1] [--swap 0.05]

Each pair starts as one tree on both sides. Then words lose their link (remove), a word of one side becomes two that share its
link (merge), and a dependent of E takes its head's place (swap), at these rates, in places that do not touch. What was done is
printed as JSON.
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


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--pairs", type=int, default=1_000_000)
    parser.add_argument("--seed", type=int, default=1)
    for name, rate in (("remove", 0.1), ("merge", 0.1), ("swap", 0.05)):
        parser.add_argument(f"--{name}", type=float, default=rate)
    options = vars(parser.parse_args())
    print(json.dumps({"pairs": options["pairs"], "seed": options["seed"], **generate(**options)}))


if __name__ == "__main__":
    main()
