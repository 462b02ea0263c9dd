"""The cases of `outputs.py`: one table of commands, and the inputs they read."""

from __future__ import annotations

import itertools
import os
import re
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
DATA = Path(os.environ.get("DIVPROJ_DATA", ROOT.parent / "shared" / "data"))

TABLE = """
* help-{command}          {command} --help
* help                    --help
* version                 --version ; corpora ; cite ; cite --help
* wrong                   analyze nowhere ; project in/deu --system s9 ; analyze in/deu --no-such-option ; rules show nowhere ; project ; convert in/igt/plain.txt in/igt/plain.txt ; parse in/own/english.txt --lang xx ; project in/deu --e-style x ; analyze --f in/deu/f.conllu

* analyze-overview        analyze hin-eng deu-eng spa-eng kor-eng ; -q analyze hin-eng deu-eng --json
* analyze-{corpus}        analyze in/{corpus}
  analyze-{corpus}-all    analyze in/{corpus} --json ; analyze in/{corpus} --edges ; analyze in/{corpus} --sentences ; analyze in/{corpus} --csv out/tables --html out/report.html --extended
* analyze-page            analyze in/deu --csv out/tables --html out/report.html
  analyze-style           analyze in/hin --e-style function --tags upos ; analyze in/hin --e-style ud --json --min-count 1
* analyze-files           analyze in/deu/f.conllu in/deu/e.conllu in/deu/align.txt --ignore-ids ; analyze - in/deu/e.conllu in/deu/align.txt < in/deu/f.conllu
  analyze-bad             analyze in/bad ; analyze in/bad --strict ; analyze in/bad -v
  analyze-jobs            analyze in/deu -j 2
  analyze-{data}          analyze in/{data} ; analyze in/{data} --json ; analyze in/{data} --html out/report.html
* draw                    draw in/deu --sent deu-010 -o out/pair.svg ; draw in/deu --sent 2 --text ; draw in/hin --sent 1 --stage swap ; draw in/hin --sent nowhere ; draw in/deu --sent 3 --stage remove --text

* project-{corpus}-s1     project in/{corpus} ; project in/{corpus} --system s1-l -o out/trees.conllu --html out/page.html
  project-{corpus}-{s2}   project in/{corpus} --system {s2} --rules deu -o out/trees.conllu --links-out out/links.txt --e-out out/e.conllu
* project-{corpus}-s5     project in/{corpus} --system s5 -o out/trees.conllu --html out/page.html
  project-igt-{corpus}    project in/{corpus}/igt.txt --e in/{corpus}/e.conllu --links in/{corpus}/align.txt --rules {corpus} -o out/trees.conllu ; project in/{corpus}/igt.txt -o out/parsed.conllu --e-out out/e.conllu --links-out out/links.txt ; project in/{corpus}/igt.txt --system s5 --e-parser en --e-style function
* project-text            project in/deu/igt.txt --rules deu -o out/trees.conllu --html out/page.html ; project - < in/deu/igt.txt
  project-more            project in/deu --system s5 --refine-links --links-out out/links.txt ; project in/deu --also in/deu ; project in/deu/igt.txt --system s5 --e-best 3 ; project in/deu --also in/kor
  project-command         project in/deu/igt.txt --e-parser 'cat in/deu/e.conllu' ; project in/deu --strict -q ; project in/bad ; project in/bad --strict ; project in/deu --system s2+ ; project in/deu --system s5+ ; project in/deu --system s4-1
  project-jobs            project in/deu/igt.txt --rules deu -j 2 -o out/trees.conllu ; project in/deu --system s5 -j 2 -o out/phrasal.conllu
* project-igt-{igt}       project in/igt/{igt}
* project-{data}          project in/{data} -o out/s1.conllu ; project in/{data} --system s5 -o out/s5.conllu
  project-more-{data}     project in/{data} --system s2+ --rules deu -o out/trees.conllu --html out/page.html ; project in/{data} --system s2-1 --rules hin ; project in/{data} --e-style function
  project-glosses-{odin}  project in/odin-{odin}/igt.txt ; project in/odin-{odin}/igt.txt --system s5 --e in/odin-{odin}/e.conllu -o out/trees.conllu
  project-glossed-{bank}  project in/banks/{bank}.conllu --system s5 -o out/trees.conllu --links-out out/links.txt ; project in/banks/{bank}.conllu
* learn-{corpus}          learn in/{corpus} -o out/rules.json ; rules show out/rules.json ; project in/{corpus} --rules out/rules.json ; project in/{corpus} --rules out/rules.json --system s2-1
  learn-{data}            learn in/{data} -o out/rules.json ; rules show out/rules.json --min-count 1
  learn-files             learn in/kor/f.conllu in/kor/e.conllu in/kor/align.txt
  rules-{corpus}          rules show {corpus}
  release                 release in/deu/f.conllu --language German --treebank Sample --set states=all -o out/UD_German-Sample
  types                   types in/deu/igt.txt ; types in/deu/igt.txt -o out/types.tsv ; project in/deu/igt.txt --types out/types.tsv
  calibrate               calibrate in/deu -o out/confidence.json --system s5
  paper                   paper ; paper georgi-2b deu-eng hin-eng ; paper arase-examples --json
  find                    find 'upos=NOUN & head.upos=VERB' in/deu/f.conllu ; find 'rel=nsubj' in/hin/f.conllu --json
  languages               languages
  about                   systems ; cite ; tutorial out/tutorial ; warm --help
  train-{parser}          train in/deu -o out/model --system {parser} --epochs 2 --set bits=14 ; project in/deu --model out/model -o out/trees.conllu ; parse in/deu --model out/model -o out/parsed.conllu ; project in/deu/igt.txt --model out/model --html out/page.html
  train-options           train in/hin -o out/model --system s4+ --trees s1-r --features match,align --epochs 1 --set bits=12 --seed 3 ; train in/hin -o out/other --epochs 1 --set bits=12 ; project in/hin --model out/other
  train-treebank          train in/hin/f.conllu --dev in/hin/e.conllu -o out/model --epochs 2 --set bits=14 ; parse in/hin/f.conllu --model out/model -o out/parsed.conllu ; parse in/hin/f.conllu --model out/model --keep-tags
  train-odin              train in/odin-hua -o out/model --epochs 1 --set bits=14 --system s5+ ; project in/odin-hua --model out/model

* parse                   parse in/own/english.txt --lang en ; parse - --lang en --keep-lines < in/own/english.txt ; parse in/deu/e.conllu --lang en -o out/trees.conllu --forest out/forests.jsonl
  parse-options           parse in/deu/e.conllu --lang en --keep-tags --style function --no-confidence ; parse in/own/english.txt --lang en --nbest 3 ; parse in/own/english.txt --lang en -j 2 ; parse in/deu/igt.txt --lang en
  check-{igt}             check in/igt/{igt} ; check in/igt/{igt} --json -o out/report.jsonl
* convert-{igt}           convert in/igt/{igt} out/text.conllu ; convert in/igt/{igt} out/text.xml ; convert in/igt/{igt} out/text.txt ; convert in/igt/{igt} - --to plain --bare
  check-data-{format}     check in/formats/{format} ; check in/formats/{format} --json
  convert-data-{format}   convert in/formats/{format} out/text.conllu ; convert in/formats/{format} out/text.xml ; convert in/formats/{format} out/text.txt
  check-{corpus}          check in/{corpus}/igt.txt --json ; convert in/{corpus}/igt.txt out/text.xml ; convert out/text.xml out/text.conllu ; project out/text.conllu --e in/{corpus}/e.conllu
  check-glossed-{bank}    check in/banks/{bank}.conllu ; convert in/banks/{bank}.conllu out/text.xml ; convert in/banks/{bank}.conllu out/text.txt
* words                   words in/deu -o out/links.txt ; words in/deu --fast --probs ; evaluate --word-links in/deu/align.txt out/links.txt
  words-more              words in/deu/igt.txt --fast ; words in/hin/f.conllu in/hin/e.conllu --fast --method intersection --seed 4 ; words in/kor --fast --save out/model ; words in/kor --model out/model --threshold 0.6 ; words in/deu --glossed in/deu/igt.txt --fast
  words-{data}            words in/{data} --fast -o out/links.txt
* align                   align in/own/old.mrg in/own/new.mrg -o out/pairs.jsonl --html out/pairs.html ; align in/own/old.mrg in/own/new.mrg --text --set noncomp=off ; align in/own/old.mrg in/own/new.mrg --set search=packs --set null_cost=2 ; evaluate --phrases out/pairs.jsonl out/pairs.jsonl
  align-{corpus}          align in/{corpus}/f.conllu in/{corpus}/e.conllu --links in/{corpus}/align.txt --languages de-en -o out/pairs.jsonl --corpus out/corpus
  align-auto              align in/deu/f.conllu in/deu/e.conllu --links auto --languages de-en --text
  align-train             align train in/own/old.mrg in/own/new.mrg -o out/model --epochs 2 ; align in/own/old.mrg in/own/new.mrg --model out/model -o out/pairs.jsonl
  align-smultron          align in/smultron-en-de/f.conllu in/smultron-en-de/e.conllu --links in/smultron-en-de/align.txt --languages de-en --text
* induce                  induce in/deu -o out/model --sweeps 2 --set restarts=1 ; induce parse in/deu/f.conllu --model out/model -o out/trees.txt ; induce parse in/deu/f.conllu --model out/model --forest -o out/forests.jsonl ; project in/deu --system s5 --f-forests out/forests.jsonl -o out/phrased.conllu ; evaluate --brackets in/deu/f.conllu out/trees.txt ; draw in/deu --sent 2 --induced out/model
  induce-more             induce in/kor -o out/model --sweeps 2 --set restarts=1 --links auto --set moves=guided --chains 2 ; induce in/hin/f.conllu -o out/em --set method=em --sweeps 2 ; induce parse in/hin/f.conllu --model out/em --decode mbr ; induce in/kor -o out/paper --paper --sweeps 2 --tags projected
  induce-odin             induce in/odin-ger -o out/model --sweeps 2 --set restarts=1 --tags projected

* evaluate                project in/deu -o out/r.conllu ; project in/deu --system s5 -o out/p.conllu ; evaluate in/deu/f.conllu out/r.conllu ; evaluate in/deu/f.conllu out/r.conllu out/p.conllu --no-punct ; evaluate in/deu/f.conllu out/p.conllu --json --subtypes ; evaluate --brackets in/deu/f.conllu out/p.conllu --json ; evaluate --word-links in/deu/align.txt in/deu/align.txt --json
  experiment-{corpus}     experiment in/{corpus} --systems s1-r,s1-l,s2-3,s2-2,s2-1,s2+ --folds 3 ; experiment in/{corpus} --systems s1-r,s2+,s5 --folds 2 --seed 3 --json --gloss-links
  experiment-parsers      experiment in/deu --systems s3-1,s4-1,s4+,s5+,oracle --folds 2
* experiment              experiment in/deu in/kor --systems s1-r,s2-1 --folds 2 --train-sizes 5,all
  experiment-{data}       experiment in/{data} --systems s1-r,s2-1,s5 --folds 2
* run                     run in/run/learned.toml -o out/results -j 1 ; run in/run/learned.toml -o out/results --dry-run
  run-plain               run in/run/plain.toml -o out/results -j 1 ; run in/run/plain.toml -o out/results -j 1 --from project
  run-parser              run in/run/parser.toml -o out/results -j 1
  run-phrasal             run in/run/phrasal.toml -o out/results -j 1
  run-broken              run in/run/broken.toml -o out/results ; run nowhere.toml
  new                     new Tavi --folder out
"""
"""`*` quick, the name of the case, its commands with `;` between, the stdin of the last after `<`; `{x}` is each of FIELDS[x]."""

FIELDS = {
    "command": ["analyze", "draw", "words", "align pairs", "align train", "induce train", "induce parse", "project",
                "train", "evaluate", "experiment", "learn", "rules", "rules show", "check", "convert", "parse", "review", "run",
                "new", "corpora", "align", "induce"],
    "corpus": ["deu", "hin", "spa", "kor"],
    "s2": ["s2-1", "s2-2", "s2-3", "s2+"],
    "parser": ["s3-1", "s4-1", "s4-2", "s4-3", "s4+", "s5+"],
    "data": ["odin-ger", "odin-gli", "odin-hua", "odin-kkn", "pud-fr", "cdt-da", "smultron-en-de", "smultron-sv-de"],
    "odin": ["ger", "gli", "hua", "kkn"],
    "bank": ["arh", "aze", "ceb", "gwi", "hau_s", "lzh", "pus", "ssp", "yor"],
    "igt": sorted(path.name for path in (ROOT / "tests" / "fixtures" / "igt").iterdir() if path.suffix != ".md"),
    "format": ["cldf_examples.csv", "elan_minimal.eaf", "elan_toolbox_export.sfm", "flex_vatlongos.flextext", "gb4e_expex.tex",
               "lgr_examples.csv", "odin.txt", "sigmorphon.txt", "toolbox_kakabe.sfm"],
}  # fmt: skip

RENAMED: dict[str, dict[str, str]] = {"": {}}
"""With --new-names: by command (the empty one: all), the new name of an option. The old ones must do the same, with a note on stderr."""


@dataclass(frozen=True)
class Case:
    name: str
    commands: tuple[str, ...]
    quick: bool

    @property
    def needs(self) -> set[str]:
        """The inputs that it reads."""
        return set(re.findall(r"\bin/([\w-]+)", " ".join(self.commands)))


def cases() -> list[Case]:
    """The table, with its fields filled in."""
    found = []
    for row in filter(None, TABLE.splitlines()):
        name, commands = row[2:].split(maxsplit=1)
        fields = [field for field in FIELDS if f"{{{field}}}" in row]
        for values in itertools.product(*(FIELDS[field] for field in fields)):
            chosen = dict(zip(fields, values, strict=True))
            named = name.format(**chosen).replace(" ", "-")
            found.append(Case(named, tuple(x.strip() for x in commands.format(**chosen).split(" ; ")), row[0] == "*"))
    assert len({case.name for case in found}) == len(found), "two cases of one name"
    return found


def some(source: Path, folder: Path, count: int) -> None:
    """The first sentences of a corpus folder."""
    if not source.is_dir():
        return
    folder.mkdir(parents=True)
    for name, between in (("f.conllu", "\n\n"), ("e.conllu", "\n\n"), ("align.txt", "\n"), ("igt.txt", "\n\n")):
        if (source / name).exists():
            parts = (source / name).read_text(encoding="utf-8").split(between)
            (folder / name).write_text(between.join(parts[:count]) + between, encoding="utf-8")


def banks(folder: Path) -> None:
    """Ten sentences of each glossed treebank."""
    for path in sorted((DATA / "glossbanks").glob("*/*.conllu")):
        folder.mkdir(parents=True, exist_ok=True)
        parts = path.read_text(encoding="utf-8").split("\n\n")
        (folder / f"{path.parent.name}.conllu").write_text("\n\n".join(parts[:10]) + "\n\n", encoding="utf-8")


def bad(folder: Path) -> None:
    """A corpus with faults: a head out of range, two roots, a link out of range, another id."""
    some(ROOT / "corpora" / "deu-eng", folder, 12)
    f, e, links = folder / "f.conllu", folder / "e.conllu", folder / "align.txt"
    rows = f.read_text(encoding="utf-8").split("\n\n")
    rows[1] = re.sub(r"\t(\d+)\t(\w+)\t_\t", r"\t99\t\2\t_\t", rows[1], count=1)
    rows[3] = re.sub(r"\t\d+\t\w+\t_\t", "\t0\troot\t_\t", rows[3])
    f.write_text("\n\n".join(rows), encoding="utf-8")
    e.write_text(e.read_text(encoding="utf-8").replace("deu-006", "other-006"), encoding="utf-8")
    lines = links.read_text(encoding="utf-8").splitlines()
    links.write_text("\n".join([*lines[:4], f"{lines[4]} 0-77", "x-1", *lines[6:]]) + "\n", encoding="utf-8")


ENGLISH = "The dogs that bark do not bite.\nShe gave him a book and he read it to the children in the garden. It rained.\n"
OLD = """(S (NP (DT the) (JJ old) (NN dog)) (VP (VBD slept) (PP (IN in) (NP (DT the) (NN sun)))) (. .))
(S (NP (NNS farmers)) (VP (VBP grow) (NP (JJ red) (NNS apples))))
(S (NP (PRP she)) (VP (VBD gave) (NP (PRP him)) (NP (DT a) (NN book))))
"""
NEW = """(S (PP (IN in) (NP (DT the) (NN sun))) (, ,) (NP (DT the) (JJ old) (NN dog)) (VP (VBD slept)) (. .))
(S (NP (JJ red) (NNS apples)) (VP (VBP are) (VP (VBN grown) (PP (IN by) (NP (NNS farmers))))))
(S (NP (PRP she)) (VP (VBD gave) (NP (DT a) (NN book)) (PP (TO to) (NP (PRP him)))))
"""
CONFIG = """language = "German"
[input]
text = "igt.txt"
trees = "e.conllu"
"""
GOLD = 'links = "align.txt"\ngold = "f.conllu"\n[evaluate]\nfolds = 2\nheld_out = 0.25\n[report]\npictures = 3\n'
PARSER = "[train]\nepochs = 1\nbits = 12\n"
CONFIGS = {
    "plain": CONFIG + '[project]\nsystem = "s1-r"\n',
    "learned": CONFIG + GOLD + '[project]\nsystem = "s2+"\n',
    "parser": CONFIG.replace('trees = "e.conllu"\n', "") + GOLD + PARSER + '[project]\nsystem = "s4+"\n',
    "phrasal": CONFIG + '[align]\nmethod = "gloss"\n',
    "broken": CONFIG + '[project]\nsystem = "s9"\ncolour = "red"\n',
}


def own(folder: Path) -> None:
    folder.mkdir(parents=True)
    for name, text in (("english.txt", ENGLISH), ("old.mrg", OLD), ("new.mrg", NEW)):
        (folder / name).write_text(text, encoding="utf-8")


def configs(folder: Path) -> None:
    some(ROOT / "corpora" / "deu-eng", folder, 16)
    for name, text in CONFIGS.items():
        (folder / f"{name}.toml").write_text(text, encoding="utf-8")


def copied(source: Path, folder: Path) -> None:
    """The files of a folder, without those below it."""
    if source.is_dir():
        folder.mkdir(parents=True)
        for path in sorted(source.iterdir()):
            if path.is_file():
                shutil.copyfile(path, folder / path.name)


INPUTS: dict[str, Callable[[Path], None]] = {
    **{code: partial(some, ROOT / "corpora" / f"{code}-eng", count=20) for code in FIELDS["corpus"]},
    **{name: partial(some, DATA / name.replace("-", "/", 1), count=30) for name in FIELDS["data"] if name != "cdt-da"},
    "cdt-da": partial(some, DATA / "cdt-da", count=30),
    "igt": partial(copied, ROOT / "tests" / "fixtures" / "igt"),
    "formats": partial(copied, DATA / "igt-formats"),
    "banks": banks,
    "bad": bad,
    "own": own,
    "run": configs,
}
"""What lies in `in/` of the folder where commands run, and what makes it; what has no data is not there."""
CASES = cases()
