"""Options of every step, each declared once: its default, its help text and its limits.

    @dataclass(frozen=True)
    class TrainOptions(Options):
        epochs: int = option(10, "Number of passes over the sentences.", low=1, high=1000)

This field is the option `--epochs` of `proj train` with this help text (cli/proj_cli/options.py), the key `epochs` in the table `[train]`
of a config of `proj run` (run/config.py), and the default of a Python keyword: `MstParser(epochs=TrainOptions.epochs)`. A value that is
not allowed is refused in the same words everywhere. Nothing here imports numpy, so that `proj --help` stays quick.
"""

from __future__ import annotations

import codecs
from collections.abc import Iterable, Mapping
from dataclasses import Field, dataclass, field, fields, replace
from pathlib import Path
from typing import Any, ClassVar, TypeVar

from divproj.core.errors import ProjError

T = TypeVar("T", bound="Options")
OPTION = "option"
"""Key of the metadata of a field."""
SWITCH = {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False}
IGT_FORMATS = (
    "plain", "conllu", "xigt", "odin", "toolbox", "flextext", "elan", "cldf", "sigmorphon", "latex", "table", "document", "textgrid",
    "exmaralda", "chat", "pangloss", "eopas", "toolbox-xml", "json", "scription", "wikitext", "pandoc", "typst",
)  # fmt: skip
LINK_METHODS = ("posterior", "intersection", "union", "grow-diag-final-and")
BINARISATIONS = ("head", "left", "right", "all")
TREE_FORMATS = ("brackets", "enju", "tiger", "conllu", "json")
ROLE_NAMES = ("tiers", "markers", "columns")
"""Names of one option, which says where in a file the words, glosses … are: as ELAN, Toolbox and spreadsheets call the places."""
E_STYLES = ("as-is", "ud", "function", "adpositions", "determiners")
F_STYLES = ("ud", "function")
NO_TEXT = ("idna", "punycode", "undefined", "unicode-escape", "raw-unicode-escape", "unicode_escape", "raw_unicode_escape")
"""Codecs of Python that files of text are not in."""


MOST_SEED, MOST_PAIRS, MOST_TREES = (1 << 32) - 1, 1_000_000_000, 10_000
"""Largest seed, pairs of a shard, and trees of a sentence that can be asked for."""


@dataclass(frozen=True)
class Option:
    """An option as users meet it."""

    help: str
    """One plain sentence."""
    names: tuple[str, ...] = ()
    """Names on the command line, where they are not made from the field's name."""
    metavar: str = ""
    """What stands for the value in help texts."""
    low: float | None = None
    high: float | None = None
    choices: tuple[str, ...] = ()
    by_set: bool = False
    """Whether the command line has it as `--set NAME=VALUE`, since few users need it."""

    def check(self, name: str, value: Any) -> None:
        """ProjError where a value is not allowed; None and '' stand for nothing given."""
        if value is None or value == "":
            return
        if self.choices and value not in self.choices:
            raise ProjError(f"`{name}={value}`: one of {', '.join(self.choices)} expected")
        if (self.low is not None and value < self.low) or (self.high is not None and value > self.high):
            raise ProjError(f"`{name}={value}`: {self.limits} expected")

    @property
    def limits(self) -> str:
        """
        >>> Option("Number of passes.", low=1).limits
        'a number from 1 on'
        """
        return f"a number from {self.low} on" if self.high is None else f"a number from {self.low} to {self.high}"


def option(default: Any, sentence: str, *names: str, **about: Any) -> Any:
    """Return the field of an option: its default, help text, names where they differ from the field's, and fields of `Option`."""
    metadata = {OPTION: Option(sentence, names, **about)}
    return field(default_factory=default, metadata=metadata) if default is dict else field(default=default, metadata=metadata)


def option_of(each: Field[Any]) -> Option | None:
    """The option that a field declares."""
    declared: Option | None = each.metadata.get(OPTION)
    return declared


@dataclass(frozen=True)
class Options:
    """Options of a step; a value that is not allowed is a ProjError that names it."""

    has_estimator: ClassVar[bool] = False
    """Whether `settings` that are no field here are those of an estimator."""

    def __post_init__(self) -> None:
        for each in fields(self):
            if about := option_of(each):
                about.check(each.name, getattr(self, each.name))


def parse_settings(known: Mapping[str, Any], texts: Iterable[str]) -> dict[str, Any]:
    """Return settings written `name=value`, each of the type that it has in `known`; ProjError says what cannot be read.

    >>> parse_settings({"null_cost": 1.0, "both": True}, ["null_cost=2", "both=no"])
    {'null_cost': 2.0, 'both': False}
    """
    settings: dict[str, Any] = {}
    for text in texts:
        name, equals, value = text.partition("=")
        if not equals or name not in known:
            raise ProjError(f"`set={text}`: NAME=VALUE expected with one of {', '.join(sorted(known))}")
        kind = type(known[name])
        try:
            settings[name] = SWITCH[value.lower()] if kind is bool else kind(value)
        except (ValueError, KeyError):
            raise ProjError(f"`set={text}`: {kind.__name__} expected") from None
    return settings


def apply_settings(given: T) -> T:
    """Return options in which the fields that `settings` names have the values given there; the other settings are left.

    >>> apply_settings(TrainOptions(settings=("order=3",))).order
    3
    """
    by_set = {each.name: getattr(given, each.name) for each in fields(given) if (about := option_of(each)) and about.by_set}
    texts: tuple[str, ...] = getattr(given, "settings", ())
    named = [text for text in texts if text.partition("=")[0] in by_set or not given.has_estimator]
    values = parse_settings(by_set, named)
    try:
        changes = values | {"settings": tuple(text for text in texts if text not in named)}
        return replace(given, **changes) if named else given
    except ProjError as error:  # it names the field as if it were an option
        raise ProjError(error.message.replace("`", "`set=", 1)) from None


@dataclass(frozen=True)
class ReaderOptions(Options):
    """How interlinear text is read (every command that reads it, `[input]`, `divproj.read`); a format takes what concerns it."""

    format: str = option(
        "",
        f"Format of the text; by default recognised from its content. One of {', '.join(IGT_FORMATS)}.",
        "--format",
        "-f",
        choices=IGT_FORMATS,
        metavar="FORMAT",
    )
    lang: str = option("en", "Preferred language of glosses and translations.", "--gloss-lang", metavar="CODE")
    encoding: str = option("", "Encoding of a file that is not UTF-8 and does not name it.", metavar="NAME")
    max_bytes: int = 200 << 20
    """Of one XML file."""
    tiers: Mapping[str, str] = option(
        dict,
        "Which tier, marker or column has the text, words, morphs, glosses, pos, translation.",
        *(f"--{name}" for name in ROLE_NAMES),
        metavar="ROLE=NAME,…",
    )
    """Also called `markers` and `columns`."""
    keep_hyphens: bool = option(False, "Keep morpheme boundaries in the words (hart-es, not hartes).")
    split: bool = True
    """Punctuation stands apart from words and boundaries go from the words to the segmentation."""
    misaligned: bool = option(False, "Read a file even if most sentences do not have a gloss under each word.")
    as_written: bool = False
    """Words, translations and ids exactly as the file has them: nothing split off, named or numbered."""

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.encoding:
            try:
                codec = codecs.lookup(self.encoding)
                if not getattr(codec, "_is_text_encoding", True) or codec.name in NO_TEXT:
                    raise LookupError
            except (LookupError, ValueError):
                raise ProjError(f"unknown encoding {self.encoding!r}", remedy="for example utf-8, cp1252, utf-16") from None

    @classmethod
    def of(cls, options: Mapping[str, Any]) -> ReaderOptions:
        """Options by name; ProjError for one that no format knows or an encoding that Python does not."""
        roles = {role: place for name in ROLE_NAMES for role, place in options.get(name, {}).items()}
        options = {name: value for name, value in options.items() if name not in ROLE_NAMES} | (
            {"tiers": roles} if roles else {}
        )
        known = [each.name for each in fields(cls)]
        unknown = sorted(set(options) - set(known))
        if unknown:
            raise ProjError(f"unknown option {unknown[0]!r}, one of {', '.join(known)} expected")
        return cls(**options)


def parse_roles(name: str, texts: Iterable[str]) -> dict[str, str]:
    """Return the roles of tiers or markers, which are written `words=tx,glosses=ge`; several of one role stand with commas between.

    >>> parse_roles("markers", ["words=tx, glosses=ge"]), parse_roles("tiers", ["text=tx@A,text=tx@B"])
    ({'words': 'tx', 'glosses': 'ge'}, {'text': 'tx@A,tx@B'})
    """
    roles: dict[str, str] = {}
    for part in (part.strip() for text in texts for part in text.split(",") if part.strip()):
        role, equals, value = part.partition("=")
        if not equals or not value.strip():
            raise ProjError(
                f"`{name}={part}`: ROLE=NAME expected, several with commas between them", remedy="words=tx,glosses=ge"
            )
        role, value = role.strip(), value.strip()
        roles[role] = f"{roles[role]},{value}" if role in roles else value
    return roles


@dataclass(frozen=True)
class ReleaseOptions(Options):
    """What is released as a treebank of UD, and what its README says (`proj release`)."""

    language: str = option("", "The language: the name that UD uses, or a code.", metavar="NAME")
    treebank: str = option("", "Name of the treebank: letters and digits, the first one a capital.", metavar="NAME")
    code: str = option("", "Code of the language in UD (ISO 639-1, or else ISO 639-3).", by_set=True)
    glottocode: str = option("", "Glottocode of the language.", by_set=True)
    iso639_3: str = option("", "ISO 639-3 code of the language.", by_set=True)
    states: str = option(
        "gold", "States of the sentences that are released, with commas between; all takes every tree.", by_set=True
    )
    sample: bool = option(
        False, "Whether a small treebank gets a sample of 20 to 50 sentences as its training part.", by_set=True
    )
    license: str = option("", "Licence, such as CC BY-SA 4.0.", by_set=True)
    genre: str = option("", "Genres, with blanks between, from UD's list.", by_set=True)
    contributors: str = option("", "Last, First; Last, First …", by_set=True)
    contact: str = option("", "An e-mail address.", by_set=True)
    since: str = option("", "The first release of UD with this treebank, such as 2.19.", by_set=True)
    contributing: str = option("", "Where changes are made: here, here source, elsewhere.", by_set=True)
    parallel: str = option("", "The parallel collection that the text belongs to, or no.", by_set=True)
    lemmas: str = option("", "How the lemmas were made, in UD's words (manual native, automatic …).", by_set=True)
    features: str = option("", "How the features were made.", by_set=True)
    xpos: str = option("", "How the tags of the language itself were made.", by_set=True)
    settings: tuple[str, ...] = option(
        (),
        "For the README: license, genre, contributors, contact, since, contributing, parallel, lemmas, features, xpos; also code, "
        "glottocode, iso639_3; states=gold,second or all; sample=yes.",
        "--set",
        metavar="NAME=VALUE",
    )


@dataclass(frozen=True)
class TrainOptions(Options):
    """How a parser is trained (`proj train`, `[train]`, `MstParser`)."""

    system: str | None = option(None, "For a corpus: s3-1 … s3-5, s4-1 … s4-3 or s4+.  \\[default: s4+]", metavar="SYSTEM")
    trees: str | None = option(
        None, "For a corpus, instead of --system: the trees to learn from: gold, or a system.", metavar="SYSTEM"
    )
    features: str | None = option(
        None, "For a corpus, instead of --system: what the parser sees of the translation.", metavar="match,align,pos"
    )
    projection: str | None = option(
        None, "For a corpus, instead of --system: the projection whose edges the parser sees.", metavar="SYSTEM"
    )
    order: int = option(2, "1: edges; 2: also siblings; 3: also grandparents.", low=1, high=3, by_set=True)
    decoder: str = option(
        "auto", "Projective trees (proj), others too (nonproj), or auto.", choices=("auto", "proj", "nonproj"), by_set=True
    )
    epochs: int = option(10, "Number of passes over the sentences.", low=1, high=1000)
    bits: int = option(22, "Size of the weight table, as a power of two.", low=10, high=28, by_set=True)
    gold_tags: bool = option(False, "Train on gold tags, not predicted ones.", by_set=True)
    settings: tuple[str, ...] = option(
        (),
        "order=1 (edges), 2 (siblings) or 3 (grandparents); decoder=proj or nonproj; bits=22; gold_tags=yes.",
        "--set",
        metavar="NAME=VALUE",
    )
    seed: int = option(1, "The same seed gives the same model.", low=0, high=MOST_SEED)


@dataclass(frozen=True)
class ParseOptions(Options):
    """How text is parsed (`proj parse`)."""

    lang: str | None = option(None, "An installed language (`proj languages` lists them).", metavar="CODE")
    model: Path | None = option(None, "A model made by `proj train`.", metavar="MODEL")
    keep_tags: bool = option(False, "Use the tags of the CoNLL-U input.")
    keep_lines: bool = option(False, "Each line of the text is one sentence.")
    style: str = option(
        "ud", "Heads: ud (content words), function (with relations of SUD), adpositions or determiners.", choices=E_STYLES
    )
    nbest: int = option(1, "Write the K best trees of each sentence.", low=1, high=MOST_TREES, metavar="K")
    confidence: bool = option(True, "Write probabilities of heads to MISC.", "--confidence/--no-confidence")


@dataclass(frozen=True)
class WordsOptions(Options):
    """How words are aligned (`proj words`, `[align]`, `WordAligner`)."""

    threshold: float = option(0.3, "Lowest probability of a link.", low=0, high=1)
    method: str = option("posterior", "posterior, intersection, union or grow-diag-final-and.", choices=LINK_METHODS)
    fast: bool = option(False, "Use the HMM alone, without sampling: faster, but less accurate.")
    seed: int = option(1, "The same seed gives the same links.", low=0, high=MOST_SEED)
    shard: int = option(10_000, "Pairs learned from together; longer texts are split.", low=1, high=MOST_PAIRS, metavar="PAIRS")


@dataclass(frozen=True)
class AlignOptions(Options):
    """What makes words of two parsed texts candidates for each other, and how their trees are read (`proj align`)."""

    has_estimator = True

    links: str | None = option(
        None, "Word links in Pharaoh format, one line per pair; auto makes them, as `proj words` does.", metavar="FILE"
    )
    lexical: bool | None = option(
        None,
        "Find candidates by form, lemma and WordNet; the default without --links.",
        "--lexical/--no-lexical",
    )
    wordnet: Path | None = option(None, "Folder with WordNet's files, if not in a usual place.", metavar="DIR")
    candidates: Path | None = option(None, "Your own word pairs.", metavar="TSV")
    embeddings: str | None = option(
        None,
        "Word vectors: .npz, word2vec text, none, or en (shipped). For English the default is the encoder, if installed, then en.",
        metavar="FILE",
    )
    threshold: float = option(0.8, "Lowest cosine of candidates.", low=0, high=1, by_set=True)
    languages: str = option(
        "", "Languages of the two sides, such as de-en.  \\[default: en-en; with links, any two]", metavar="S-T"
    )
    tree_format: str = option(
        "", "brackets, enju, tiger, conllu or json; by default recognised.", choices=TREE_FORMATS, by_set=True
    )
    binarise: str = option(
        "all", "How to binarise flat phrases: all (a forest), head, left or right.", choices=BINARISATIONS, by_set=True
    )
    punctuation: str = option(
        "keep", "keep, final (leave out the last mark) or drop.", choices=("keep", "final", "drop"), by_set=True
    )
    settings: tuple[str, ...] = option(
        (),
        "A cost or setting: null_cost, pair_cost, noncomp, search, binarise, punctuation, tree_format, threshold, max_seconds …",
        "--set",
        metavar="NAME=VALUE",
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        one, dash, two = self.languages.partition("-")
        if self.languages and not (dash and one and two):
            raise ProjError(f"`languages={self.languages}`: two languages such as de-en expected")

    @property
    def language_pair(self) -> tuple[str, str]:
        """The codes of both languages, two empty ones where they are not named.

        >>> AlignOptions(languages="DE-en").language_pair
        ('de', 'en')
        """
        one, _, two = self.languages.lower().partition("-")
        return one, two


@dataclass(frozen=True)
class AlignTrainOptions(Options):
    """How weights of phrase pairs are learned (`proj align train`, `PhraseAligner`)."""

    epochs: int = option(6, "Number of passes over the pairs.", low=0)
    seed: int = option(1, "The same seed gives the same output.", low=0, high=MOST_SEED)


@dataclass(frozen=True)
class InduceOptions(Options):
    """How grammars are induced (`proj induce`, `Inducer`)."""

    has_estimator = True

    sweeps: int = option(100, "Number of sweeps of the sampler.", low=1)
    chains: int | None = option(None, "Number of chains; their posteriors are averaged.  \\[default: 4, --paper 1]", low=1)
    max_length: str = option("40", "Longest sentences to learn from; one model per value.", metavar="10,20,30")
    tags: str = option("auto", "upos, xpos, auto, or projected (tags of linked E words).")
    links: str | None = option(None, "Links instead of align.txt; auto makes them.", metavar="FILE")
    more_links: bool = option(False, "Add links for words that have none.", by_set=True)
    min_prob: float = option(0.5, "Lowest probability of links made here.", low=0, high=1, by_set=True)
    paper: bool = option(False, "The published model (Snyder et al.).")
    settings: tuple[str, ...] = option(
        (),
        "A setting of the sampler: moves, mode, restarts, contradiction, method (gibbs or em) …; more_links=yes adds links.",
        "--set",
        metavar="NAME=VALUE",
    )
    seed: int = option(1, "The same seed gives the same output.", low=0, high=MOST_SEED)


@dataclass(frozen=True)
class EvaluateOptions(Options):
    """How trees are scored (`proj evaluate`, `proj experiment`, `[evaluate]`)."""

    punctuation: bool = option(True, "Whether to count punctuation.", "--punct/--no-punct")
    subtypes: bool = option(
        False, "Whether LAS takes nsubj:pass and nsubj for different relations.", "--subtypes/--no-subtypes"
    )
    seed: int = option(0, "Seed of the significance test.", low=0, high=MOST_SEED)


@dataclass(frozen=True)
class ExperimentOptions(Options):
    """How systems are compared (`proj experiment`)."""

    systems: str = option("s1-r,s1-l,s2-1,s2+,s3-1,s4-1,s4+", "Systems to compare, separated by commas; see `proj systems`.")
    folds: int = option(10, "Number of folds.", low=2)
    seed: int = option(1, "Seed that decides the folds.", low=0, high=MOST_SEED)
    by: str = option(
        "sentence",
        "What is held out: sentences (folds), a corpus, or its family.",
        metavar="sentence|corpus|family",
        choices=("sentence", "corpus", "family"),
    )
    families: str | None = option(
        None, "For --by family: deu-eng=Germanic,… or a table of corpora and families.", metavar="LIST|FILE"
    )
    train_sizes: str | None = option(None, "Make a learning curve.", metavar="5,10,20,all")
    gloss_links: bool = option(False, "Use links from the gloss aligner instead of the corpus's own.")
    paper: bool = option(False, "S1 and S2 as the paper's text has them, without divproj's departures.")


@dataclass(frozen=True)
class ProjectOptions(Options):
    """How trees are projected (`proj project`, `[project]`, `projector`)."""

    system: str = option("auto", "A system from `proj systems`; auto takes the best one for your data.")
    rules: str | None = option(
        None,
        "Rules made by `proj learn`, or the name of a shipped set; on glossed text auto uses rules for s6+ only.",
        metavar="FILE",
    )
    model: Path | None = option(None, "A parser made by `proj train CORPUS`, which sees the projection.", metavar="MODEL")
    calibration: Path | None = option(
        None, "Confidences by a map that `proj calibrate` has made for this system.", metavar="FILE"
    )
    e_parser: str | None = option(
        None,
        "Parser of the translations: a language (en), a model from `proj train`, or a command that reads one sentence per line "
        "and writes CoNLL-U.  \\[default: that of each translation's language]",
        metavar="NAME",
    )
    e_style: str = option(
        "as-is", "Heads of E trees: ud (content words), function, adpositions, determiners; or as-is.", choices=E_STYLES
    )
    style: str = option(
        "ud", "Heads in the output: ud (content words), or function (function words, with relations of SUD).", choices=F_STYLES
    )
    conventions: str = option(
        "",
        "Relations that you prefer where annotators differ: nmod or compound (noun beside noun), advmod or discourse (particles), "
        "mark (words of person and aspect, else aux).",
        metavar="NAME,…",
    )
    f_forests: Path | None = option(
        None,
        "Trees or forests of F for s5: TIGER-XML, brackets, CoNLL-U, `proj parse --forest`, `proj induce parse --forest`.",
        metavar="FILE",
    )
    phrases: str | None = option(
        None,
        "Phrase pairs for s5: a file from `proj align`, or auto to align the trees of --f-forests now.",
        metavar="FILE|auto",
    )
    paraphrases: bool = option(False, "INPUT paraphrases the sentences of --e in the same language; no links are needed.")
    also: tuple[str, ...] = option(
        (),
        "The same F sentences with another translation, or the language (es) of other translations in INPUT; the trees vote.",
        metavar="CORPUS2|LANGUAGE",
    )
    types: str | None = option(
        None,
        "Word types that you have tagged, a table from `proj types`; none for no table.  \\[default: NAME.types.tsv beside INPUT, if it is there]",
        metavar="FILE",
    )
    min_coverage: float = option(0.0, "Leave out trees with a smaller share of linked words.", low=0, high=1, metavar="SHARE")
