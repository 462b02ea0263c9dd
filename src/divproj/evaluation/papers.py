"""The tables of the three papers on data at hand, beside the papers' figures (`proj paper`).

`paper_table` makes one: it reads corpora, runs the experiment, and puts each figure next to the paper's (`rules/papers.toml`). A folder
is compared with the column whose names (`[columns]`) hold its own, so `odin/ger` and the sample corpus `deu-eng` stand beside the
paper's German; `GER=my-folder` says it outright. The notes say how the data differs from the paper's.

    proj paper georgi-4 odin/ger

    corpus  system   ours  paper  difference
    GER     s2-1    89.28  88.71       +0.57
"""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache, partial
from pathlib import Path
from statistics import fmean
from typing import Any

from divproj.core.errors import Faults, ProjError, Where
from divproj.core.pair import Pair
from divproj.divergence.analysis import Analysis, analyze
from divproj.evaluation.brackets import score_brackets, upper_bound
from divproj.evaluation.experiment import cross_validate
from divproj.evaluation.phrases import PhrasePairs, PhraseScore, ali_score, constituent_row, gold_rows, human_score, spade_rows
from divproj.forest.build import from_tree
from divproj.forest.dependencies import phrase_tree
from divproj.induction.ccm import CCM
from divproj.induction.inducer import BilingualInducer, parse_priors
from divproj.induction.reading import TagPair, constituents, tag_pair
from divproj.induction.training import PAPER
from divproj.io.corpus import Corpus
from divproj.io.files import F_FILE
from divproj.runtime.announce import passing
from divproj.runtime.resources import folder

FILE = "papers.toml"
SAMPLES = ("deu-eng", "hin-eng", "kor-eng", "spa-eng")
"""Corpora where none is given."""
SHARE_TO_LEARN = 0.8
"""Share of the pairs from which grammars are induced; the rest is tested on (the paper's split of the Chinese data)."""


@lru_cache(maxsize=1)
def paper_figures() -> dict[str, Any]:
    """The papers' figures, by table."""
    return tomllib.loads((folder("rules") / FILE).read_text(encoding="utf-8"))


@dataclass(frozen=True)
class PaperRow:
    """A figure of ours, the paper's, or both; `keys` say of what."""

    keys: tuple[str, ...]
    ours: float | None = None
    paper: float | None = None

    @property
    def difference(self) -> float | None:
        """
        >>> PaperRow(("GER", "s2-1"), 89.5, 88.5).difference
        1.0
        """
        return None if self.ours is None or self.paper is None else self.ours - self.paper


@dataclass
class PaperTable:
    """A table of a paper, made anew."""

    name: str
    title: str
    source: str
    keys: tuple[str, ...]
    rows: list[PaperRow] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    digits: int = 2

    def add(self, *keys: str, ours: float | None = None, paper: float | None = None) -> None:
        self.rows.append(PaperRow(keys, ours, paper))

    def figure(self, *keys: str) -> float | None:
        """Return our figure of these keys."""
        return next((row.ours for row in self.rows if row.keys == keys), None)

    def as_json(self) -> dict[str, Any]:
        rows = [
            dict(zip(self.keys, row.keys, strict=True)) | {"ours": row.ours, "paper": row.paper, "difference": row.difference}
            for row in self.rows
        ]
        return {"table": self.name, "title": self.title, "source": self.source, "rows": rows, "notes": self.notes}


@dataclass(frozen=True)
class Dataset:
    """Sentence pairs and the paper's column that they are compared with; '' for none."""

    label: str
    column: str
    pairs: tuple[Pair, ...]
    is_sample: bool = False


@dataclass(frozen=True)
class Request:
    """What a table is made from."""

    data: tuple[str, ...]
    seed: int = 1
    runs: int = 1
    """Runs that are averaged, with the seeds from `seed` on."""
    jobs: int = 1

    @property
    def seeds(self) -> range:
        return range(self.seed, self.seed + self.runs)

    def corpora(self, default: Sequence[str] = SAMPLES) -> list[Dataset]:
        """The corpora named by arguments: `FOLDER`, a folder of such folders, or `COLUMN=FOLDER`."""
        given = [place for name in self.data or default for place in _folders(name)]
        return [self._dataset(name, bool(self.data)) for name in given]

    @staticmethod
    def _dataset(name: str, is_given: bool) -> Dataset:
        column, equals, place = name.rpartition("=")
        corpus = Corpus.at(place, faults=Faults(strict=False))
        known: Mapping[str, list[str]] = paper_figures()["columns"]
        if equals and column not in known:
            raise ProjError(f"no column {column} in the paper's tables", Where(name), f"choose one of {', '.join(known)}")
        label = Path(place).name.lower()
        column = column or next((code for code, names in known.items() if label in names), "")
        pairs = tuple(pair for pair in corpus if pair.f_rows is None or not pair.f_rows.is_draft)
        if not pairs:
            raise ProjError("no usable sentence pair with gold trees", Where(place), "see what `proj analyze` says of it")
        return Dataset(column or label, column, pairs, not is_given or label in SAMPLES)


def _folders(name: str) -> list[str]:
    """The corpus folders that an argument names."""
    _, equals, place = name.rpartition("=")
    path = Path(place)
    inside = sorted(path.iterdir()) if path.is_dir() and not equals and not (path / F_FILE).exists() else []
    corpora = [str(each) for each in inside if (each / F_FILE).is_file()]
    if inside and not corpora:
        raise ProjError("neither a corpus folder nor a folder of such folders", Where(place), "`proj corpora` shows one")
    return corpora or [name]


def _say_what_differs(table: PaperTable, data: Iterable[Dataset]) -> None:
    """Note how corpora differ from the paper's."""
    sizes = paper_figures()["georgi-1"]
    for each in data:
        ours = [len(each.pairs), *(sum(len(getattr(pair, side)) for pair in each.pairs) for side in "fe")]
        shown = f"{ours[0]} pairs of {ours[1]} and {ours[2]} words"
        theirs = sizes.get(each.column)
        if each.is_sample:
            table.notes.append(
                f"{each.label}: divproj's sample corpus, {shown}; other sentences than the paper's, and short ones."
            )
        elif theirs is None:
            table.notes.append(f"{each.label}: {shown}; the paper has no such column.")
        elif ours == theirs:
            table.notes.append(f"{each.label}: {shown}, as in the paper.")
        else:
            table.notes.append(f"{each.label}: {shown}; the paper has {theirs[0]} of {theirs[1]} and {theirs[2]}.")


def _start(name: str, *keys: str, digits: int = 2) -> PaperTable:
    about = paper_figures()[name]
    paper = name.partition("-")[0]
    return PaperTable(name, about["title"], f"{paper_figures()['papers'][paper]}, §{about['section']}", keys, digits=digits)


def _cells(name: str, column: str) -> dict[str, float]:
    """The paper's figures of a column by what its cells are; none for a corpus that it does not have."""
    about = paper_figures()[name]
    return dict(zip(about["columns"], about.get(column, ()), strict=False))


def _sizes(request: Request) -> PaperTable:
    table, data = _start("georgi-1", "corpus", "size", digits=0), request.corpora()
    for each in data:
        paper = _cells(table.name, each.column)
        values = (len(each.pairs), *(sum(len(getattr(pair, side)) for pair in each.pairs) for side in "fe"))
        for what, value in zip(paper_figures()[table.name]["columns"], values, strict=True):
            table.add(each.label, what, ours=value, paper=paper.get(what))
    _say_what_differs(table, data)
    return table


DIRECTIONS = {"e_to_f": "E → F", "f_to_e": "F → E"}


def _classes(request: Request) -> PaperTable:
    """Table 2a; the paper has it of Hindi alone."""
    table, data = _start("georgi-2a", "corpus", "edges of", "after", "class", digits=1), request.corpora(("hin-eng",))
    about = paper_figures()[table.name]
    for each in data:
        result = analyze(each.pairs)
        for direction, shown in DIRECTIONS.items():
            for row in result.stage_counts(direction):
                paper = about[direction][row["stage"]] if each.column == "HIN" else [None] * len(about["columns"])
                for what, value in zip(about["columns"], paper, strict=True):
                    count = row[what] if what == "edges" else 100 * row[what] / max(row["edges"], 1)
                    table.add(each.label, shown, row["stage"], what, ours=count, paper=value)
    _say_what_differs(table, data)
    return table


def _matches(request: Request) -> PaperTable:
    table, data = _start("georgi-2b", "corpus", "after", digits=1), request.corpora()
    for each in data:
        paper = _cells(table.name, each.column)
        for stage, share in analyze(each.pairs).match_percentages("e_to_f").items():
            table.add(each.label, stage, ours=share, paper=paper.get(stage))
    _say_what_differs(table, data)
    return table


PENN = {
    "MD": "AUX", "VB": "VERB", "NN": "NOUN", "NNS": "NOUN", "NNP": "PROPN", "IN": "ADP", "TO": "PART", "DT": "DET", "POS": "PART",
    "VAUX": "AUX", "VM": "VERB", "PSP": "ADP", "APPRART": "ADP", "CC": "CCONJ", "PRF": "PRON", "ADV": "ADV",
}  # fmt: skip
"""The universal tags for those of the paper's Table 3, asked where the data does not have the fine ones."""


def share_of_operation(fine: Analysis, coarse: Analysis, row: Sequence[Any]) -> float | None:
    """Percent of the cases of a row of Table 3 that were operated on; None where the data has no such case."""
    side, operation, child, parent, _ = row
    for result, names in ((fine, {}), (coarse, PENN)):
        below, above = names.get(child, child), names.get(parent, parent)
        total = result.tagged[side, below] if operation == "remove" else result.tagged_edges[side, below, above]
        if total:
            return min(100.0, 100 * result.operated[side, operation, below, above] / total)
    return None


def _operations(request: Request) -> PaperTable:
    table, data = _start("georgi-3", "corpus", "side", "operation", "child", "head", digits=1), request.corpora(SAMPLES[:2])
    about = paper_figures()[table.name]
    for each in data:
        column = each.column.removeprefix("SMULTRON-")
        fine, coarse = analyze(each.pairs, tags="xpos"), analyze(each.pairs, tags="upos")
        for row in about.get(column, ()):
            side, operation, child, parent, paper = row
            ours = share_of_operation(fine, coarse, row)
            table.add(each.label, side.upper(), operation, child, parent, ours=ours, paper=paper)
        if column not in about:
            table.notes.append(f"{each.label}: the paper breaks down Hindi and German alone; `proj analyze` shows these tags.")
    table.notes.append("Tags that the data does not have are looked up as universal ones (MD as AUX).")
    _say_what_differs(table, data)
    return table


def attachment_scores(data: Iterable[Dataset], systems: Sequence[str], request: Request) -> dict[str, dict[str, float]]:
    """UAS by corpus and system in ten folds, the mean over the runs' seeds."""
    scores: dict[str, dict[str, float]] = {}
    for each in data:
        runs = [cross_validate(each.pairs, systems, seed=seed, jobs=request.jobs) for seed in request.seeds]
        scores[each.label] = {code: fmean(run[code].scores.overall.uas for run in runs) for code in systems}
    return scores


def _attachment(name: str, request: Request) -> PaperTable:
    """Tables 4b and 5b."""
    table, data = _start(name, "corpus", "system"), request.corpora()
    systems = paper_figures()[name]["columns"]
    scores = attachment_scores(data, systems, request)
    columns = {each.label: _cells(name, each.column) for each in data}
    for label, row in scores.items():
        for code in systems:
            table.add(label, code, ours=row[code], paper=columns[label].get(code))
    there = [label for label, paper in columns.items() if paper]
    if len(there) > 1:
        for code in systems:
            ours, paper = (fmean(part[label][code] for label in there) for part in (scores, columns))
            table.add(f"average of {', '.join(there)}", code, ours=ours, paper=paper)
    table.notes.append("Links and trees of E as in the corpus; every word counts, punctuation as well.")
    if name == "georgi-5":
        table.notes.append("divproj's own parser (second order) in the place of MSTParser.")
    _say_what_differs(table, data)
    return table


def error_reduction(better: float, worse: float) -> float:
    """Percent of the errors of one score that another avoids (§5.3).

    >>> round(error_reduction(89.32, 79.16), 2)
    48.75
    """
    return 100 * (better - worse) / (100 - worse) if worse < 100 else 0.0


def _paper_mean(code: str, data: Iterable[Dataset]) -> float | None:
    """The paper's average of a system over the languages of the data; None if its tables do not have all of them."""
    name = "georgi-4" if code in paper_figures()["georgi-4"]["columns"] else "georgi-5"
    cells = [_cells(name, each.column).get(code) for each in data]
    return None if None in cells else fmean(cell for cell in cells if cell is not None)


def _summary(request: Request) -> PaperTable:
    table, data = _start("georgi-6", "figure", "systems"), request.corpora()
    about = paper_figures()[table.name]
    scores = attachment_scores(data, list(about["accuracy"]), request)
    mean = {code: fmean(row[code] for row in scores.values()) for code in about["accuracy"]}
    same = {code: _paper_mean(code, data) for code in about["accuracy"]}
    alike = None not in same.values()
    for code, printed in about["accuracy"].items():
        table.add("average UAS", code, ours=mean[code], paper=same[code] if alike else printed)
    for one, other, printed in about["reduction"]:
        better, worse = same[one], same[other]
        paper = printed if better is None or worse is None or not alike else error_reduction(better, worse)
        table.add("fewer errors", f"{one} than {other}", ours=error_reduction(mean[one], mean[other]), paper=paper)
    if alike:
        over = ", ".join(f"{code} {printed}" for code, printed in about["accuracy"].items())
        table.notes.append(
            f"The paper's figures are over the same languages, by its Tables 4 and 5; over all eight it prints {over}."
        )
    else:
        table.notes.append("The paper's averages are over eight languages, ours over the corpora below.")
    _say_what_differs(table, data)
    return table


@dataclass(frozen=True)
class PhraseTask:
    """Pairs of sentences to be aligned, as packed forests and as single trees, with candidates and gold phrase pairs."""

    forests: list[Any]
    trees: list[Any]
    candidates: list[Any]
    tree_candidates: list[Any]
    gold: list[Any]
    """For each pair tight and loose pairs of spans; of annotated data, the words of both sides and what each annotator aligned."""
    relation: Any
    is_annotated: bool = False


def constituent_scores(gold: Iterable[Any], alignments: Iterable[Any], multiword: str = "both") -> PhraseScore:
    """Score alignments against tight and loose gold pairs: all pairs (`multiword=""`), or those of several words on both sides."""
    score = PhraseScore()
    for (tight, loose), alignment in zip(gold, alignments, strict=True):
        answer = {(*pair.src, *pair.tgt) for pair in alignment.visible}
        score.add(constituent_row(answer, tight, loose, multiword))
    return score


def _json_task(path: str) -> PhraseTask:
    """Trees and gold pairs of JSON lines (`stree`, `ttree`, `tight`, `loose`)."""
    from divproj.io.trees.forests import ForestOptions
    from divproj.phrases.reading import ForestPairs

    words, wanted = _english_words(), gold_rows(Path(path))
    faults, sides = Faults(strict=False), {}
    for binarise in ("all", "head"):
        given = ForestPairs(path, None, words, True, None, ForestOptions(binarise=binarise), None, faults)
        sides[binarise] = list(given.pairs())
    if not sides["all"]:
        raise ProjError("no usable pair of trees", Where(path), "each line needs `stree` and `ttree`, and gold pairs")
    (forests, linked), (trees, few) = (
        ([(s, t) for s, t, _ in rows], [links for _, _, links in rows]) for rows in (sides["all"], sides["head"])
    )
    return PhraseTask(forests, trees, linked, few, [wanted[k] for k in given.places], words.relation)


def _english_words() -> Any:
    """Return forms, lemmas, WordNet and vectors of English."""
    from divproj.core.options import AlignOptions
    from divproj.phrases.reading import load_lexicon

    return load_lexicon(("en", "en"), None, None, None, AlignOptions.threshold, Faults())


def _spade_task(place: Path) -> PhraseTask:
    """Trees of both sides in Enju's format, and what each annotator aligned."""
    from divproj.phrases.reading import candidates

    words, annotated = _english_words(), spade_rows(place)
    sides = {}
    for binarise in ("all", "head"):
        forests = [(from_tree(s, binarise=binarise), from_tree(t, binarise=binarise)) for s, t, _ in annotated]
        sides[binarise] = [(words.with_lemmas(s, 0), words.with_lemmas(t, 1)) for s, t in forests]
    linked = [[candidates(s, t, words) for s, t in some] for some in sides.values()]
    gold = [(s.forms, t.forms, people) for s, t, people in annotated]
    return PhraseTask(sides["all"], sides["head"], linked[0], linked[1], gold, words.relation, is_annotated=True)


def consistent_pairs(pair: Pair) -> frozenset[tuple[int, int, int, int]]:
    """Constituents of both trees whose words are linked with one another and with no word outside; spans with ends exclusive, from 0."""
    sides = [{(node.start, node.end) for node in phrase_tree(tree).nodes} for tree in (pair.f, pair.e)]
    links = [(i - 1, j - 1) for i, j in pair.links.links]
    quads = set()
    for a, b in sides[0]:
        images = [j for i, j in links if a <= i < b]
        if images:
            inside = [(c, d) for c, d in sides[1] if c <= min(images) and max(images) < d]
            quads |= {(a, b, c, d) for c, d in inside if all(a <= i < b for i, j in links if c <= j < d)}
    return frozenset(quads)


def _corpus_task(data: Iterable[Dataset]) -> PhraseTask:
    """Trees of a corpus, its links as candidates, and the pairs of phrases that agree with its links as gold."""
    import numpy as np

    from divproj.phrases.lexicon import Lexicon

    pairs = [pair for each in data for pair in each.pairs]
    links = [np.array([(i - 1, j - 1) for i, j in pair.links], np.int64).reshape(-1, 2) for pair in pairs]
    sides = {
        binarise: [tuple(from_tree(phrase_tree(tree), binarise=binarise) for tree in (pair.f, pair.e)) for pair in pairs]
        for binarise in ("all", "head")
    }
    gold = [(quads, quads) for quads in map(consistent_pairs, pairs)]
    return PhraseTask(sides["all"], sides["head"], links, links, gold, Lexicon(("xx", "en")).relation)


def _phrases(request: Request) -> PaperTable:
    """Table 3 of Arase & Tsujii: the whole method, and without one thing after another."""
    from divproj.phrases.aligner import PhraseAligner

    table = _start("arase-3", "system", "measure")
    places = [Path(name) for name in request.data]
    data: list[Dataset] = []
    if places and places[0].is_file():
        task = _json_task(request.data[0])
        table.notes.append(
            "Gold: constituent pairs, recall against tight ones and precision against loose ones; one parse a sentence."
        )
    elif places and any(places[0].glob("s-*.xml")):
        task = _spade_task(places[0])
        table.notes.append("Gold: annotators of SPADE, on gold trees in the place of Enju's forests.")
    else:
        data = request.corpora(("deu-eng",))
        task = _corpus_task(data)
        table.notes.append(
            "Gold: phrases of two languages that agree with the corpus's links; these links are the candidates as well."
        )
    learned = PhraseAligner(relation=task.relation, random_state=request.seed, max_seconds=0).fit(task.forests, task.candidates)
    plain = PhraseAligner(relation=task.relation, random_state=request.seed, max_seconds=0)
    on_trees = PhraseAligner(relation=task.relation, random_state=request.seed, max_seconds=0).fit(
        task.trees, task.tree_candidates
    )
    systems = {
        "proposed": (learned, task.forests, task.candidates),
        "monotonic": (replace(learned, noncomp="off"), task.forests, task.candidates),
        "without EM": (plain, task.forests, task.candidates),
        "1-best tree": (on_trees, task.trees, task.tree_candidates),
    }
    if task.is_annotated:
        human = human_score(people for _, _, people in task.gold)
        _add_phrase_scores(table, "human", human.recall, human.precision, None)
    for name, (aligner, pairs, links) in passing(systems.items(), "aligning: system", len(systems)):
        alignments = aligner.predict(pairs, links)
        score = (
            _annotated_score(task, pairs, alignments) if task.is_annotated else constituent_scores(task.gold, alignments, "")
        )
        _add_phrase_scores(table, name, score.recall, score.precision, 100 * fmean(x.reachable for x in alignments))
        if not task.is_annotated:
            several = constituent_scores(task.gold, alignments)
            for measure, value in (("recall", several.recall), ("precision", several.precision), ("F1", several.f1)):
                table.add(name, f"{measure}, several words", ours=value)
    table.notes.append(
        f"{len(task.forests)} pairs; EM on the same pairs, without gold (the paper: 2,000 of 41,000 others). A forest is all binarisations of a tree."
    )
    table.notes.append("UAS needs dependency trees of both sentences by hand; SPADE, the paper's gold, is not public.")
    _say_what_differs(table, data)
    return table


def _annotated_score(task: PhraseTask, pairs: Sequence[Any], alignments: Sequence[Any]) -> PhraseScore:
    rows = []
    for (src, tgt, people), (s, t), alignment in zip(task.gold, pairs, alignments, strict=True):
        full = PhrasePairs.complete({(*pair.src, *pair.tgt) for pair in alignment.visible}, s, t)
        rows.append((full.texts(src, tgt), people))
    return ali_score(rows)


def _add_phrase_scores(table: PaperTable, system: str, recall: float, precision: float, reachable: float | None) -> None:
    paper = _cells(table.name, system)
    for measure, value in (("recall", recall), ("precision", precision), ("UAS", None), ("reachable", reachable)):
        if value is not None or measure in paper:
            table.add(system, measure, ours=value, paper=paper.get(measure))


def _examples(request: Request) -> PaperTable:
    """The example sentences of Arase & Tsujii, parsed by our English parser and aligned."""
    table = _start("arase-examples", "sentences", "phrases", digits=0)
    for example, alignment in aligned_examples(request.seed):
        for one, two in example["phrases"]:
            quad = (*_place(one, example["source"]), *_place(two, example["target"]))
            ours = any((*pair.src, *pair.tgt) == quad for pair in alignment.visible)
            table.add(example["name"], f"{_brief(one)} ~ {_brief(two)}", ours=float(ours), paper=1.0)
    table.notes.append(
        "1: aligned, 0: not. Parsed by divproj's English parser, not Enju: a phrase that its trees do not have cannot be aligned."
    )
    return table


def aligned_examples(seed: int = 1) -> list[tuple[dict[str, Any], Any]]:
    """The paper's example sentences with our phrase alignments, on forests of our English parser."""
    from divproj.core.sentence import Rows
    from divproj.forest.dependencies import phrase_forest
    from divproj.parsing.language import forest_of, load_pack
    from divproj.phrases.aligner import PhraseAligner
    from divproj.phrases.reading import candidates

    words = _english_words()
    language, examples = load_pack("en"), paper_figures()["arase-examples"]["pair"]
    texts = [example[side].split() for example in examples for side in ("source", "target")]
    rows = [
        Rows(
            ("# sent_id = s",),
            (tuple(map(str, range(1, len(forms) + 1))), tuple(forms), *((("_",) * len(forms),) * 8)),
            Where(),
        )
        for forms in texts
    ]
    packed = [phrase_forest(forest_of(language, x), binarise="all") for x in language.annotate(rows, confidence=False)]
    pairs = [(words.with_lemmas(s, 0), words.with_lemmas(t, 1)) for s, t in zip(packed[::2], packed[1::2], strict=True)]
    aligner = PhraseAligner(relation=words.relation, random_state=seed, max_seconds=0)
    return list(zip(examples, aligner.predict(pairs, [candidates(s, t, words) for s, t in pairs]), strict=True))


def _brief(phrase: str) -> str:
    """
    >>> _brief("the first Chinese women aid workers to carry out a mission")
    'the first Chinese … a mission'
    """
    words = phrase.split()
    return phrase if len(words) <= 7 else " ".join([*words[:3], "…", *words[-2:]])


def _place(phrase: str, sentence: str) -> tuple[int, int]:
    """Where the words of a phrase stand in a sentence.

    >>> _place("b c", "a b c d")
    (1, 3)
    """
    words, part = sentence.split(), phrase.split()
    start = next(k for k in range(len(words)) if words[k : k + len(part)] == part)
    return start, start + len(part)


LENGTHS = ((10, 10), (10, 20), (10, 30), (20, 20), (20, 30), (30, 30))
"""Longest sentences that are tested and learned from, in the order of the paper's Table 1."""


def _brackets(request: Request) -> PaperTable:
    """Table 1 of Snyder et al.: the CCM alone and the bilingual model on both languages of each corpus."""
    about = paper_figures()["snyder-1"]
    table, data = _start("snyder-1", "language", "test ≤", "train ≤", "figure", digits=1), request.corpora(("kor-eng",))
    for each in data:
        place = each.label.lower()
        code = next((code for code, names in about["folders"].items() if place in names), "other")
        scores = bracket_scores(each.pairs, about["priors"][code], request)
        for side, name, other in (("e", "EN", each.label), ("f", each.label, "EN")):
            title = about["names"].get(code, ("", ""))[side == "f"]
            paper = {tuple(row[:2]): row[2:] for row in about.get(title, ())}
            for lengths in LENGTHS:
                theirs = paper.get(lengths, [None] * 7)
                for what, ours, figure in zip(about["columns"][2:], scores[side, lengths], theirs, strict=True):
                    table.add(title or f"{name} with {other}", *map(str, lengths), what, ours=ours, paper=figure)
    table.notes.append(
        f"Mean of {request.runs} run(s), the paper's of 10. Brackets are the maximal projections of dependency trees, not of phrase trees."
    )
    table.notes.append("Learned from the first four fifths, tested on the rest; links as in the corpus, in the paper GIZA++'s.")
    _say_what_differs(table, [replace(each, column="") for each in data])
    return table


def bracket_scores(pairs: Sequence[Pair], prior: str, request: Request) -> dict[tuple[str, tuple[int, int]], list[float]]:
    """Precision, recall and F1 of the CCM and of the bilingual model, and the bound of F1, by side and lengths; the paper's settings."""
    tagged = [(tag_pair(pair), pair) for pair in pairs]
    tagged = [(tags, pair) for tags, pair in tagged if tags.f and tags.e]
    border = round(SHARE_TO_LEARN * len(tagged))
    sums: dict[tuple[str, tuple[int, int]], list[list[float]]] = {}
    for seed in request.seeds:
        before: list[TagPair] = []
        grammars: dict[str, tuple[Any, Any]] = {}
        for longest in sorted({train for _, train in LENGTHS}):
            learned = [tags for tags, _ in tagged[:border] if max(len(tags.f), len(tags.e)) <= longest]
            if not learned:
                raise ProjError(f"no pair of at most {longest} words to learn from", remedy="give more pairs")
            if len(learned) != len(before):
                before, grammars = learned, _grammars(learned, prior, seed)
            for side, lengths in ((side, lengths) for side in "fe" for lengths in LENGTHS if lengths[1] == longest):
                tested = [(getattr(tags, side), constituents(getattr(pair, side))) for tags, pair in tagged[border:]]
                tested = [(tags, gold) for tags, gold in tested if len(tags) <= lengths[0]]
                sums.setdefault((side, lengths), []).append(_figures(tested, grammars[side]))
    return {key: [fmean(column) for column in zip(*rows, strict=True)] for key, rows in sums.items()}


def _grammars(learned: Sequence[TagPair], prior: str, seed: int) -> dict[str, tuple[Any, Any]]:
    """The grammars of the CCM alone and of the bilingual model, of each side."""
    both = BilingualInducer(
        **{name: value for name, value in PAPER.items() if name != "method"}, prior=prior, random_state=seed
    )
    both.fit(learned)
    grammars = {}
    for side, (constituent, distituent), grammar in zip("fe", parse_priors(prior), both.grammars_, strict=True):
        single = {name: value for name, value in PAPER.items() if name in CCM().get_params()}
        alone = CCM(**single | {"constituent": constituent, "distituent": distituent}, sweeps=both.sweeps, random_state=seed)
        grammars[side] = alone.fit([getattr(tags, side) for tags in learned]).grammar_, grammar
    return grammars


def _figures(tested: Sequence[tuple[Any, Any]], grammars: tuple[Any, Any]) -> list[float]:
    text = [tags for tags, _ in tested]
    values: list[float] = []
    for grammar in grammars:
        rows = [(len(tags), gold, tree) for (tags, gold), tree in zip(tested, grammar.parse(text), strict=True)]
        score = score_brackets(rows).overall
        values += [score.precision, score.recall, score.f1]
    return [
        *values,
        score_brackets(
            ((len(tags), gold, ()) for tags, gold in tested), one=lambda gold, _, n: upper_bound(gold, n)
        ).overall.f1,
    ]


TABLES: dict[str, Callable[[Request], PaperTable]] = {
    "georgi-1": _sizes,
    "georgi-2a": _classes,
    "georgi-2b": _matches,
    "georgi-3": _operations,
    "georgi-4": partial(_attachment, "georgi-4"),
    "georgi-5": partial(_attachment, "georgi-5"),
    "georgi-6": _summary,
    "arase-3": _phrases,
    "arase-examples": _examples,
    "snyder-1": _brackets,
}
"""What makes each table."""
ALIASES = {
    "georgi-4b": "georgi-4",
    "georgi-5b": "georgi-5",
    "georgi-6a": "georgi-6",
    "georgi-6b": "georgi-6",
    "arase-s1": "arase-3",
}
"""Names that the papers give to parts of these."""


def paper_table(name: str, data: Sequence[str | Path] = (), *, seed: int = 1, runs: int = 1, jobs: int = 1) -> PaperTable:
    """Return a table of a paper on corpora (sample corpora where none is given), beside the paper's figures.

    >>> [row.ours for row in paper_table("georgi-1", ["deu-eng"]).rows][0]
    66
    """
    make = TABLES.get(ALIASES.get(name, name))
    if make is None:
        raise ProjError(f"no table '{name}'", remedy=f"choose one of {', '.join(TABLES)}")
    if runs < 1:
        raise ProjError(f"`runs={runs}`: a number from 1 on expected")
    return make(Request(tuple(map(str, data)), seed, runs, jobs))
