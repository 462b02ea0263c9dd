"""Sentences that come after the text that a system has adapted to: are their trees as good as those of sentences in the text?

    python bench/accuracy/late_sentences.py [--banks kir,hau_s] [--cap 1000]

The shipped s6 adapts to the whole bank; or to nineteen twentieths of it and projects the rest with that state (every twentieth sentence in
turn), as it does with sentence 5,001 of a text; or it sees each sentence alone. *Again*: the state of the whole bank, but the analyses of its
sentences are made anew, as for a sentence that is given alone after the text was seen. The shipped model has learned from these banks, so only
differences between the columns mean anything. Reads ../shared/data/glossbanks.
"""

from __future__ import annotations

import argparse
import sys
from dataclasses import replace
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
from bench.accuracy.glossbanks import banks, judge
from bench.common import DATA, Table, need

from divproj.projection.glossed.s6 import S6
from divproj.runtime.vectors import shipped_vectors

FOLDS = 20


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--banks", default="kir,hau_s")
    parser.add_argument("--cap", type=int, default=1000)
    options = parser.parse_args()
    need(DATA / "glossbanks")
    system = S6()
    caption = f"UAS / LAS without punctuation, shipped s6, up to {options.cap} sentences a bank"
    with Table(
        "late_sentences", caption, "bank", "sentences", "in the text", "again", "after the text", "alone", seed=1
    ) as table:
        for bank in banks(DATA, options.cap, shipped_vectors("en"), set(options.banks.split(","))):
            whole = system.adapt(bank.sentences)
            inside = [system.project(sentence, whole) for sentence in bank.sentences]
            again = [
                system.project(replace(sentence, sent_id=f"{sentence.sent_id} again"), whole) for sentence in bank.sentences
            ]
            late = list(inside)
            for fold in range(FOLDS):
                state = system.adapt([s for k, s in enumerate(bank.sentences) if k % FOLDS != fold])
                for k in range(fold, len(late), FOLDS):
                    late[k] = system.project(bank.sentences[k], state)
            alone = [system.project(sentence, system.adapt([sentence])) for sentence in bank.sentences]
            cells = ("{:.1f} / {:.1f}".format(*judge(bank, rows)[:2]) for rows in (inside, again, late, alone))
            table.add(bank.name, len(bank.sentences), *cells)


if __name__ == "__main__":
    main()
