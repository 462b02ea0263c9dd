"""The one way from sentence pairs to trees: read → parse → link → adapt → project → rows.

    chunk of files ──read──▶ pairs ──Preparation.parse──▶ E trees ──Preparation.link──▶ links
        ──Projector.adapt──▶ state ──System.project──▶ Projection ──annotate──▶ rows of CoNLL-U

`project_corpus` runs all of it for files (`proj project`, `proj parse --model`); `Projector.projections` starts from pairs with
trees of E and links (Python, `proj run`, review). With systems that project each sentence by itself, workers run all steps,
chunk by chunk. With systems that adapt to a text, workers parse and link, the main process adapts, and workers project with
its state.

The rows of CoNLL-U that come out are those of F with heads, relations and tags filled in; MISC says where each edge came from.

`Summary` counts sentences and words of a command that makes trees while they stream, and prints them as text or JSON.
"""

from __future__ import annotations

import io
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from functools import lru_cache, partial
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from divproj.core.errors import AlignmentError, Faults, ProjError, Where, plural
from divproj.core.options import F_STYLES
from divproj.core.pair import Pair
from divproj.core.sentence import PROJECTED, Rows
from divproj.core.tree import DepTree, cycles
from divproj.io.corpus import Chunk, Corpus
from divproj.io.files import flush_together, reading, writing
from divproj.io.interlinear.languages import parsed_languages
from divproj.io.output import Trees, as_sentence, collect_sentences, in_shards, write_trees
from divproj.io.trees import conllu, pharaoh
from divproj.links.grams import Grams
from divproj.parsing.batch import ConfidenceSummary
from divproj.parsing.translations import ForeignTranslationsError
from divproj.projection import rulefile, systems
from divproj.projection.confidence import Expected, calibrate, expected_of_sums
from divproj.projection.direct import Projection, ProjectionInput
from divproj.projection.prepare import Preparation, gram_table, prepare_pairs, prepare_text
from divproj.projection.systems import AUTO, NAMES, System, system_info, system_name
from divproj.runtime.engine import HERE, Say, Workers, run, stamp
from divproj.runtime.resources import folder
from divproj.text.language_id import script_of
from divproj.ud.grammar import Convention, follow, repair
from divproj.ud.head_style import COMP, as_written, in_style
from divproj.ud.rows import attach_marks, lemmas_and_features, shipped_grams, to_nfc, with_text
from divproj.ud.tagsets import UPOS, relation_of

if TYPE_CHECKING:
    from divproj.projection.projector import Projector


_TAGS = frozenset(UPOS)
STYLES = F_STYLES
"""Head styles of what goes out: content words as heads, or function words."""


def annotate(
    sentence: Rows,
    projection: Projection,
    system: str,
    grams: Grams | None = None,
    style: str = "ud",
    line: int = 0,
    repairs: Counter[str] | None = None,
    conventions: Sequence[Convention] = (),
) -> Rows:
    """Return the sentence with the projected tree as valid rows of UD, with `Proj=` and `ProjConf=` in MISC.

    HEAD and DEPREL are new; UPOS, FEATS and LEMMA are filled where there were none; `sent_id`, `text` and `SpaceAfter` agree; characters are
    composed (NFC).
    Relations are made to fit UD, which `repairs` counts. `line` is where the sentence stood, for the `sent_id` of one that has
    none. Style `function` turns adpositions, markers, auxiliaries and copulas into heads. `conventions` are relations that the user prefers.
    """
    tree = projection.tree
    given = sentence.column(3)
    table = grams or shipped_grams()
    labels = projection.sentence.labels or ("_",) * len(tree)
    tags = tuple([
        old if old in _TAGS else new if new in _TAGS else (table.classes(label) or ("X",))[0]
        for old, new, label in zip(given, projection.upos or projection.sentence.classes, labels, strict=True)
    ])  # fmt: skip
    heads = _attach_around_punctuation(tree.heads, tags, bool(projection.upos), repairs)
    lemmas, feats = lemmas_and_features(sentence, tags, table)
    names = _name_relations(heads, tree.deprels, tags)
    if conventions:
        parts = [table.split(gloss) for gloss in projection.sentence.glosses or ("",) * len(tree)]
        bare = [any(p.features for p in some) and all(p.features or p.gram for p in some) for some in parts]
        names, tags = follow(conventions, heads, names, tags, feats, bare)
    deprels = repair(heads, names, tags, feats, repairs)
    origin = range(len(tree))
    if style != "ud":
        tree = in_style(tree.with_heads(heads, deprels), style)
        heads, deprels, origin = tree.heads, tree.deprels, _origins(tree)  # type: ignore[assignment]
    confidence = [f"|ProjConf={c:.2f}" for c in projection.confidence] or [""] * len(tree)
    reasons = projection.reasons
    misc = tuple([f"{_kept(old)}Proj={reasons[k]}{confidence[k]}" for old, k in zip(sentence.column(9), origin, strict=True)])
    if style == "function":
        deprels, misc = as_written(replace(tree, upos=tags), misc)
    new = {2: lemmas, 3: tags, 5: feats, 6: tuple(map(str, heads)), 7: deprels, 8: ("_",) * len(tree), 9: misc}
    if any(tag not in _TAGS and tag.strip("_") for tag in given):  # tags of another set go to the column for them
        columns = zip(given, sentence.column(4), strict=True)
        new[4] = tuple(old if xpos == "_" and old not in _TAGS else xpos for old, xpos in columns)
    links = len(projection.sentence.links)
    note = f"{PROJECTED}{system} coverage={projection.coverage:.2f} links={links}"
    if not links:
        note += " unlinked"
    comments = [c for c in sentence.comments if not c.startswith(PROJECTED)]
    annotated_sentence = Rows((*comments, note), sentence.with_columns(new).columns, sentence.where, sentence.end)
    return to_nfc(with_text(annotated_sentence, line))


def _attach_around_punctuation(
    heads: tuple[int, ...], tags: tuple[str, ...], every: bool, repairs: Counter[str] | None
) -> tuple[int, ...]:
    """Return heads in which no word depends on punctuation, but on the mark's head; `every`: marks are attached as in UD."""
    marks = [k for k, tag in enumerate(tags, 1) if tag == "PUNCT"]
    if not marks or len(marks) == len(heads):
        return heads
    new_heads = list(heads)
    if 0 in new_heads and tags[new_heads.index(0)] == "PUNCT":  # a word takes the place of a mark that is the root
        root = new_heads.index(0) + 1
        near = [k for k, head in enumerate(new_heads, 1) if head == root and tags[k - 1] != "PUNCT"]
        top = near[0] if near else next(k for k, tag in enumerate(tags, 1) if tag != "PUNCT")
        for k in (*(k for k, head in enumerate(new_heads, 1) if head == root), root):
            new_heads[k - 1] = top
        new_heads[top - 1] = 0
    for k in range(1, len(new_heads) + 1):
        steps = 0
        while new_heads[k - 1] > 0 and tags[new_heads[k - 1] - 1] == "PUNCT" and steps <= len(new_heads):
            new_heads[k - 1] = new_heads[new_heads[k - 1] - 1]
            steps += 1
    if repairs is not None:
        repairs.update(punctuation=sum(a != b for a, b in zip(new_heads, heads, strict=True)))
    if tuple(new_heads) != heads and cycles(new_heads):
        return heads
    if every:
        attach_marks(new_heads, marks)
    return tuple(new_heads)


def _origins(tree: DepTree) -> list[int]:
    """For each word of a turned tree the word (from 0) whose edge is now its own: function word and content word change places."""
    origins = list(range(len(tree)))
    inner = {tree.heads[k - 1]: k for k, rel in enumerate(tree.deprels, 1) if rel.startswith(COMP)}
    for top in inner:
        if tree.deprels[top - 1].startswith(COMP):
            continue
        word = top
        while word in inner:
            origins[inner[word] - 1], word = word - 1, inner[word]
        origins[top - 1] = word - 1
    return origins


def _name_relations(heads: tuple[int, ...], deprels: tuple[str, ...], tags: tuple[str, ...]) -> tuple[str, ...]:
    """Relations, with those that nothing has named called after the classes that the file gives.

    >>> _name_relations((2, 0), ("dep", "root"), ("DET", "NOUN"))
    ('det', 'root')
    """
    return tuple(
        relation_of(tags[k - 1], tags[head - 1], k < head) or rel if rel == "dep" and head > 0 else rel
        for k, (head, rel) in enumerate(zip(heads, deprels, strict=True), 1)
    )


def _kept(misc: str) -> str:
    """Return MISC without the fields of an earlier projection, ready for new ones."""
    if misc == "_":
        return ""
    if "Proj" in misc:
        misc = "|".join(x for x in misc.split("|") if not x.startswith(("Proj=", "ProjConf=")))
    return f"{misc}|" if misc else ""


T = TypeVar("T")
CHUNK = 100
"""Sentences that a worker projects at a time."""
ADAPT_LIMIT = 5000
"""Sentences from which a system learns the statistics of a text; longer texts are projected as they are read, with the same statistics."""


@dataclass(frozen=True)
class TextSource:
    """Where the trees of E and the links of a text come from."""

    parser: str | None = None
    """The language or model that parsed E, `auto` for the pack of its language; None where the trees were given."""
    linked: bool = True
    """Whether the links were given."""
    name: str = ""
    """Of the file, for messages."""


GIVEN = TextSource()


@dataclass(frozen=True)
class SystemPlan:
    """A projection system by its files, and their stamps: a worker loads it once."""

    name: str
    model: Path | None = None
    rules: str | None = None
    grams: tuple[Path, ...] = ()
    stamps: tuple[str, ...] = ()
    calibration: str | None = None
    """A file of maps of confidences, instead of the shipped ones."""
    paper: bool = False
    """S1 and S2 to the letter of their paper."""

    @classmethod
    def of(cls, system: str, model: Path | None = None, rules: str | None = None, grams: Sequence[Path] = ()) -> SystemPlan:
        """Return the plan for a system, loaded once here, so that what is wrong with it is said before anything is read."""
        tables = tuple(path.absolute() for path in grams)
        if model is not None:
            name, model, rules = f"model:{model.name}", model.absolute(), None
        else:
            name, rules = system, str(Path(rules).absolute()) if rules and Path(rules).exists() else rules
        stamps = tuple(stamp(path) for path in (model, rules, *tables) if path)
        plan = cls(name, model, rules, tables, stamps)
        load_system(plan)
        return plan


@lru_cache(maxsize=2)
def load_system(plan: SystemPlan) -> System:
    """Return the system of a plan."""
    grams = gram_table(plan.grams, plan.stamps)
    if plan.model is not None:
        from divproj.projection import parsers  # needs numba

        return parsers.load(plan.model, grams)
    return systems.make(system_info(plan.name).code, corrections(plan.rules), grams, paper=plan.paper)


def corrections(path: str | None) -> Any:
    """Return the corrections of a rule file by path, or of a shipped one by name (`deu`)."""
    if path is None:
        return None
    shipped = folder("rules") / f"{path}.json"
    file = str(shipped) if not Path(path).exists() and shipped.exists() else path
    if not Path(file).exists() and "/" not in path and not path.endswith(".json"):
        names = ", ".join(sorted(p.stem for p in folder("rules").glob("*.json")))
        raise ProjError("no such rule file or shipped set of rules", Where(path), f"shipped sets are {names}")
    with reading(file) as stream:
        return _loads(stream.read(), file)


@lru_cache(maxsize=2)
def _loads(text: bytes, path: str) -> Any:
    """Return the corrections in a rule file; cached, since commands need them twice."""
    return rulefile.loads(text.decode("utf-8", "replace"), path)


def chunks(items: Iterable[T], size: int = CHUNK) -> Iterator[list[T]]:
    """Cut a stream into lists."""
    source = iter(items)
    while chunk := list(islice(source, size)):
        yield chunk


def project_batch(plan: SystemPlan, batch: tuple[Any, Sequence[ProjectionInput]], faults: Faults) -> list[Projection]:
    """Return the projections of a batch of sentences (runs in a worker)."""
    (state, sentences), system = batch, load_system(plan)
    return project_together(system, sentences, state)


def project_together(system: System, sentences: Sequence[ProjectionInput], state: Any) -> list[Projection]:
    """Return the projections of some sentences, of which some things are computed together."""
    ready = system.together(sentences, state)
    return [system.project(sentence, ready) for sentence in sentences]


@dataclass(frozen=True)
class CorpusOutput:
    """Options for the output of a projected corpus."""

    style: str = "ud"
    """Heads of the trees: ud or function."""
    conventions: tuple[Convention, ...] = ()
    """Relations that the user prefers where annotators differ."""
    companions: bool = False
    """Whether links and E trees are written too."""
    drawn: bool = False
    """Whether a page is drawn."""
    min_coverage: float = 0.0
    """Trees with a smaller share of linked words are left out."""


def project_corpus(
    projector: Projector,
    corpora: Sequence[Corpus],
    wanted: CorpusOutput,
    faults: Faults,
    workers: Workers = HERE,
    on_message: Say | None = None,
    shards: Path | None = None,
    languages: Sequence[str] = (),
) -> Iterator[Trees]:
    """Project every sentence of the first corpus, by the votes of all corpora; trees come as text, chunk by chunk.

    Other translations in the first corpus, of these `languages`, vote too.

    With `shards` workers that do all of a chunk write their trees into files in this folder.
    """
    if projector.rules and not projector.system_ and corpora[0].path != "-":  # so that chunks can go to the workers at once
        first = replace(corpora[0], faults=Faults(strict=False)).pairs(trees=False)
        projector.choose_system(list(islice(first, CHUNK)))
    witnesses = [(corpora[0], projector.preparation.witness(language)) for language in languages]
    if witnesses and corpora[0].path == "-":
        raise ProjError(
            "standard input is read once, and its translations in several languages are not", None, "save it to a file"
        )
    if projector.plan is not None and not (projector.looks_at_text or projector.phrases or witnesses or len(corpora) > 1):
        how = projector.preparation.with_stamps()
        work, read = partial(_project_chunk, projector.plan, how, wanted), corpora[0].chunks
        if shards is not None and not workers.here:
            return in_shards(work, read, faults, workers, shards, on_message or (lambda text: None))
        return run(work, read, faults, workers, on_message)
    texts = [(corpus, projector.preparation) for corpus in corpora] + witnesses
    return _project_text(projector, texts, wanted, faults, workers, on_message)


def _project_chunk(plan: SystemPlan, how: Preparation, wanted: CorpusOutput, chunk: Chunk, faults: Faults) -> Trees:
    """Return the trees of a chunk of a corpus, by a system that projects each sentence by itself."""
    pairs = list(prepare_pairs(how, chunk, faults))
    system, table, file = load_system(plan), how.table, plan.calibration
    state = system.adapt(())  # of a system that learns nothing from a text
    projections = (calibrate(system.project(ProjectionInput.of(pair), state), system.code, file) for pair in pairs)
    return _trees(zip(pairs, projections, strict=True), plan.name, wanted, table)


def _project_text(
    projector: Projector,
    texts: Sequence[tuple[Corpus, Preparation]],
    wanted: CorpusOutput,
    faults: Faults,
    workers: Workers,
    on_message: Say | None,
) -> Iterator[Trees]:
    """Yield the trees of the first text, chunk by chunk, by a system that adapts to each text."""
    pairs, *others = (prepare_text(*text, faults, workers, on_message) for text in texts)
    also = [
        (source_of(*text), text[1].check_witness(list(other), Where(text[0].path)))
        for text, other in zip(texts[1:], others, strict=True)
    ]
    projections = projector.projections(
        pairs, source_of(*texts[0]), also=also, workers=workers, on_message=on_message, faults=faults
    )
    for chunk in chunks(projections):
        yield _trees(chunk, projector.system_, wanted, projector.preparation.table)


def source_of(corpus: Corpus, how: Preparation) -> TextSource:
    """Return where the trees of E and the links of a corpus come from."""
    given = corpus.has_trees and not how.only
    return TextSource(None if given else how.e_parser or AUTO, bool(corpus.links) and not how.only, corpus.path)


def _trees(items: Iterable[tuple[Pair, Projection]], system: str, wanted: CorpusOutput, table: Any) -> Trees:
    """Return projections as CoNLL-U, with links and E trees, or the projections to be drawn, where these are requested."""
    summary = Summary(system, least=wanted.min_coverage)
    sentences, projections = [], []
    for pair, projection in items:
        assert pair.f_rows is not None
        if summary.add(projection, pair.sent_id):
            how = wanted.style, summary.repairs, wanted.conventions
            sentences.append(rows_of(pair, projection, system, table, *how))
            projections.append(projection)
    links, e_trees = companions(projections) if wanted.companions else ("", "")
    drawable = tuple(projections) if wanted.drawn else ()
    return collect_sentences(sentences, len(sentences), links=links, e_trees=e_trees, projections=drawable, summary=summary)


def rows_of(
    pair: Pair,
    projection: Projection,
    system: str,
    table: Any = None,
    style: str = "ud",
    repairs: Any = None,
    conventions: Sequence[Convention] = (),
) -> Rows:
    """Return the rows of F with the tree of a projection; `repairs` counts relations that were made to fit UD."""
    assert pair.f_rows is not None
    line = pair.where.line or (pair.sentence.where.line if pair.sentence else 0)
    table = (table or shipped_grams()).in_language(pair.e_language or _gloss_script(pair))
    return annotate(pair.f_rows, projection, system, table, style, line, repairs, conventions)


def _gloss_script(pair: Pair) -> str:
    """Return `ru` for glosses with Cyrillic letters; those of other languages have the abbreviations of English, and their own."""
    return "ru" if pair.glosses and script_of(" ".join(pair.glosses)) == "CYRILLIC" else ""


def companions(projections: Sequence[Projection]) -> tuple[str, str]:
    """Return links in Pharaoh form and E trees as CoNLL-U, a place for every sentence."""
    links, e_trees = io.StringIO(), io.StringIO()
    pharaoh.dump((each.sentence.links for each in projections), links)
    conllu.dump((as_sentence(each.sentence.e, each.sentence.sent_id) for each in projections), e_trees)
    return links.getvalue(), e_trees.getvalue()


def check_same_sentences(first: Sequence[Pair], other: Sequence[Pair], name: str) -> None:
    """Raise AlignmentError where another source does not have the F sentences of the first."""
    for k in range(max(len(first), len(other))):
        a, b = (pairs[k] if k < len(pairs) else None for pairs in (first, other))
        if a is None or b is None or a.f.forms != b.f.forms:
            words, expected = ("no sentence" if x is None else f"'{' '.join(x.f.forms[:6])} …'" for x in (b, a))
            raise AlignmentError(
                f"sentence {k + 1} is {words} where the first source has {expected}",
                Where(name, 0, b.sent_id if b else ""),
                "every source must have the same F sentences in the same order",
            )


def write_projections(
    trees: Iterable[Trees],
    source: str,
    output: Path,
    beside: tuple[Path | None, Path | None],
    least: float,
    done: Callable[[], None],
) -> tuple[Summary, list[Projection]]:
    """Write trees as they come, with links and E trees in the files `beside`; return a summary, and the projections to be drawn.

    Nothing is left behind where no sentence has a tree, or none has the share of linked words that `least` asks for.
    """
    projections: list[Projection] = []
    summary, count = Summary(least=least), 0
    with ExitStack() as files:
        out = files.enter_context(writing(output))
        links, e_trees = (files.enter_context(writing(path)) if path else None for path in beside)
        for some in write_trees(trees, out):
            count += some.count
            if some.summary:
                summary.merge(some.summary)
            projections += some.projections
            if links:
                links.write(some.links)
            if e_trees:
                e_trees.write(some.e_trees)
        flush_together(out, links, e_trees)
        done()  # all is read: before anything is said of the whole
        if not count and summary.uncovered:
            raise ProjError(f"no tree has {100 * least:.0f} % of its words linked", Where(source), "ask for a lower coverage")
        if not count:
            raise ProjError("no sentence could be projected", Where(source), "the warnings above say why")
    return summary, projections


READS_GLOSSES = ("s6", "s6+", "s4+", "s5+")
"""Systems that make trees from glosses where there is no translation."""
NOTHING_PROJECTED = 3
"""Exit code when trees were asked for and every one of them is a guess."""


@dataclass
class Summary(ConfidenceSummary):
    """Sentences by what became of them; only those with a translation and links count as projected."""

    system: str = ""
    why: str = ""
    """Why the system was used: it was requested, or is the best one for the data."""
    least: float = 0.0
    """Coverage below which a tree is left out."""
    projected: int = 0
    untranslated: int = 0
    unlinked: int = 0
    by_glosses: int = 0
    """Of the untranslated and unlinked ones those whose trees come from a model of glosses (s6): no projection, no guess either."""
    unglossed: int = 0
    """Of the unlinked ones those without glosses, by which they could have been linked."""
    left_out: int = 0
    """Left out with faults."""
    uncovered: int = 0
    """Left out for their coverage."""
    words: int = 0
    linked: int = 0
    spread: float = 0.0
    """Sum of p·(1 - p) over calibrated confidences."""
    calibrated: str = ""
    """The system whose map has made confidences probabilities."""
    repairs: Counter[str] = field(default_factory=Counter)
    """Relations that were made to fit UD, by the fact that they broke."""
    expected: Expected | None = None
    """Accuracy estimated from gold sentences; without it, accuracy is estimated from confidences."""
    foreign: str = ""
    """The language of translations that were parsed as another: of such trees the calibration knows nothing."""
    types: str = ""
    """Where answers for word types came from, and how many; '' for none."""
    unparsed: dict[str, int] = field(default_factory=dict)
    """Of the untranslated ones those with a translation in a language that has no parser, by its name."""
    languages: Counter[str] = field(default_factory=Counter)
    """Sentences by the language of the translation that was parsed."""

    def add(self, projection: Projection, name: str = "") -> bool:
        """Count a tree; False when its coverage is too low for it to be written."""
        if projection.coverage < self.least:
            self.uncovered += 1
            return False
        self.words += len(projection.sentence)
        self.linked += projection.sentence.linked_count
        linked = bool(len(projection.sentence.links))
        if len(projection.sentence.e) and projection.sentence.e_language:
            self.languages[projection.sentence.e_language] += 1
        self.by_glosses += not linked and self.system in READS_GLOSSES and any(projection.sentence.glosses)
        if not len(projection.sentence.e):
            self.untranslated += 1
        elif not linked:
            self.unlinked += 1
            self.unglossed += not any(projection.sentence.glosses)
        else:
            self.projected += 1
            if projection.calibrated and projection.confidence:
                self.calibrated = projection.calibrated
                self.spread += sum(p * (1 - p) for p in projection.confidence)
            self.judge(projection.confidence, name or projection.sentence.sent_id, projection.sentence.forms)
        return True

    def merge(self, other: Summary) -> None:
        """Add what another process has counted."""
        counts = "projected untranslated unlinked by_glosses unglossed left_out uncovered words linked spread"
        self.add_counts(other, *counts.split())
        self.calibrated = self.calibrated or other.calibrated
        self.repairs += other.repairs
        self.languages += other.languages

    def close(self, system: str, why: str, faults: Faults) -> None:
        """Add what is known at the end: the system, why it was used, and the faults."""
        self.system, self.why, self.left_out = system, why, faults.sentences
        self.add_foreign(faults)

    def add_foreign(self, faults: Faults) -> None:
        """Count the translations in another language than their parser, as noted in `faults`."""
        for error in faults.noted:
            if isinstance(error, ForeignTranslationsError) and error.parser:
                self.foreign = self.foreign or error.language
            elif isinstance(error, ForeignTranslationsError):
                self.unparsed[error.language] = self.unparsed.get(error.language, 0) + error.count

    @property
    def guesses(self) -> int:
        """Number of trees that are based on neither links nor glosses."""
        return self.untranslated + self.unlinked - self.by_glosses

    @property
    def tree_count(self) -> int:
        return self.projected + self.untranslated + self.unlinked

    @property
    def coverage(self) -> float:
        return self.linked / self.words if self.words else 0.0

    @property
    def accuracy(self) -> Expected | None:
        """What is expected of the heads of projected sentences."""
        if self.expected or self.foreign or not self.calibrated:
            return self.expected
        return expected_of_sums(self.confidence, self.spread, self.judged, self.calibrated)

    @property
    def exit_code(self) -> int:
        """
        >>> Summary(untranslated=3).exit_code, Summary(projected=1, untranslated=3).exit_code
        (3, 0)
        """
        return NOTHING_PROJECTED if self.guesses and self.guesses == self.tree_count else 0

    def lines(self) -> list[str]:
        """As text, one fact per line."""
        by = f" by the {system_name(self.system)}" if self.system in NAMES else f" by {self.system}" if self.system else ""
        why = f", {self.why}" if self.why.startswith(("chosen", "as ")) else f" ({self.why})" if self.why else ""
        lines = [f"{plural(self.projected, 'sentence')} projected{by}{why}"]
        rests = "the tree is a guess" if not self.by_glosses else "the tree comes from the glosses alone"
        if self.by_glosses and self.guesses:
            rests += ", or is a guess where there are none"
        others = self.untranslated - sum(self.unparsed.values())
        for count, remark in (
            *((count, f"with a translation in {name}, which has no parser: {rests}") for name, count in self.unparsed.items()),
            (others, f"without a translation: {rests}"),
            (self.unlinked, f"without links to the translation: {rests}{self._remedy}"),
            (self.uncovered, f"left out: fewer than {100 * self.least:.0f} % of the words are linked"),
            (self.left_out, "left out with errors"),
        ):
            if count:
                lines.append(f"{plural(count, 'sentence')} {remark}")
        if not self.foreign and (said := parsed_languages(self.languages)):
            lines.append(said)
        if self.types:
            lines.append(self.types)
        if self.tree_count:
            lines.append(f"{100 * self.coverage:.0f} % of {plural(self.words, 'word')} linked")
        if self.projected or self.by_glosses:
            only = " of the projected sentences" * (0 < self.projected < self.tree_count)
            unknown = (
                f"how many heads{only} are right is {self._missing_reason}; after a few corrections, `proj review` estimates it"
            )
            lines.append(self.accuracy.sentence(only) if self.accuracy else unknown)
        lines += self.look_first()
        return lines

    @property
    def _remedy(self) -> str:
        return (
            " (without glosses `proj words` finds links)" if self.unglossed and self.system != "s5" else ""
        )  # s5 finds them, too

    @property
    def _missing_reason(self) -> str:
        """Why no accuracy can be estimated."""
        if self.foreign:
            return f"not known, since the translations are {self.foreign} and the parser is not"
        return "not known" if self.projected else "not known, since nothing is projected"

    def as_json(self) -> dict[str, Any]:
        known = self.accuracy
        return {
            "system": self.system,
            "why": self.why,
            "projected": self.projected,
            "without_translation": self.untranslated,
            "without_links": self.unlinked,
            "by_glosses_alone": self.by_glosses,
            "without_glosses": self.unglossed,
            "guesses": self.guesses,
            "left_out": {"faults": self.left_out, "coverage": self.uncovered},
            "words": self.words,
            "linked_words": self.linked,
            "coverage": round(self.coverage, 4),
            "min_coverage": self.least,
            "mean_confidence": self.mean_confidence,
            "expected": known.as_json() if known else None,
            "parsed_as_another_language": self.foreign or None,
            "not_parsed": self.unparsed,
            "languages": dict(sorted(self.languages.items())),
            "below_half": self.weak,
            "doubtful": [name for _, name in self.doubtful],
            "types": self.types or None,
            "repaired": dict(sorted(self.repairs.items())),
            "exit_code": self.exit_code,
        }

    @classmethod
    def from_json(cls, fields: Mapping[str, Any]) -> Summary:
        """Return the summary that `as_json` was made from.

        >>> Summary.from_json(Summary("s6", "as requested", projected=2, words=9, linked=6).as_json()).lines()[:2]
        ['2 sentences projected by the gloss model (s6), as requested', '67 % of 9 words linked']
        """
        return cls(
            fields["system"], fields["why"], fields["min_coverage"], fields["projected"], fields["without_translation"],
            fields["without_links"], fields["by_glosses_alone"], fields["without_glosses"], fields["left_out"]["faults"], fields["left_out"]["coverage"],
            fields["words"], fields["linked_words"], weak=fields["below_half"], doubtful=[(0.0, name) for name in fields["doubtful"]],
            repairs=Counter(fields["repaired"]), expected=Expected.from_json(fields["expected"]),
            foreign=fields["parsed_as_another_language"] or "", unparsed=dict(fields["not_parsed"]), types=fields.get("types") or "",
            languages=Counter(fields.get("languages") or {}),
        )  # fmt: skip
