"""Configs: what is understood, and what each mistake is told."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from pipelinefiles import LEARNED, PLAIN, config, conllu, unlike, write

from divproj import ProjError
from divproj.projection.systems import ENOUGH_GOLD, choose
from divproj.run.config import KEYS, line_of, load, loads
from divproj.runtime.resources import folder as shipped


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return write(tmp_path / "tavi")


def told(folder: Path, text: str) -> str:
    with pytest.raises(ProjError) as error:
        load(config(folder, text))
    return str(error.value).replace(str(folder), "HERE")


def test_defaults(folder: Path):
    found = load(config(folder, PLAIN))
    assert found.text == (folder / "text.txt",)
    assert found.results == folder / "results"
    assert (found.system, found.parser, found.title) == ("s6", "given", "tavi")
    assert found.systems == ("s1-r", "s6")


def test_what_there_is_decides_the_system(folder: Path):
    assert load(config(folder, PLAIN + 'gold = "gold.conllu"')).system == "s5+"
    found = load(config(folder, LEARNED))
    assert (found.system, found.learns, found.rules, found.systems) == ("s2+", True, None, ("s1-r", "s2+"))
    assert load(config(folder, '[input]\ntext = "text.txt"')).parser == "auto"


def test_rules_that_do_not_start_from_s6_are_not_used_on_glossed_text(folder: Path):
    found = load(config(folder, PLAIN + '[project]\nrules = "hin"'))
    assert (found.system, found.rules) == ("s6", None)
    assert "the rules are not used: they were learned for s2+" in found.why
    forced = load(config(folder, PLAIN + '[project]\nrules = "hin"\nsystem = "s2+"'))
    assert (forced.system, forced.rules and forced.rules.name) == ("s2+", "hin.json")
    (folder / "e.conllu").write_text(
        (folder / "e.conllu").read_text().replace("\tnsubj\t", "\tSBJ\t").replace("\tdet\t", "\tNMOD\t")
    )
    assert load(config(folder, PLAIN + '[project]\nrules = "hin"')).system == "s2+", "s6 is not made for other relations"


def test_a_rule_file_for_s6plus(folder: Path):
    rules = json.loads((shipped("rules") / "hin.json").read_text(encoding="utf-8"))
    (folder / "mine.json").write_text(json.dumps(rules | {"system": "s6+"}))
    found = load(config(folder, PLAIN + '[project]\nrules = "mine.json"'))
    assert (found.system, found.rules) == ("s6+", folder / "mine.json")
    wrong = told(folder, PLAIN + '[project]\nrules = "mine.json"\nsystem = "s2+"')
    assert "project.system: the rules were learned for s6+, and cannot be used by s2+" in wrong
    wrong = told(folder, PLAIN + '[project]\nrules = "hin"\nsystem = "s6+"')
    assert "project.system: the rules were learned for s2+, and cannot be used by s6+" in wrong


def test_phrases_and_trees_of_f(folder: Path):
    (folder / "f.mrg").write_text("(S (N a))\n")
    made = load(config(folder, PLAIN + "[project]\nphrases = 'auto'\nf_forests = 'f.mrg'\n"))
    assert made.system == "s5"
    assert (made.phrases.phrases, made.phrases.f_forests) == ("auto", str(folder / "f.mrg"))
    assert not load(config(folder, PLAIN)).phrases


def test_the_system_is_chosen_as_a_projector_chooses(folder: Path):
    """By the number of gold trees, too, without those that are held out; and the reason is kept."""
    bitext = '[input]\nf = "f.txt"\ne = "e.conllu"\ngold = "gold.conllu"\n'
    (folder / "f.txt").write_text(
        "\n".join(" ".join(row[0] for row in item[0]) for item in unlike(12)) + "\n", encoding="utf-8"
    )
    few = load(config(folder, bitext))
    assert (few.system, few.why) == ("s2+", choose(gold=8).why)
    many = [item[0] for item in unlike(ENOUGH_GOLD)]
    (folder / "gold.conllu").write_text(conllu(many), encoding="utf-8")
    assert load(config(folder, bitext)).system == "s5+"
    assert load(config(folder, bitext + "[evaluate]\nheld_out = 0.5\n")).system == "s2+"
    assert load(config(folder, PLAIN)).why == choose(glosses=True).why
    assert load(config(folder, PLAIN + '[project]\nsystem = "s5"\n')).why == "named in the config"


def test_absolute_names_and_other_results(folder: Path, tmp_path: Path):
    text = f'results = "{tmp_path}/out"\n[input]\ntext = ["{folder}/text.txt"]\n'
    assert load(config(folder, text)).results == tmp_path / "out"
    assert load(config(folder, text), tmp_path / "other").results == tmp_path / "other"


def test_a_bitext_whose_translations_have_trees(folder: Path):
    (folder / "f.txt").write_text("miko-na dal-ti\n", encoding="utf-8")
    found = load(config(folder, '[input]\nf = "f.txt"\ne = "e.conllu"'))
    assert (found.trees, found.parser) == ((folder / "e.conllu",), "given")
    found = load(config(folder, '[input]\nf = "f.txt"\ne = "e.conllu"\n[parse]\ncommand = "cat"'))
    assert (found.trees, found.parser) == ((), "")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", 'HERE/divproj.toml: input: no text is named; text = "my-texts.txt" (interlinear), or f = "…" and e = "…" (bitext)'),
        ("[input\n", "HERE/divproj.toml:1: not TOML: Expected ']'"),
        ("[input]\ntxet = 'a'", "HERE/divproj.toml:2: there is no key 'txet' in [input]; did you mean 'text'?"),
        ("[imput]\n", "HERE/divproj.toml:1: there is no table 'imput'; did you mean [input]?"),
        ("[input]\nfolds = 3", "HERE/divproj.toml:2: there is no key 'folds' in [input]; did you mean 'folds' in [evaluate]?"),
        ("zzz = 1", "HERE/divproj.toml:1: there is no key 'zzz'; there are 'language', 'results'"),
        ("align = 3", "align: found 3, a table expected; write [align] on a line of its own"),
        ("seed = true", "HERE/divproj.toml:1: seed: found true, a whole number expected"),
        ("seed = -1", "seed: found -1, a number from 0 to"),
        ("[input]\ntext = 3", "input.text: found 3, the name of a file in quotes, or a list"),
        ("[input]\ntext = ['a', 3]", "input.text: found ['a', 3], the name of a file"),
        ('[input]\ntext = "a\\u0000"', "input.text: a file name cannot hold the character 0"),
        ("[input]\ntext = 'nope.txt'", "HERE/divproj.toml:2: input.text: there is no file 'nope.txt'; names are taken from HERE"),
        ("[input]\ntext = '/dev/null'", "input.text: '/dev/null' is a device or a pipe, a file expected; a run reads its files"),
        ("[input]\ntext = '.'", "input.text: '.' is a folder, a file expected; name the files in it one by one"),
        ("[input]\ntext = 'text.txt'\nf = 'a'\ne = 'b'", "there are both interlinear text and a bitext"),
        (PLAIN + "format = 'toolbx'", "input.format: found 'toolbx', one of plain, conllu"),
        (PLAIN + "[align]\nmethod = 'glos'", "HERE/divproj.toml:5: align.method: found 'glos', one of auto, gloss, words, given "
         "expected; did you mean 'gloss'?"),
        (PLAIN + "[align]\nthreshold = 2", "align.threshold: found 2, a number from 0 to 1 expected"),
        (PLAIN + "[parse]\nparser = 'en'", "parse.parser: the trees of the translations are given too"),
        (PLAIN + "[parse]\ncommand = 'cat'", "parse.command: there are both input.trees and parse.command; remove one of the two"),
        ("[input]\ntext='text.txt'\n[parse]\nparser='en'\ncommand='cat'", "there are both parse.parser and parse.command"),
        ("[input]\ntext='text.txt'\n[parse]\nparser='no/model'", "parse.parser: 'no/model' is no folder with a model"),
        (PLAIN + "[project]\nsystem = 's9'", "project.system: found 's9', one of auto, s1-r"),
        (PLAIN + "[project]\nsystem = 's2+'", "project.system: s2+ needs rules; rules = \"hin\" or a file, gold trees"),
        (PLAIN + "[project]\nsystem = 's4+'", "project.system: s4+ needs gold trees to learn from, or a model"),
        (PLAIN + "[project]\nrules = 'learn'", "project.rules: there are no gold trees to learn from; name some in input.gold"),
        (PLAIN + "[project]\nrules = '../x'", "project.rules: there is no rule file '../x'; learn, none, a file, or a shipped set: deu"),
        (PLAIN + "[project]\nmodel = 'm'", "project.model: 'm' is no folder with a model; `proj train CORPUS -o MODEL`"),
        (PLAIN + "[project]\nsystem = 's5'\nrules = 'deu'", "project.rules: s5 uses no rules; leave them out, or choose s2+"),
        (PLAIN + "[project]\nsystem = 's1-r'\nphrases = 'auto'", "project.phrases: s1-r does not look at phrases; choose s5, s6"),
        (PLAIN + "[project]\nalso = 'no'", "project.also: 'no' is no corpus folder; f.conllu or igt.txt, e.conllu and align.txt"),
        (PLAIN + "[project]\nf_forests = 'no.xml'", "project.f_forests: there is no file 'no.xml'"),
        (PLAIN + "[project]\nmodel = 'm'\nsystem = 's1-r'", "project.model: a model brings its own rules and system"),
        (PLAIN + "[evaluate]\nsystems = ['s0']", "evaluate.systems: found 's0', one of s1-r"),
        (PLAIN + "[evaluate]\nheld_out = 0.2", "evaluate.held_out: there are no gold trees to hold out"),
        (PLAIN + "[evaluate]\nheld_out = 0.95", "evaluate.held_out: found 0.95, a number from 0 to 0.9, or the name"),
        (PLAIN + "[train]\norder = 4", "train.order: found 4, a number from 1 to 3 expected"),
        ("results = '.'\n" + PLAIN, "HERE/divproj.toml:1: results: text.txt lies in the results folder HERE"),
        ("results = 'text.txt/..'\n" + PLAIN, "lies in the results folder"),
        ("results = 'links.txt'\n" + PLAIN, "results: HERE/links.txt is a file, a folder expected"),
    ],
)  # fmt: skip
def test_mistakes(folder: Path, text: str, expected: str):
    assert expected in told(folder, text)


def test_files_that_are_no_configs(tmp_path: Path):
    with pytest.raises(ProjError, match="no such file; `proj new LANGUAGE` writes a config"):
        load(tmp_path / "no.toml")
    with pytest.raises(ProjError, match="this is a folder, a config was expected"):
        load(tmp_path)
    (tmp_path / "bytes.toml").write_bytes(b"\xff\xfe")
    with pytest.raises(ProjError, match="not UTF-8 text; save the file as UTF-8"):
        load(tmp_path / "bytes.toml")
    (tmp_path / "large.toml").write_bytes(b"#" * ((1 << 20) + 2))
    with pytest.raises(ProjError, match="more than 1 MB"):
        load(tmp_path / "large.toml")
    (tmp_path / "deep.toml").write_text("a = " + "[" * 5000, encoding="utf-8")
    with pytest.raises(ProjError, match="not TOML"):
        load(tmp_path / "deep.toml")


def test_a_config_that_cannot_be_opened(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    def refuse(*args: object, **options: object) -> None:
        raise PermissionError(13, "Permission denied")

    (tmp_path / "a.toml").touch()
    monkeypatch.setattr(Path, "open", refuse)
    with pytest.raises(ProjError, match="cannot be read: Permission denied"):
        load(tmp_path / "a.toml")


def test_a_text_without_a_file(folder: Path):
    assert loads(PLAIN, folder / "x.toml").text == (folder / "text.txt",)


def test_lines_of_keys():
    text = '# seed = 9\nseed = 1\n"align".method = "words"\n[ evaluate ] # here\nfolds = 2\n'
    assert line_of(text, "", "seed") == 2
    assert line_of(text, "align", "method") == 3
    assert line_of(text, "evaluate", "folds") == 5
    assert line_of(text, "evaluate") == 4
    assert line_of(text, "input", "text") == 0


def test_every_key_is_explained_in_the_config_of_proj_new():
    from divproj.run.scaffold import CONFIG_TEXT

    for table, keys in KEYS.items():
        for key in keys:
            if (table, key) not in {("train", "order"), ("train", "bits")}:
                assert f"{key} = " in CONFIG_TEXT or f"{{{key}}}" in CONFIG_TEXT, key


def test_how_interlinear_text_is_read(folder: Path):
    found = load(config(folder, PLAIN + 'markers = "words=wd, glosses=gl"\nlang = "es"')).reader
    assert (found.lang, found.tiers) == ("es", {"words": "wd", "glosses": "gl"})
    with pytest.raises(ProjError, match=r"input\.tiers: found 'words', ROLE=NAME expected; tiers = \"words=tx, glosses=ge\""):
        load(config(folder, PLAIN + 'tiers = "words"'))
    with pytest.raises(ProjError, match=r"input\.encoding: unknown encoding 'klingon'"):
        load(config(folder, PLAIN + 'encoding = "klingon"'))
