"""Word vectors as a source of candidates in phrase alignment: none, or those of the English parser at several thresholds.

Edinburgh paraphrases, split as in `phrases_edinburgh.py`: EM sees the trees of train, dev chooses the threshold (mean of both F1s),
test is scored for what was chosen. Costs are those found there before.

python bench/phrases_vectors.py
"""

from __future__ import annotations

from dataclasses import replace

from common import DATA, about
from phrases_data import Row, edinburgh, forests, lexicon, part_of
from phrases_edinburgh import scored

from divproj.evaluation.phrases import significance
from divproj.phrases import embeddings
from divproj.phrases.aligner import PhraseAligner
from divproj.phrases.candidates import candidates
from divproj.phrases.results import PhraseAlignment

COSTS = {"null_cost": 3.0, "pair_cost": -1.6, "noncomp_cost": 1.0}
THRESHOLDS = (0.6, 0.7, 0.75, 0.8, 0.85, 0.9)
HEADS = "multiword R | P | F1 | all R | P | F1"


def main() -> None:
    rows: dict[str, list[Row]] = {"train": [], "dev": [], "test": []}
    for row in edinburgh(DATA):
        rows[part_of(row)].append(row)
    pairs = {name: [forests(row, "all") for row in part] for name, part in rows.items()}
    sources = {"en": embeddings.shipped("en")}
    print(f"Vectors in phrase alignment; {about()}\n\ndev\n\n| vectors | {HEADS} |\n|---|{'---|' * 6}", flush=True)
    makers: dict[str, tuple[PhraseAligner, object]] = {}
    values: dict[str, float] = {}
    for name, known in {"none": None, **sources}.items():
        for cosine in THRESHOLDS if known else (1.0,):
            words = replace(lexicon(), embeddings=known, threshold=cosine)
            title = f"{name}, {cosine}" if known else name

            def answers(part: str, aligner: PhraseAligner, words=words) -> list[PhraseAlignment]:  # type: ignore[no-untyped-def]
                return aligner.predict(pairs[part], [candidates(s, t, words) for s, t in pairs[part]])

            aligner = PhraseAligner(relation=words.relation, random_state=1, max_seconds=0, word_cost=0, **COSTS)
            aligner.fit(pairs["train"], [candidates(s, t, words) for s, t in pairs["train"]])
            found = answers("dev", aligner)
            multi, every = scored(rows["dev"], found), scored(rows["dev"], found, "")
            values[title] = (multi.f1 + every.f1) / 2
            makers[title] = aligner, answers
            print(_line(title, multi, every), flush=True)
    chosen = ["none"] + [max((t for t in values if t.startswith(name)), key=values.__getitem__) for name in sources]
    print(f"\ntest, what dev chose of each; p against none\n\n| vectors | {HEADS} | p (multiword, all) |\n|---|{'---|' * 7}")
    first = None
    for title in chosen:
        aligner, answers = makers[title]  # type: ignore[assignment]
        found = answers("test", aligner)
        parts = scored(rows["test"], found), scored(rows["test"], found, "")
        p = "" if first is None else ", ".join(f"{significance(a, b):.4f}" for a, b in zip(first, parts, strict=True))
        first = first or parts
        print(f"{_line(title, *parts)} {p} |", flush=True)


def _line(title: str, *parts: object) -> str:
    return f"| {title} | " + " | ".join(f"{x.recall:.2f} | {x.precision:.2f} | {x.f1:.2f}" for x in parts) + " |"  # type: ignore[attr-defined]


if __name__ == "__main__":
    main()
