"""What phrase alignment gives to projection: s5, s5+, re-ranked E trees, several sources, paraphrases.

    python bench/accuracy/bridge_tables.py [phrases] [uses] [weights] [s5] [attached] [plus] [trees] [forests] [sources] [paraphrases]
        [--sentences 300] [--jobs 1] [--corpora odin/ger,…] [--model MODEL]

Without a name all tables are made. ODIN is scored with punctuation, the others without. `--sentences` bounds the large corpora
in the tables that need n-best lists or forests; s5 always has them whole. `plus` has ten folds on ODIN, and three on 150 sentences of the others.
"""

from __future__ import annotations

import argparse
import gzip
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any
from unittest import mock

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
import numpy as np
from bench.common import DATA, Table, need

from divproj import Corpus, DepTree, Faults, Links, Pair
from divproj.core.sentence import Rows, Sentence
from divproj.evaluation.experiment import cross_validate
from divproj.evaluation.trees import score_trees
from divproj.forest.build import from_tree
from divproj.forest.dependencies import from_dependencies
from divproj.forest.hypergraph import Forest
from divproj.forest.parses import viterbi
from divproj.forest.trees import PhraseTree
from divproj.io.trees import forest as forest_file
from divproj.links.glosses import GlossAligner
from divproj.links.word_model import WordAligner
from divproj.parsing.language import Language, forest_of, load_pack
from divproj.phrases.aligner import ForestPair, PhraseAligner
from divproj.phrases.lexicon import TWO_LANGUAGES, Lexicon
from divproj.phrases.results import PhraseAlignment
from divproj.projection import parsers
from divproj.projection.direct import ProjectionInput, s1
from divproj.projection.glossed.s6 import S6
from divproj.projection.parsers import Recipe
from divproj.projection.phrasal.cues import RelationWeights
from divproj.projection.phrasal.evidence import PhraseEvidence, all_bracketings, collect_evidence, dependencies, write_corpus
from divproj.projection.phrasal.phrase_pairs import PhraseBook, PhraseSources, SentencePairs
from divproj.projection.phrasal.s5 import S5
from divproj.projection.projector import vote
from divproj.projection.systems import AdaptedSystem, TextEvidence
from divproj.runtime.vectors import shipped_vectors

ODIN = ("odin/ger", "odin/gli", "odin/hua", "odin/kkn")
LARGE = ("cdt-da", "pud/fr", "pud/ru", "pud/zh")
EDINBURGH = "edinburgh"
BEST = 8
"""Trees of the n-best lists."""


def load(name: str, most: int | None = None) -> list[Pair]:
    pairs = list(Corpus.at(need(DATA / name), faults=Faults(strict=False)))
    return pairs if most is None or name in ODIN else pairs[:most]


def uas(name: str, pairs: Sequence[Pair], trees: Sequence[DepTree]) -> float:
    scored = ((pair.f, tree, (), ()) for pair, tree in zip(pairs, trees, strict=True))
    return score_trees(scored, punctuation=name in ODIN).overall.uas


def gain(before: float, after: float) -> float:
    """Error reduction in percent."""
    return 100 * (after - before) / (100 - before)


def words_links(pairs: Sequence[Pair]) -> list[Pair]:
    found = WordAligner().fit_align([(pair.f.forms, pair.e.forms) for pair in pairs])
    return [replace(pair, links=linked.links) for pair, linked in zip(pairs, found, strict=True)]


def table_s5(options: argparse.Namespace) -> None:
    gains = []
    AdaptedSystem.to(S5(), [ProjectionInput.of(pair) for pair in load("odin/ger")] * 8)  # compile first
    columns = ("corpus", "s1-r", "s1-l", "s5", "error reduction", "sentences/s")
    with Table("bridge_tables-s5", "UAS of s5 without training, gold links and E trees", *columns) as table:
        for name in options.corpora:
            pairs = load(name)
            text = [ProjectionInput.of(pair) for pair in pairs]
            plain = [uas(name, pairs, [s1(b, side).tree for b in text]) for side in ("right", "left")]
            began = time.perf_counter()
            projector = AdaptedSystem.to(S5(), text)
            phrasal = uas(name, pairs, [projector.project(b).tree for b in text])
            speed = len(text) / (time.perf_counter() - began)
            gains.append(gain(max(plain), phrasal))
            table.add(name, *(f"{x:.2f}" for x in (*plain, phrasal)), f"{gains[-1]:.1f} %", f"{speed:.0f}")
        table.add("average", "", "", "", f"{np.mean(gains):.1f} %", "")


def table_attached(options: argparse.Namespace) -> None:
    """s5 as users get it against s5 without what other languages tell; E as annotated with the links given, and parsed with links found."""
    from divproj.parsing.language import load_pack
    from divproj.projection.glossed.attachments import S5WithPriors, ud_like
    from divproj.projection.glossed.model import GlossModel

    model = GlossModel.load(options.model) if options.model else None
    english = load_pack("en")
    columns = ("corpus", "English", "links", "s1-r", "s1-l", "s5 without", "s5")
    with Table("bridge_tables-attached", "UAS of s5 with attachments of other languages and without", *columns) as table:
        for name in options.corpora:
            gold = load(name)
            trees = english.parse([pair.e.forms for pair in gold])
            parsed = [replace(pair, e=tree) for pair, tree in zip(gold, trees, strict=True)]
            linked = list(_glossed(parsed)) if name in ODIN else words_links(parsed)
            by = "glosses" if name in ODIN else "words"
            for e, links, pairs in (("gold", "gold", gold), ("parsed", "gold", parsed), ("parsed", by, linked)):
                text = [ProjectionInput.of(pair) for pair in pairs]
                cells = [uas(name, pairs, [s1(b, side).tree for b in text]) for side in ("right", "left")]
                for projector in (AdaptedSystem.to(system, text) for system in (S5(), S5WithPriors.with_model(model))):
                    cells.append(uas(name, pairs, [projector.project(b).tree for b in text]))
                kind = e if ud_like(text) else f"{e} (not UD)"
                table.add(name, kind, links, *(f"{x:.2f}" for x in cells))


def table_plus(options: argparse.Namespace) -> None:
    caption = "UAS in cross-validation: ODIN ten folds, the first 150 sentences of the others three"
    with Table("bridge_tables-plus", caption, "corpus", "links", "s4+", "s5+", "difference", seed=1) as table:
        for name in options.corpora:
            gold = load(name, 150)
            for links, pairs in (("gold", gold), ("words", words_links(gold))):
                folds = 10 if name in ODIN else 3
                done = cross_validate(pairs, ["s4+", "s5+"], folds=folds, punctuation=name in ODIN, jobs=options.jobs, seed=1)
                four, five = (done[system].scores.overall.uas for system in ("s4+", "s5+"))
                table.add(name, links, f"{four:.2f}", f"{five:.2f}", f"{five - four:+.2f}")


def _glossed(pairs: Sequence[Pair]) -> Iterator[Pair]:
    aligner = GlossAligner()
    for pair in pairs:
        sentence = Sentence(pair.f.forms, glosses=pair.glosses, sent_id=pair.sent_id)
        yield replace(pair, links=aligner.align(sentence, pair.e.forms, pair.e.tags()).links)


def table_forests(options: argparse.Namespace) -> None:
    """The F forest of a grammar induced from the same bitext (no tree of either side but E's gold one), tags of F given."""
    columns = ("corpus", "sentences", "any bracketing", "induced grammar's chart")
    with Table("bridge_tables-forests", "UAS of s5 with forests of F from an induced grammar", *columns) as table:
        for name in LARGE:
            pairs = load(name, options.sentences)
            text = [ProjectionInput.of(pair) for pair in pairs]
            forests = [*_induced(pairs)]
            runs = (AdaptedSystem.to(S5(), text), AdaptedSystem.to(S5(), text, TextEvidence(forests)))
            cells = [uas(name, pairs, [run.project(b).tree for b in text]) for run in runs]
            table.add(name, len(pairs), *(f"{x:.2f}" for x in cells))


def _induced(pairs: Sequence[Pair]) -> Iterator[Forest]:
    """Charts of an induced grammar over F's tags."""
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        write_corpus(pairs, place / "corpus")
        proj = [str(Path(sys.executable).parent / "proj")]
        subprocess.run([*proj, "induce", "corpus", "-o", "model", "--quiet"], cwd=place, check=True)
        parse = [*proj, "induce", "parse", "corpus/f.conllu", "--model", "model", "--forest", "-o", "forests.jsonl", "--quiet"]
        subprocess.run(parse, cwd=place, check=True)
        yield from (forest for forest in forest_file.load(place / "forests.jsonl") if forest is not None)


def _english(pairs: Sequence[Pair], trees: Sequence[DepTree]) -> float:
    scored = ((pair.e, tree, (), ()) for pair, tree in zip(pairs, trees, strict=True))
    return score_trees(scored, punctuation=False).overall.uas


def table_sources(options: argparse.Namespace) -> None:
    with Table(
        "bridge_tables-sources", "UAS with two sources", "F", "system", "first source", "second source", "vote"
    ) as table:
        _vote(table, "smultron de (en, sv)", load("smultron/en-de"), load("smultron/sv-de"))
        for name, other in (("pud/fr", "pud/ru"), ("pud/ru", "pud/fr"), ("pud/zh", "pud/fr")):
            first, second = load(name), {pair.sent_id: pair for pair in load(other)}
            through = [_through(p, second[p.sent_id]) for p in first if p.sent_id in second]
            _vote(table, f"{name} (en, {other[-2:]} through en)", first, through)


def _through(pair: Pair, other: Pair) -> Pair:
    """F of one pair with F of the other as its E: links composed through the English that both have."""
    back = other.links.backward
    links = frozenset((i, k) for i, j in pair.links.links if j < len(back) for k in back[j])
    return Pair(pair.f, other.f, Links(links, (len(pair.f), len(other.f))), pair.sent_id)


def _vote(table: Table, title: str, first: list[Pair], second: list[Pair]) -> None:
    same = {pair.f.forms: pair for pair in second}
    both = [(pair, same[pair.f.forms]) for pair in first if pair.f.forms in same]
    gold = [a for a, _ in both]
    systems: list[tuple[str, list[Callable[[ProjectionInput], object]]]] = [("s1-r", [s1, s1])]
    systems.append(("s5", [AdaptedSystem.to(S5(), [ProjectionInput.of(p) for p in x]).project for x in (first, second)]))
    for system, runs in systems:
        lists = [[run(ProjectionInput.of(pair)) for run, pair in zip(runs, pairs, strict=True)] for pairs in both]
        columns = [[some[0].tree for some in lists], [some[1].tree for some in lists], [vote(some).tree for some in lists]]
        table.add(f"{title}, {len(gold)}", system, *(f"{uas('', gold, trees):.2f}" for trees in columns))


def paraphrase_pairs() -> list[Pair]:
    """Paraphrases with the heads of their automatic trees, sure links."""
    import nltk

    pairs = []
    with gzip.open(need(DATA / "paraphrase" / "edinburgh" / "train.jsonl.gz"), "rt", encoding="utf-8") as stream:
        lines = stream.readlines()
    for line in lines:
        row = json.loads(line)
        trees = []
        for name in ("stree", "ttree"):
            forest = from_tree(PhraseTree.from_nltk(nltk.Tree.fromstring(row[name])), binarise="head")
            trees.append(dependencies(forest, range(len(forest))))
        links = frozenset((i + 1, j + 1) for i, j in row["sure"])
        pairs.append(Pair(trees[0], trees[1], Links(links, (len(trees[0]), len(trees[1]))), str(row["id"])))
    return pairs


def table_paraphrases(options: argparse.Namespace) -> None:
    """From the parsed sentence of a paraphrase pair to the other one, scored against that one's own automatic parse."""
    pairs = paraphrase_pairs()
    text = [ProjectionInput.of(pair) for pair in pairs]
    plain = [uas("", pairs, [s1(b, side).tree for b in text]) for side in ("right", "left")]
    projector = AdaptedSystem.to(S5(), text)
    phrasal = uas("", pairs, [projector.project(b).tree for b in text])
    with Table(
        "bridge_tables-paraphrases", "UAS from a sentence to its paraphrase, Edinburgh", "pairs", "s1-r", "s1-l", "s5"
    ) as table:
        table.add(len(pairs), *(f"{x:.2f}" for x in (*plain, phrasal)))


def table_phrases(options: argparse.Namespace) -> None:
    """`--phrases auto`: with trees of F (SMULTRON), or with parses of paraphrases."""
    from bench.accuracy.phrases_smultron import trees

    german = list(trees(DATA / "smultron" / "raw", "de", False).values())
    columns = ("corpus", "sentences", "forest of F", "s5", "s5 with it", "s5 --phrases auto with it", "fewer errors than s5")
    with Table("bridge_tables-phrases", "UAS of s5, gold links and E trees", *columns) as table:
        for name in ("smultron/en-de", "smultron/sv-de", EDINBURGH):
            if name == EDINBURGH:
                pairs = paraphrase_pairs()[: options.paraphrases]
                table.add(name, len(pairs), "parser of E's trees", *_phrases("", pairs, []))
                table.note(_paraphrases(pairs))
            else:
                pairs = load(name)
                table.add(name, len(pairs), "trees, the gold in another form", *_phrases(name, pairs, german))


def _paraphrases(pairs: Sequence[Pair]) -> str:
    """Return what paraphrases give without links, beside plain projection and a parser alone."""
    text = [ProjectionInput.of(pair) for pair in pairs]
    before = uas("", pairs, [s1(b).tree for b in text])
    free = collect_evidence(text, PhraseSources(paraphrases=True), linked=False)
    phrasal = uas("", pairs, _projected(free))
    alone = {forest.forms: dependencies(forest, _best(forest)).heads for forest in free.forests}
    parsed = uas("", pairs, [pair.f.with_heads(alone[pair.f.forms]) for pair in pairs])
    return (
        f"Edinburgh, {len(pairs)} pairs: s1-r {before:.2f}, `--paraphrases` without any link {phrasal:.2f}, "
        f"the parser learned from E's trees alone {parsed:.2f}"
    )


def _best(forest: Forest) -> set[int]:
    """Nodes of the best tree of a forest."""
    edges = [forest.edges[k] for k in viterbi(forest).edges]
    return {forest.root, *(k for edge in edges for k in (edge.left, edge.right))}


def _projected(known: PhraseEvidence) -> list[DepTree]:
    projector = AdaptedSystem.to(S5(), known.text, TextEvidence(known.forests, known.book))
    return [projector.project(bitext).tree for bitext in known.text]


def _phrases(name: str, pairs: Sequence[Pair], forests: list[Forest]) -> list[str]:
    text = [ProjectionInput.of(pair) for pair in pairs]
    aligned = collect_evidence(text, PhraseSources("auto"), forests=forests)
    runs = [PhraseEvidence(text), PhraseEvidence(text, aligned.forests), aligned]
    scores = [uas(name, pairs, _projected(run)) for run in runs if run.forests or run is not runs[1]]
    middle = f"{scores[1]:.2f}" if aligned.forests else ""
    return [f"{scores[0]:.2f}", middle, f"{scores[-1]:.2f}", f"{gain(scores[0], scores[-1]):.1f} %"]


@dataclass(frozen=True)
class Text:
    """A text on which uses of phrases are tried; F has no trees there but for scoring."""

    language: str
    links: str
    """gold, glosses or words."""
    pairs: list[Pair]
    corpus: str = ""
    parsed: bool = False
    """Whether E was parsed by the shipped parser."""

    def uas(self, projector: AdaptedSystem[Any], text: Sequence[ProjectionInput]) -> float:
        return uas(self.corpus, self.pairs, [projector.project(sentence).tree for sentence in text])


def _texts(most: int) -> Iterator[Text]:
    """ODIN with gold links, glosses and `proj words`; cdt-da and PUD with gold links and `proj words`; paraphrases; banks with glosses."""
    sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "train" / "glossed"))
    from banks import banks

    for name in (*ODIN, *LARGE):
        whole = load(name)
        yield Text(name, "gold", whole[:most], name)
        yield Text(name, "words", words_links(whole)[:most], name)
        if name in ODIN:
            yield Text(name, "glosses", [*_glossed(whole)], name)
    yield Text(EDINBURGH, "gold", paraphrase_pairs()[:most])
    for bank in banks(need(DATA), most, shipped_vectors("en"), set()):
        rows = zip(bank.sentences, bank.gold, strict=True)
        pairs = [Pair(gold, b.e, b.links, b.sent_id, glosses=b.glosses, e_language="en") for b, gold in rows]
        yield Text(bank.name, "glosses", pairs, parsed=True)


Variant = tuple[list[ProjectionInput], PhraseBook | None]
LONGEST_BRACKETED = 40
"""Words of F up to which all bracketings are aligned."""


def _aligned(text: Sequence[ProjectionInput], e_forest: Callable[[DepTree], Forest]) -> dict[int, PhraseAlignment]:
    """Phrases of E with all bracketings of F; candidates are the links and, for words without one, what the text makes possible."""
    links, aligner = S5().adapt(text).links, PhraseAligner(relation=Lexicon(TWO_LANGUAGES).relation)
    rows: dict[int, tuple[ForestPair, list[tuple[int, int]]]] = {}
    for k, sentence in enumerate(text):
        if 0 < len(sentence) <= LONGEST_BRACKETED and sentence.links.links:
            used = [{link[side] for link in sentence.links.links} for side in (0, 1)]
            more = {(i, j) for i, j in links.of(sentence).probabilities if i not in used[0] and j not in used[1]}
            candidates = sorted((i - 1, j - 1) for i, j in sentence.links.links | more)
            rows[k] = (all_bracketings(sentence), e_forest(sentence.e)), candidates
    found = aligner.align([pair for pair, _ in rows.values()], [candidates for _, candidates in rows.values()])
    return dict(zip(rows, found, strict=True))


def _forest_of(language: Language, tree: DepTree) -> Forest:
    """The packed forest of the parser that made E's tree."""
    blank, numbers = ("_",) * len(tree), tuple(str(k) for k in range(1, len(tree) + 1))
    heads = tuple(map(str, tree.heads))
    columns = (numbers, tree.forms, blank, tree.upos, tree.xpos or blank, blank, heads, tree.deprels or blank, blank, blank)
    return forest_of(language, Rows((), columns))


def _with_tree(sentence: ProjectionInput, alignment: PhraseAlignment | None) -> ProjectionInput:
    """The sentence with the E tree that the alignment chose; tags stay, relations where the head stays."""
    if alignment is None or not alignment.reachable:
        return sentence
    heads = dependencies(alignment.tgt, alignment.tgt_tree).heads
    old = zip(sentence.e.deprels or ("_",) * len(heads), heads, sentence.e.heads, strict=True)
    deprels = tuple(rel if new == head else "root" if new == 0 else rel if rel != "root" else "dep" for rel, new, head in old)
    return replace(sentence, e=sentence.e.with_heads(heads, deprels))


def _uses(text: list[ProjectionInput], found: dict[int, PhraseAlignment]) -> Iterator[tuple[str, str, Variant]]:
    """Uses of aligned phrases with their settings, each as another text or a book of phrase pairs."""
    for weight in (0.02, 0.1, 1.0):
        book = PhraseBook.of(_weighed(SentencePairs.of(alignment), weight) for alignment in found.values())
        yield "phrases keep together in the chart", f"weight {weight:g}", (text, book)
    for kind in ("all", "of words without another"):
        yield (
            "links that no phrase pair has are left out",
            kind,
            ([_pruned(b, found.get(k), kind) for k, b in enumerate(text)], None),
        )
    for least in (0.3, 0.7):
        yield (
            "links for unlinked words",
            f"from {least:g} on",
            ([_with_more(b, found.get(k), least) for k, b in enumerate(text)], None),
        )


def _weighed(pairs: SentencePairs, weight: float) -> SentencePairs:
    """The pairs with a part of their probability, but for pairs of two words, which are links."""
    scaled = tuple(p if len(p.f) == len(p.e) == 1 else replace(p, probability=weight * p.probability) for p in pairs.pairs)
    return replace(pairs, pairs=scaled)


def _pruned(sentence: ProjectionInput, alignment: PhraseAlignment | None, kind: str) -> ProjectionInput:
    """The sentence without the links that the alignment does not use, or without those of words whose links all go."""
    if alignment is None or not alignment.reachable:
        return sentence
    used = {
        (i, j)
        for pair in alignment.pairs
        if 1 in (pair.src[1] - pair.src[0], pair.tgt[1] - pair.tgt[0])
        for i in range(pair.src[0] + 1, pair.src[1] + 1)
        for j in range(pair.tgt[0] + 1, pair.tgt[1] + 1)
    }
    words = {i for i, _ in used}
    kept = frozenset(link for link in sentence.links.links if link in used or (kind != "all" and link[0] in words))
    return replace(sentence, links=Links(kept, sentence.links.shape))


def _with_more(sentence: ProjectionInput, alignment: PhraseAlignment | None, least: float) -> ProjectionInput:
    """The sentence with the pairs of two words that have no link."""
    if alignment is None:
        return sentence
    used = [{link[side] for link in sentence.links.links} for side in (0, 1)]
    pairs = SentencePairs.of(alignment).links
    more = {link for link, p in pairs.items() if p >= least and link[0] not in used[0] and link[1] not in used[1]}
    return replace(sentence, links=Links(sentence.links.links | more, sentence.links.shape))


def _cross_fitted(text: Text, recipe: Recipe, book: PhraseBook | None) -> float:
    """UAS of s5+ in three folds, s5 having seen the phrase pairs."""
    inputs = [ProjectionInput.of(pair) for pair in text.pairs]
    state = S5().adapt(inputs, TextEvidence((), book))
    trees: dict[int, DepTree] = {}
    with mock.patch("divproj.projection.phrasal.s5.cached_state", return_value=state):
        for fold in range(3):
            learned = parsers.fit(
                recipe, [p for k, p in enumerate(text.pairs) if k % 3 != fold], text=inputs, prior=None, epochs=5
            )
            trees |= {k: learned.project(b).tree for k, b in enumerate(inputs) if k % 3 == fold}
    return uas(text.corpus, text.pairs, [trees[k] for k in range(len(inputs))])


Gains = dict[tuple[str, str, str], dict[str, dict[str, float]]]
"""(system, links, use) -> setting -> language -> gain."""


def table_uses(options: argparse.Namespace) -> None:
    """Uses of phrase pairs where no tree of F is given, each with the setting that is best in all other languages."""
    gains: Gains = {}
    parser = load_pack("en")
    for text in _texts(options.sentences):
        began = time.perf_counter()
        inputs = [ProjectionInput.of(pair) for pair in text.pairs]
        found = _aligned(inputs, from_dependencies)
        variants = [*_uses(inputs, found)]
        if text.parsed:
            chosen = _aligned(inputs, lambda tree: _forest_of(parser, tree))
            other = [_with_tree(sentence, chosen.get(k)) for k, sentence in enumerate(inputs)]
            variants.append(("E's tree chosen by the phrases", "parse share 0.3", (other, None)))
        systems: list[Any] = [S5(), S6()] if text.links == "glosses" else [S5()]
        for system in systems:
            before = text.uas(AdaptedSystem.to(system, inputs), inputs)
            for use, setting, (sentences, book) in variants:
                after = text.uas(AdaptedSystem.to(system, sentences, TextEvidence((), book)), sentences)
                gains.setdefault((system.code, text.links, use), {}).setdefault(setting, {})[text.language] = after - before
        if text.corpus in ODIN and text.links == "gold":
            plus = parsers.RECIPES["s5+"]
            before = _cross_fitted(text, plus, None)
            for use, setting, (_, book) in variants[:3]:
                after = _cross_fitted(text, plus, book)
                gains.setdefault(("s5+", text.links, use), {}).setdefault(setting, {})[text.language] = after - before
            after = _cross_fitted(text, replace(plus, phrases=parsers.PHRASES), None)
            row = gains.setdefault(("s5+", text.links, "features of edges: relation of the pairs, smallest phrase"), {})
            row.setdefault("all three", {})[text.language] = after - before
        print(f"{text.language} {text.links}: {time.perf_counter() - began:.0f} s", file=sys.stderr, flush=True)
    _print_uses(gains)


def _print_uses(gains: Gains) -> None:
    columns = (
        "system",
        "links",
        "use",
        "texts",
        "gain with the best setting",
        "gain, setting chosen on other languages",
        "worst text",
    )
    with Table("bridge_tables-uses", "Gain in UAS by phrase pairs where no tree of F is given", *columns) as table:
        for (system, links, use), settings in gains.items():
            names = [*next(iter(settings.values()))]
            rows = {"not used": dict.fromkeys(names, 0.0)} | settings
            best = max(settings, key=lambda s: sum(settings[s].values()))
            chosen = {name: _best_elsewhere(rows, name) for name in names}
            held_out = [rows[setting][name] for name, setting in chosen.items()]
            own = [*settings[best].values()]
            cells = f"{np.mean(own):+.2f} ({best})", f"{np.mean(held_out):+.2f}", f"{min(held_out):+.2f}"
            table.add(system, links, use, len(names), *cells)


def _best_elsewhere(rows: dict[str, dict[str, float]], language: str) -> str:
    return max(rows, key=lambda setting: sum(gain for name, gain in rows[setting].items() if name != language))


def variants() -> dict[str, RelationWeights]:
    """The hand-set weights; all of them weaker and stronger; and each of them halved and doubled alone, for words of all kinds."""
    first = RelationWeights()
    kinds = {kind: dict(getattr(first, kind)) for kind in ("given", "found", "unlinked")}

    def changed(by: float, only: str = "") -> RelationWeights:
        return RelationWeights(**{
            kind: tuple((name, value * (by if only in ("", name) else 1.0)) for name, value in own.items())
            for kind, own in kinds.items()
        })  # fmt: skip

    made = {"as set by hand": first, "all x 0.7": changed(0.7), "all x 1.4": changed(1.4)}
    for name in sorted({name for own in kinds.values() for name, value in own.items() if value}):
        made |= {f"{name} x {by:g}": changed(by, name) for by in (0.5, 2.0)}
    return made


def table_weights(options: argparse.Namespace) -> None:
    """Weights of the chart chosen on all other languages, ODIN and PUD."""
    names, tried = [name for name in options.corpora if not name.startswith("cdt")], variants()
    scores: dict[str, dict[str, float]] = {name: {} for name in names}
    for name in names:
        pairs = load(name, options.sentences)
        text = [ProjectionInput.of(pair) for pair in pairs]
        for variant, weights in tried.items():
            projector = AdaptedSystem.to(S5(weights), text)
            scores[name][variant] = uas(name, pairs, [projector.project(b).tree for b in text])
    with Table("bridge_tables-weights", "UAS of s5 with other weights of its chart", "weights", *names, "mean") as table:
        for variant in tried:
            row = [scores[name][variant] for name in names]
            table.add(variant, *(f"{x:.2f}" for x in row), f"{np.mean(row):.2f}")
        gains = {}
        for name in names:
            rest = [row for other, row in scores.items() if other != name]
            best = max(tried, key=lambda v: sum(row[v] for row in rest))
            gains[f"{name} {best}"] = scores[name][best] - scores[name]["as set by hand"]
        each = ", ".join(f"{choice} {value:+.2f}" for choice, value in gains.items())
        table.note(f"Chosen on the other languages, and what it gains: {each}; mean {np.mean([*gains.values()]):+.2f}")


TABLES = {
    "uses": table_uses,
    "weights": table_weights,
    "phrases": table_phrases,
    "s5": table_s5,
    "attached": table_attached,
    "plus": table_plus,
    "forests": table_forests,
    "sources": table_sources,
    "paraphrases": table_paraphrases,
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("tables", nargs="*", help=", ".join(TABLES))
    parser.add_argument("--sentences", type=int, default=300)
    parser.add_argument("--paraphrases", type=int, default=714, help="pairs of paraphrases in the table of phrases")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--corpora", type=lambda names: tuple(names.split(",")), default=(*ODIN, *LARGE))
    parser.add_argument("--model", type=Path, help="a model of glossed text, in the table `attached`; else the shipped one")
    options = parser.parse_args()
    if unknown := [name for name in options.tables if name not in TABLES]:
        parser.error(f"no table {unknown[0]}; there are {', '.join(TABLES)}")
    for name in options.tables or TABLES:
        TABLES[name](options)


if __name__ == "__main__":
    main()
