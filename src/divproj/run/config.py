"""Read a config (`divproj.toml`) into checked values.

`KEYS` lists the tables and keys, each with its kind, default and limits. A TOML file comes in; a `Config` goes out, in which
every key is known, every value is of its kind, every file exists, and no two values contradict each other. An error says
where the key is, what was found and what was expected:

    divproj.toml:2: align.method: found 'word', one of auto, gloss, words, given expected; did you mean 'words'?
"""

from __future__ import annotations

import difflib
import re
import tomllib
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import MISSING, dataclass, fields
from itertools import islice
from pathlib import Path
from typing import Any, Literal, NoReturn

from divproj.core.errors import Faults, ModelError, ProjError, Where, why
from divproj.core.options import (
    ROLE_NAMES,
    EvaluateOptions,
    Options,
    ProjectOptions,
    ReaderOptions,
    TrainOptions,
    WordsOptions,
    option_of,
    parse_roles,
)
from divproj.io.corpus import Corpus
from divproj.io.files import F_FILE, IGT_FILE, REVIEWED, in_folder, locate
from divproj.io.trees import conllu
from divproj.io.trees.conllu import is_conllu
from divproj.projection.direct import ProjectionInput
from divproj.projection.glossed.word_types import NONE as NO_TABLE
from divproj.projection.glossed.word_types import types_file
from divproj.projection.phrasal.phrase_pairs import AUTO, PhraseSources
from divproj.projection.pipeline import corrections
from divproj.projection.systems import (
    CORRECTED,
    OBSERVING,
    PARSERS,
    PROJECTIONS,
    SYSTEM_NAMES,
    UNTRAINED,
    SystemChoice,
    choose,
    suits_s6,
    system_info,
)
from divproj.runtime.resources import folder
from divproj.ud.grammar import parse_conventions

Kind = Literal["text", "path", "paths", "whole", "share", "flag", "texts", "share or path"]
EXPECTED: dict[Kind, str] = {
    "text": 'a text in quotes, such as "Hausa"',
    "path": 'the name of a file in quotes, such as "trees.conllu"',
    "paths": 'the name of a file in quotes, or a list of them, such as ["a.txt", "b.txt"]',
    "whole": "a whole number",
    "share": "a number from 0 to 1",
    "flag": "true or false",
    "texts": 'a list of texts, such as ["s1-r", "s2+"]',
    "share or path": 'a number from 0 to 0.9, or the name of a file in quotes, such as "test.conllu"',
}


@dataclass(frozen=True)
class Key:
    """A key of the config: its kind, default and limits."""

    kind: Kind
    default: Any
    low: int = 0
    high: int = 1 << 31
    choices: tuple[str, ...] = ()


KINDS: dict[str, Kind] = {
    "int": "whole", "float": "share", "bool": "flag", "str": "text", "str | None": "text", "Path | None": "path", "tuple[str, ...]": "paths",
    "Mapping[str, str]": "text",
}  # fmt: skip
"""The kind of a key, by the type of its option."""


def key_of(options: type[Options], name: str) -> Key:
    """The key of a field of a step's options.

    >>> key_of(TrainOptions, "order")
    Key(kind='whole', default=2, low=1, high=3, choices=())
    """
    each = next(each for each in fields(options) if each.name == name)
    about = option_of(each)
    assert about is not None
    default, low, high = (
        "" if each.default in (None, MISSING) else each.default,
        int(about.low or 0),
        int(about.high or 1 << 31),
    )
    return Key(KINDS[str(each.type)], default, low, high, about.choices)


METHODS = ("auto", "gloss", "words", "given")
KEYS: dict[str, dict[str, Key]] = {
    "": {
        "language": Key("text", ""),
        "results": Key("path", "results"),
        "seed": Key("whole", 1),
        "strict": Key("flag", False),
    },
    "input": {
        "text": Key("paths", ()),
        **{name: key_of(ReaderOptions, name) for name in ("format", "lang", "encoding")},
        **{name: key_of(ReaderOptions, "tiers") for name in ROLE_NAMES},
        "f": Key("path", ""),
        "e": Key("path", ""),
        "trees": Key("paths", ()),
        "links": Key("paths", ()),
        "gold": Key("paths", ()),
    },
    "align": {
        "method": Key("text", "auto", choices=METHODS),
        "grams": Key("paths", ()),
        "dictionary": Key("paths", ()),
        "threshold": key_of(WordsOptions, "threshold"),
    },
    "parse": {
        "parser": Key("text", ""),
        "command": Key("text", ""),
        "style": key_of(ProjectOptions, "e_style"),
    },
    "project": {
        name: key_of(ProjectOptions, name)
        for name in (
            "system",
            "rules",
            "model",
            "types",
            "conventions",
            "style",
            "phrases",
            "f_forests",
            "paraphrases",
            "also",
            "min_coverage",
        )
    },
    "train": {name: key_of(TrainOptions, name) for name in ("epochs", "order", "bits")},
    "evaluate": {
        "systems": Key("texts", ()),
        "folds": Key("whole", 5, 0, 1000),
        "held_out": Key("share or path", 0.0),
        **{name: key_of(EvaluateOptions, name) for name in ("punctuation", "subtypes")},
    },
    "report": {
        "pictures": Key("whole", 500, 0, 100_000),
    },
}
"""Tables of the config and their keys."""


_HEADER = re.compile(r"\s*\[\s*([^\[\]]+?)\s*\]\s*(?:#.*)?$")
_KEY = re.compile(r"""\s*((?:[\w-]+|"[^"]*"|'[^']*')(?:\s*\.\s*(?:[\w-]+|"[^"]*"|'[^']*'))*)\s*=""")


def line_of(text: str, table: str, key: str = "") -> int:
    """The line where a key of a table stands (without a key: the table); 0 where it cannot be told.

    >>> line_of("seed = 1\\n[align]\\nmethod = 'words'\\n", "align", "method")
    3
    """
    wanted = [part for part in (table, key) if part]
    return next((number for number, path in _places(text) if path[: len(wanted)] == wanted), 0)


def _places(text: str) -> Iterator[tuple[int, list[str]]]:
    inside: list[str] = []
    for number, line in enumerate(text.split("\n"), 1):
        if header := _HEADER.match(line):
            inside = _parts(header[1])
            yield number, inside
        elif match := _KEY.match(line):
            yield number, inside + _parts(match[1])


def _parts(dotted: str) -> list[str]:
    return [part.strip().strip("\"'") for part in dotted.split(".")]


class ConfigValues:
    """The values of a config, each checked before it is used, and the line of each for messages."""

    def __init__(self, text: str, path: Path) -> None:
        self.text, self.path = text.replace("\r\n", "\n"), path
        try:
            data: dict[str, Any] = tomllib.loads(self.text)
        except (ValueError, RecursionError) as error:
            line = re.search(r"line (\d+)", str(error))
            message = re.sub(r" \(at .*\)$", "", why(error))
            where = Where(str(path), int(line[1]) if line else 0)
            remedy = 'the file is TOML: key = "value", tables as [name]'
            raise ProjError(f"not TOML: {message}", where, remedy) from None
        self.said = self._check(data)

    def fail(self, table: str, key: str, message: str, remedy: str = "") -> NoReturn:
        name = f"{table}.{key}" if table and key else table or key
        raise ProjError(
            f"{name}: {message}" if name else message, Where(str(self.path), line_of(self.text, table, key)), remedy
        )

    def _check(self, data: dict[str, Any]) -> dict[str, dict[str, Any]]:
        """Return all values, with defaults filled in; unknown keys are errors."""
        said: dict[str, dict[str, Any]] = {}
        top = {key: value for key, value in data.items() if key not in KEYS}
        for table, keys in KEYS.items():
            entries = top if not table else data.get(table, {})
            if not isinstance(entries, dict):
                self.fail(table, "", f"found {_describe(entries)}, a table expected", f"write [{table}] on a line of its own")
            for key in entries:
                if key not in keys:
                    self._refuse_key(table, key, isinstance(entries[key], dict))
            said[table] = {
                key: self._value(table, key, rule, entries[key]) if key in entries else rule.default
                for key, rule in keys.items()
            }
        return said

    def _refuse_key(self, table: str, key: str, is_table: bool) -> NoReturn:
        message = f"there is no {'table' if is_table else 'key'} '{key}'" + (f" in [{table}]" if table else "")
        known = {name: f"'{name}'" for name in KEYS[table]} | ({} if table else {name: f"[{name}]" for name in KEYS if name})
        near = difflib.get_close_matches(key, known, 1, 0.6)
        elsewhere = [f"'{key}' in [{other}]" if other else f"'{key}' above all tables" for other in KEYS if key in KEYS[other]]
        if near or elsewhere:
            remedy = f"did you mean {elsewhere[0] if elsewhere else known[near[0]]}?"
        else:
            remedy = f"there are {', '.join(known.values())}"
        raise ProjError(message, Where(str(self.path), line_of(self.text, table, key)), remedy)

    def _value(self, table: str, key: str, rule: Key, value: Any) -> Any:
        """The value in its plain form: lists are tuples, a single file is a list of one."""
        texts = isinstance(value, list) and all(isinstance(item, str) and item for item in value)
        good = {
            "text": isinstance(value, str),
            "path": isinstance(value, str) and bool(value),
            "paths": texts or (isinstance(value, str) and bool(value)),
            "whole": isinstance(value, int) and not isinstance(value, bool),
            "share": _is_number(value) and 0 <= value <= 1,
            "flag": isinstance(value, bool),
            "texts": texts,
            "share or path": (isinstance(value, str) and bool(value)) or (_is_number(value) and 0 <= value <= 0.9),
        }[rule.kind]
        if not good:
            self.fail(table, key, f"found {_describe(value)}, {EXPECTED[rule.kind]} expected")
        if rule.choices and value not in (*rule.choices, rule.default):
            self.not_one_of(table, key, value, rule.choices)
        if rule.kind == "whole" and not rule.low <= value <= rule.high:
            self.fail(table, key, f"found {value}, a number from {rule.low} to {rule.high} expected")
        if "path" in rule.kind and "\0" in "".join(map(str, value if isinstance(value, list) else [value])):
            self.fail(table, key, "a file name cannot hold the character 0")
        if isinstance(value, list):
            return tuple(value)
        return (value,) if rule.kind == "paths" else value

    def not_one_of(self, table: str, key: str, value: str, choices: tuple[str, ...]) -> NoReturn:
        near = difflib.get_close_matches(value, choices, 1, 0.6)
        remedy = f"did you mean '{near[0]}'?" if near else ""
        self.fail(table, key, f"found '{value[:60]}', one of {', '.join(choices)} expected", remedy)

    def file(self, table: str, key: str, name: str) -> Path:
        """Return the path of a file, which must exist; names are relative to the config's folder."""
        path = self.place(name)
        if not path.exists():
            self.fail(table, key, f"there is no file '{name}'", f"names are taken from {self.path.resolve().parent}")
        if path.is_dir():
            self.fail(table, key, f"'{name}' is a folder, a file expected", "name the files in it one by one")
        if not path.is_file():
            self.fail(table, key, f"'{name}' is a device or a pipe, a file expected", "a run reads its files more than once")
        return path

    def place(self, name: str) -> Path:
        return self.path.resolve().parent / Path(name).expanduser()

    def files(self, table: str, key: str) -> tuple[Path, ...]:
        return tuple(self.file(table, key, name) for name in self.said[table][key])

    def one(self, table: str, key: str) -> Path | None:
        name = self.said[table][key]
        return self.file(table, key, name) if name else None


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _describe(value: Any) -> str:
    """Return a value as messages quote it."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, dict):
        return "a table"
    return f"{value!r:.60}"


LARGEST = 1 << 20
"""Bytes of a config; anything larger is not one."""
TRAINED = tuple(name for name in PARSERS if name != "oracle")
LEARN, NONE = "learn", "none"
LOOKED_AT = 50
"""Sentences of each file that are searched for glosses before a system is chosen."""


@dataclass(frozen=True)
class Config:
    """The checked config of a run. Files are absolute paths; `said` has the values as written, for reports and keys."""

    path: Path
    language: str
    results: Path
    seed: int
    strict: bool
    said: dict[str, dict[str, Any]]
    text: tuple[Path, ...]
    format: str
    reader: ReaderOptions
    """How interlinear text is read."""
    f: Path | None
    e: Path | None
    trees: tuple[Path, ...]
    links: tuple[Path, ...]
    gold: tuple[Path, ...]
    held_out: Path | float
    grams: tuple[Path, ...]
    dictionary: tuple[Path, ...]
    parser: str
    """A language pack, `auto` for the pack of each translation's language, `given`, or '' where a command or a model parses."""
    parser_model: Path | None
    system: str
    why: str
    """Why this system projects."""
    rules: Path | None
    """A rule file; None where rules are learned or there are none."""
    learns: bool
    model: Path | None
    phrases: PhraseSources
    """Phrase pairs, and trees or forests of F."""
    also: tuple[Path, ...]
    """Corpus folders with the same sentences and other translations."""
    types: tuple[Path, ...] = ()
    """Tables of word types with the user's answers: the one that is named, or those beside the text."""

    def value(self, table: str, key: str) -> Any:
        return self.said[table][key]

    @property
    def trains(self) -> bool:
        return self.system in PARSERS and self.model is None

    @property
    def systems(self) -> tuple[str, ...]:
        """Return the systems to cross-validate: those named in the config, else s1-r and the one that projects."""
        asked: tuple[str, ...] = self.value("evaluate", "systems")
        return asked or ("s1-r", *(() if self.system in ("s1-r", "model") else (self.system,)))

    @property
    def title(self) -> str:
        return self.language or self.path.resolve().parent.name or "Results"


def load(path: str | Path, results: str | Path | None = None, style: str | None = None) -> Config:
    """Read a config from a file; a ProjError says which key is wrong, what was found and what was expected.

    `results` takes the place of the folder that the config names, `style` that of the head style of what goes out.
    """
    path = Path(path)
    if path.is_dir():
        raise ProjError("this is a folder, a config was expected", Where(str(path)), "`proj new LANGUAGE` writes one")
    try:
        with path.open("rb") as stream:
            raw = stream.read(LARGEST + 1)
    except FileNotFoundError:
        raise ProjError("no such file", Where(str(path)), "`proj new LANGUAGE` writes a config") from None
    except OSError as error:
        raise ProjError(f"cannot be read: {error.strerror}", Where(str(path))) from None
    if len(raw) > LARGEST:
        raise ProjError(f"more than {LARGEST >> 20} MB, a config expected", Where(str(path)))
    try:
        return loads(raw.decode("utf-8-sig"), path, results, style)
    except UnicodeDecodeError:
        raise ProjError("not UTF-8 text", Where(str(path)), "save the file as UTF-8") from None


def loads(text: str, path: str | Path = "divproj.toml", results: str | Path | None = None, style: str | None = None) -> Config:
    """Read a config from a string; file names are relative to the folder of `path`."""
    try:
        reader = _Reader(text, Path(path))
        if style:
            reader.said["project"]["style"] = style
        return reader.config(results)
    except (OSError, RuntimeError) as error:  # names too long, links in a circle, `~somebody` who is not there
        name = f"'{str(error.filename)[-60:]}': {error.strerror}" if isinstance(error, OSError) else str(error)
        raise ProjError(f"a file that the config names cannot be looked for: {name}", Where(str(path))) from None


class _Reader(ConfigValues):
    """Builds a `Config` from the values, and checks that they do not contradict each other."""

    def config(self, results: str | Path | None) -> Config:
        said = self.said
        self._input()
        self._conventions()
        held = said["evaluate"]["held_out"]
        parser, parser_model = self._parser()
        phrases = self._phrases()
        choice, rules, learns, model = self._system(phrases)
        new_config = Config(
            path=self.path, language=" ".join(said[""]["language"].split()),
            results=Path(results).absolute() if results else self.place(said[""]["results"]),
            seed=said[""]["seed"], strict=said[""]["strict"], said=said,
            text=self.files("input", "text"), format=said["input"]["format"], reader=self._reader(), f=self.one("input", "f"), e=self.one("input", "e"),
            trees=self._trees(), links=self.files("input", "links"), gold=self.files("input", "gold"),
            held_out=self.file("evaluate", "held_out", held) if isinstance(held, str) else float(held),
            grams=self.files("align", "grams"), dictionary=self.files("align", "dictionary"),
            parser=parser, parser_model=parser_model, system=choice.system, why=choice.why, rules=rules, learns=learns, model=model, phrases=phrases,
            also=tuple(map(self._also, said["project"]["also"])), types=self._types(),
        )  # fmt: skip
        self._evaluation(new_config)
        self._results(new_config)
        return new_config

    def _input(self) -> None:
        table = self.said["input"]
        if not table["text"] and not (table["f"] and table["e"]):
            self.fail("input", "", "no text is named", 'text = "my-texts.txt" (interlinear), or f = "…" and e = "…" (bitext)')
        if table["text"] and (table["f"] or table["e"]):
            self.fail("input", "text", "there are both interlinear text and a bitext", "give text, or f and e")

    def _reader(self) -> ReaderOptions:
        """The options of the readers; roles are written `words=tx, glosses=ge`."""
        table = self.said["input"]
        roles: dict[str, dict[str, str]] = {}
        for key in ROLE_NAMES:
            try:
                roles[key] = parse_roles(key, [table[key]])
            except ProjError:
                self.fail("input", key, f"found '{table[key]}', ROLE=NAME expected", f'{key} = "words=tx, glosses=ge"')
        try:
            return ReaderOptions.of({"lang": table["lang"], "encoding": table["encoding"], **roles})
        except ProjError as error:
            self.fail("input", "encoding", error.message, error.remedy)

    def _has_glosses(self) -> bool:
        """Whether the text has glosses, as far as its first sentences tell; what is wrong with it is said when it is read."""
        format_, reader = self.said["input"]["format"] or None, self._reader()
        for path in self.files("input", "text"):
            with suppress(ProjError):
                text = Corpus(path, format=format_, reader=reader, faults=Faults(strict=False))
                if any(pair.glosses for pair in islice(text.pairs(trees=False), LOOKED_AT)):
                    return True
        return False

    def _suits_s6(self) -> bool:
        """Whether the text has glosses and its given trees of E are UD's, as far as the first sentences tell."""
        if not (text := self.files("input", "text")):
            return False
        format_, reader = self.said["input"]["format"] or None, self._reader()
        with suppress(ProjError):
            corpus = Corpus(text, self._trees(), format=format_, reader=reader, faults=Faults(strict=False))
            return suits_s6([ProjectionInput.of(pair) for pair in islice(corpus.pairs(trees=False), LOOKED_AT)])
        return False

    def _parser(self) -> tuple[str, Path | None]:
        """A language by name, `given`, or a model's folder; '' for a command."""
        table, name = self.said["parse"], self.said["parse"]["parser"]
        if table["command"]:
            if name or self.said["input"]["trees"]:
                other = "parse.parser" if name else "input.trees"
                self.fail("parse", "command", f"there are both {other} and parse.command", "remove one of the two")
            return "", None
        given = bool(self._trees())
        if name in ("", "given"):
            return ("given" if given or name else "auto"), None
        if self.said["input"]["trees"]:
            self.fail(
                "parse", "parser", "the trees of the translations are given too", 'remove input.trees, or parser = "given"'
            )
        if re.fullmatch(r"[A-Za-z]{2,3}", name) and not self.place(name).exists():
            return name, None
        if not (self.place(name) / "model.json").is_file():
            remedy = 'a shipped language ("en"), "given", or the folder of `proj train`; a program goes to parse.command'
            self.fail("parse", "parser", f"'{name}' is no folder with a model", remedy)
        return "", self.place(name)

    def _trees(self) -> tuple[Path, ...]:
        """Given trees of the translations: those named, or the E side of a bitext where nothing else is to parse it."""
        files, e, parse = self.files("input", "trees"), self.one("input", "e"), self.said["parse"]
        wanted = not files and not parse["command"] and parse["parser"] in ("", "given")
        return (e,) if wanted and e and is_conllu(e) else files

    def _phrases(self) -> PhraseSources:
        name, forests = self.said["project"]["phrases"], self.one("project", "f_forests")
        phrases = name if name in ("", AUTO) else str(self.file("project", "phrases", name))
        return PhraseSources(phrases or None, self.said["project"]["paraphrases"], str(forests) if forests else None)

    def _conventions(self) -> None:
        try:
            parse_conventions(self.said["project"]["conventions"])
        except ProjError as error:
            self.fail("project", "conventions", error.message.partition(": ")[2], error.remedy)

    def _types(self) -> tuple[Path, ...]:
        name = self.said["project"]["types"]
        if name:
            return () if name == NO_TABLE else (self.file("project", "types", name),)
        text = self.said["input"]["text"] or filter(None, [self.said["input"]["f"]])
        return tuple(path for each in text if (path := types_file(str(self.place(each)))).is_file())

    def _also(self, name: str) -> Path:
        """A corpus folder with other translations, or a sample corpus."""
        path = self.place(name)
        path = path if path.exists() else locate(name)
        if not path.is_dir() or not any(in_folder(path, file) for file in (F_FILE, IGT_FILE)):
            self.fail(
                "project", "also", f"'{name}' is no corpus folder", "f.conllu or igt.txt, e.conllu and align.txt in a folder"
            )
        return path

    def _gold_trees(self) -> int:
        """Gold trees to learn from, as far as their files tell: those that are held out do not count."""
        count, held = 0, self.said["evaluate"]["held_out"]
        for path in self.files("input", "gold"):
            with suppress(ProjError):
                rows = conllu.load(path, Faults(strict=False))
                count += sum(1 for row in rows if row is not None and not row.is_draft)
        return max(1, count - round(count * held) if isinstance(held, int | float) else count)

    def _system(self, phrases: PhraseSources) -> tuple[SystemChoice, Path | None, bool, Path | None]:
        """The system and why, a rule file, whether rules are learned, a model's folder."""
        table = self.said["project"]
        gold = bool(self.said["input"]["gold"])
        if table["model"]:
            return self._model_choice()
        name, known = table["rules"] or (LEARN if gold else NONE), (*PROJECTIONS, *OBSERVING, CORRECTED, *TRAINED)
        rules = self._rule_file(name)
        learns = name == LEARN
        if learns and not gold:
            self.fail("project", "rules", "there are no gold trees to learn from", "name some in input.gold")
        system, why = table["system"], "named in the config"
        given = corrections(str(rules)) if rules else None
        if system == "auto":
            there = {"forests": phrases.f_forests is not None, "glosses": self._suits_s6() if given else self._has_glosses()}
            choice = choose(gold=self._gold_trees() if learns else 0, rules=given.system if given else "", **there)
            system, why = choice.system, choice.why
            rules = rules if system_info(system).needs else None
        if system not in known:
            self.not_one_of("project", "system", system, ("auto", *known))
        if given:
            try:
                given.check(system)
            except ModelError as error:
                self.fail("project", "system", error.message, error.remedy)
        if system == CORRECTED and not (learns or given):
            self.fail("project", "system", f"{system} learns from gold trees", "name some in input.gold, and no other rules")
        if system in PARSERS and not gold:
            self.fail("project", "system", f"{system} needs gold trees to learn from, or a model", "name some in input.gold")
        if system in PROJECTIONS and system not in UNTRAINED and not (rules or learns):
            remedy = 'rules = "hin" or a file, gold trees in input.gold, or system = "s1-r", which needs none'
            self.fail("project", "system", f"{system} needs rules", remedy)
        if rules and not system_info(system).needs:
            self.fail("project", "rules", f"{system} uses no rules", "leave them out, or choose s2+")
        if phrases and not system_info(system).observes:
            self.fail(
                "project", phrases.first_option.replace("-", "_"), f"{system} does not look at phrases", "choose s5, s6 or s5+"
            )
        return SystemChoice(system, why), rules, learns, None

    def _model_choice(self) -> tuple[SystemChoice, None, bool, Path]:
        table = self.said["project"]
        if table["system"] != "auto" or table["rules"]:
            self.fail("project", "model", "a model brings its own rules and system", "remove system and rules")
        folder_ = self.place(table["model"])
        if not (folder_ / "model.json").is_file():
            self.fail(
                "project", "model", f"'{table['model']}' is no folder with a model", "`proj train CORPUS -o MODEL` makes one"
            )
        return SystemChoice("model", "the model is named in the config"), None, bool(self.said["input"]["gold"]), folder_

    def _rule_file(self, name: str) -> Path | None:
        if name in (LEARN, NONE):
            return None
        path = self.place(name)
        shipped = folder("rules")
        if not path.is_file() and re.fullmatch(r"\w+", name) and (shipped / f"{name}.json").is_file():
            return shipped / f"{name}.json"
        if not path.is_file():
            there = ", ".join(sorted(p.stem for p in shipped.glob("*.json")))
            self.fail("project", "rules", f"there is no rule file '{name}'", f"learn, none, a file, or a shipped set: {there}")
        return path

    def _evaluation(self, config: Config) -> None:
        for name in config.value("evaluate", "systems"):
            if name not in SYSTEM_NAMES:
                self.not_one_of("evaluate", "systems", name, SYSTEM_NAMES)
        if config.held_out and not config.gold and not isinstance(config.held_out, Path):
            self.fail("evaluate", "held_out", "there are no gold trees to hold out", "name some in input.gold")

    def _results(self, config: Config) -> None:
        """Check that the results have a folder of their own, in which there is no input but the trees of a review."""
        target = config.results.resolve()
        inputs = [
            *config.text,
            *config.trees,
            *config.links,
            *config.gold,
            *config.grams,
            *config.dictionary,
            *config.also,
            config.path,
        ]
        inputs += [Path(p) for p in (config.phrases.phrases, config.phrases.f_forests) if p and p != AUTO]
        inputs += [
            p
            for p in (config.f, config.e, config.rules, config.model, config.parser_model, config.held_out)
            if isinstance(p, Path)
        ]
        for path in inputs:
            if path.resolve().is_relative_to(target) and not (path in config.gold and path.name.endswith(REVIEWED)):
                self.fail(
                    "",
                    "results",
                    f"{path.name} lies in the results folder {config.results}",
                    "give the results a folder of their own",
                )
        if target.exists() and not target.is_dir():
            self.fail("", "results", f"{config.results} is a file, a folder expected")
