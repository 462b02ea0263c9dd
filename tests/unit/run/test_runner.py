"""Runs: what is done and why, what is kept, what comes out."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import joblib
import pytest
from pipelinefiles import LEARNED, PLAIN, config, conllu, snapshot, unlike, write

from divproj import ProjError
from divproj.io.corpus import Corpus
from divproj.projection import pipeline
from divproj.projection import projector as projecting
from divproj.run.config import load
from divproj.run.runner import NAMES, Outcome, Run, _difference, summary_lines
from divproj.runtime.engine import Workers


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return write(tmp_path / "tavi")


def run(path: Path, **options: Any) -> Outcome:
    return Run(load(path), **options).execute()


def states(path: Path, **options: Any) -> dict[str, str]:
    return {step.stage: f"{step.state}: {step.why}" for step in Run(load(path), **options).plan()}


def results(folder: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((folder / "results" / "results.json").read_text(encoding="utf-8"))
    return found


def test_the_plain_way(folder: Path):
    made = run(config(folder, PLAIN))
    assert [step.stage for step in made.steps] == ["read", "parse", "align", "project", "analyze", "draw", "report"]
    text = (folder / "results" / "trees.conllu").read_text(encoding="utf-8")
    assert text.count("# projection = s6") == 12
    found = results(folder)
    assert found["scores"] == {"expected": found["stages"]["project"]["summary"]["expected"]}  # of the calibration
    assert found["stages"]["align"]["method"] == "gloss"
    assert found["stages"]["analyze"]["trees"] == "projected"
    assert sorted(p.name for p in (folder / "results").iterdir()) == [
        ".lock", "divergence.html", "e.conllu", "links.txt", "log.txt", "report.html", "results.json", "stages", "trees.conllu",
        "trees.html",
    ]  # fmt: skip


def test_trees_of_the_sentences_are_used(folder: Path):
    """Right-branching brackets of all twelve; when the file changes, projection is done again."""
    forms = [line.removeprefix("# text = ").split() for line in _texts(folder)]
    brackets = ["(X " + " (X ".join(f"(W {form})" for form in own) + ")" * len(own) for own in forms]
    (folder / "f.mrg").write_text("\n".join(brackets) + "\n", encoding="utf-8")
    path = config(folder, PLAIN + "[project]\nphrases = 'auto'\nf_forests = 'f.mrg'\n")
    run(path)
    assert (folder / "results" / "trees.conllu").read_text(encoding="utf-8").count("# projection = s5") == 12
    assert states(path)["project"].startswith("kept")
    (folder / "f.mrg").write_text("\n".join(brackets[1:]) + "\n", encoding="utf-8")
    assert not states(path)["project"].startswith("kept")


def test_other_translations_vote(folder: Path):
    other = folder / "other"
    other.mkdir()
    for name in ("e.conllu", "links.txt"):
        (other / name.replace("links", "align")).write_bytes((folder / name).read_bytes())
    (other / "igt.txt").write_bytes((folder / "text.txt").read_bytes())
    path = config(folder, PLAIN + '[project]\nsystem = "s1-r"\nalso = "other"\n')
    run(path)
    assert (folder / "results" / "trees.conllu").read_text(encoding="utf-8").count("# projection = s1-r") == 12
    assert states(path)["project"].startswith("kept")
    (other / "align.txt").write_text("0-0\n" * 12, encoding="utf-8")
    assert states(path)["project"] == "run: other/align.txt changed"
    (other / "igt.txt").write_text("foo\nfoo\n'Foo.'\n", encoding="utf-8")
    with pytest.raises(ProjError, match="sentence 1 is 'foo …' where the first source has"):
        run(path)


def _texts(folder: Path) -> list[str]:
    """The sentences as a first run writes them."""
    run(config(folder, PLAIN))
    lines = (folder / "results" / "trees.conllu").read_text(encoding="utf-8").splitlines()
    return [line for line in lines if line.startswith("# text = ")]


def test_with_gold_trees(folder: Path):
    made = run(config(folder, LEARNED))
    assert made.warnings == 0
    found = results(folder)
    scores = found["scores"]
    assert set(scores) == {"cross_validation", "expected", "held_out", "links"}
    assert (scores["cross_validation"]["pairs"], scores["held_out"]["sentences"]) == (6, 2)
    assert set(scores["cross_validation"]["systems"]) == {"s1-r", "s2+"}
    assert scores["held_out"]["uas"] > 80
    assert scores["links"]["f1"] > 80
    assert found["signature"].startswith(
        "divproj:0.1.0|cmd:run|system:s2+|why:named in the config|align:gloss|style:as-is|las:universal|seed:1|input:"
    )
    assert found["inputs"].keys() == {"text.txt", "e.conllu", "links.txt", "gold.conllu"}
    page = (folder / "results" / "report.html").read_text(encoding="utf-8")
    for part in (
        "Tavi",
        "Cross-validation: 2 folds of 6 gold sentences",
        "2 held-out sentences",
        "Learned for s2+ from 6 sentence pairs",
    ):
        assert part in page
    assert "s1-r against s2+" in page


def test_nothing_is_done_twice(folder: Path):
    path = config(folder, LEARNED)
    assert set(states(path).values()) == {"run: not done yet"}
    run(path)
    before = snapshot(folder / "results")
    assert set(states(path).values()) == {"kept: nothing has changed"}
    assert {step.state for step in run(path).steps} == {"kept"}
    assert snapshot(folder / "results") == before


def test_two_folders_get_the_same_bytes(folder: Path, tmp_path: Path):
    path = config(folder, LEARNED)
    run(path)
    found = Run(load(path, tmp_path / "other"))
    found.execute()
    assert snapshot(tmp_path / "other") == snapshot(folder / "results")


def test_what_changed_is_told_and_done(folder: Path):
    path = config(folder, LEARNED)
    run(path)
    config(folder, LEARNED.replace('"s2+"', '"s2-1"'))
    found = states(path)
    assert found["learn"] == "kept: nothing has changed"
    assert found["project"] == "run: system is 's2-1', was 's2+'"
    assert found["evaluate"].startswith("run: systems is ['s1-r', 's2-1'], was ['s1-r', 's2+']")
    run(path)
    with (folder / "gold.conllu").open("a") as out:
        out.write("\n")
    found = states(path)
    assert found["gold"] == "run: gold.conllu changed"
    assert found["learn"] == "may run: if gold gives something else than before"
    assert found["align"] == "kept: nothing has changed"
    made = {step.stage: step.state for step in run(path).steps}
    assert (made["gold"], made["learn"], made["project"]) == ("run", "kept", "kept")  # the same sentences came out
    config(folder, "seed = 2\n" + LEARNED.replace('"s2+"', '"s2-1"'))
    assert states(path)["align"] == "run: seed is 2, was 1"


def test_many_reasons_are_told_in_a_few_words():
    old = {"seed": 1, "files": {"a.txt": 1, "b.txt": 1}, "options": {"settings": 1}, "versions": {"numpy": "1"}, "before": {}}
    same = {**old, "before": {"learn": 1}}
    assert _difference(same, same, ()) == ""
    general = {**old, "options": {"settings": 2}, "before": {"learn": 2, "train": 2, "draw": 2}}
    assert _difference(same, general, ("draw",)) == "the settings or the input changed, learn and train gave something else"
    new = {**general, "seed": 2, "files": {"a.txt": 2, "c.txt": 1}}
    assert _difference(same, new, ()) == "seed is 2, was 1, a.txt changed, 3 more changes"


def test_files_that_come_and_go(folder: Path):
    path = config(folder, PLAIN)
    run(path)
    config(folder, PLAIN + 'links = "links.txt"\n')
    found = states(path)
    assert found["read"] == "run: links.txt is new, input.links is ['links.txt'], was []"
    run(path)
    assert results(folder)["stages"]["align"]["method"] == "given"
    assert (folder / "results" / "links.txt").read_text() == (folder / "links.txt").read_text()


def test_damaged_stages_are_made_anew(folder: Path):
    path = config(folder, PLAIN)
    run(path)
    before = snapshot(folder / "results")
    output = folder / "results" / "stages" / "align" / "links.txt"
    output.write_text("")
    assert states(path)["align"] == "run: its output links.txt is missing or was changed"
    run(path)
    assert snapshot(folder / "results") == before


def test_by_force(folder: Path):
    path = config(folder, PLAIN)
    run(path)
    found = states(path, force=["align"])
    assert (found["parse"], found["align"]) == ("kept: nothing has changed", "run: --again align")
    assert found["report"] == "may run: if align gives something else than before"
    found = states(path, start="align")
    assert (found["parse"], found["align"], found["report"]) == (
        "kept: nothing has changed",
        "run: --from align",
        "run: --from align",
    )
    made = {step.stage: step.state for step in run(path, force=["align"]).steps}
    assert (made["align"], made["project"]) == ("run", "kept")
    assert {step.state for step in run(path, start="read").steps} == {"run"}


@pytest.mark.parametrize("options", [{"force": ["../x"]}, {"start": "everything"}])
def test_stages_that_there_are_not(folder: Path, options: dict[str, Any]):
    with pytest.raises(ProjError, match=f"no stage '.*'; there are {', '.join(NAMES)}"):
        Run(load(config(folder, PLAIN)), **options)


def test_a_stage_that_is_no_longer_wanted_goes(folder: Path):
    path = config(folder, LEARNED)
    run(path)
    assert (folder / "results" / "rules.json").exists()
    config(folder, PLAIN)
    run(path)
    assert not (folder / "results" / "rules.json").exists()
    assert not (folder / "results" / "stages" / "gold").exists()


def test_another_version_does_all_anew(folder: Path, monkeypatch: pytest.MonkeyPatch):
    path = config(folder, PLAIN)
    run(path)
    monkeypatch.setattr("divproj.run.cache.__version__", "9.9")
    assert states(path)["read"] == "run: divproj is '9.9', was '0.1.0'"


def test_links_by_words_alone(folder: Path):
    (folder / "words.tsv").write_text("miko-na\tdog\n", encoding="utf-8")
    run(config(folder, PLAIN + '[align]\nmethod = "words"\ndictionary = "words.tsv"\n'))
    found = results(folder)
    assert found["stages"]["align"]["method"] == "words"
    assert found["stages"]["align"]["links"] > 20


def test_a_bitext_without_glosses(folder: Path):
    found = (folder / "text.txt").read_text(encoding="utf-8").strip().split("\n\n")
    (folder / "f.txt").write_text("".join(block.split("\n")[0] + "\n" for block in found), encoding="utf-8")
    run(config(folder, '[input]\nf = "f.txt"\ne = "e.conllu"\n'))
    assert results(folder)["stages"]["align"]["method"] == "words"
    assert results(folder)["stages"]["project"]["sentences"] == 12


def test_shipped_rules_and_own_grams(folder: Path):
    (folder / "grams.tsv").write_text("gram\tmeaning\twords\nVEL\tinessive\tin\n", encoding="utf-8")
    made = run(
        config(
            folder,
            PLAIN + '[align]\ngrams = "grams.tsv"\n[project]\nrules = "hin"\nsystem = "s2+"\n[parse]\nstyle = "function"\n',
        )
    )
    assert made.facts["project"]["system"] == "s2+"
    assert (folder / "results" / "rules.json").exists()


def test_one_las_in_folds_and_held_out_sentences(folder: Path):
    """Both compare universal relations; the config can ask for subtypes, and the signature says which."""
    gold = folder / "gold.conllu"
    gold.write_text(gold.read_text().replace("\tnsubj\t", "\tnsubj:own\t"))
    more = '[project]\nsystem = "s1-r"\n[evaluate]\nheld_out = 0.5\nfolds = 2\n'
    las = {}
    for kind, key in (("universal", ""), ("subtypes", "subtypes = true\n")):
        run(config(folder, LEARNED.partition("[project]")[0] + more + key))
        found = results(folder)
        assert f"|las:{kind}|" in found["signature"]
        las[kind] = found["scores"]["cross_validation"]["systems"]["s1-r"]["las"], found["scores"]["held_out"]["las"]
    assert las["universal"] == (100.0, 100.0)
    assert max(las["subtypes"]) < 80


def test_a_command_parses(folder: Path):
    script = folder / "parser.py"
    script.write_text(
        "import sys\nfor line in sys.stdin:\n    words = line.split()\n"
        "    for k, w in enumerate(words, 1):\n        print(k, w, '_', 'X', '_', '_', k - 1, 'root' if k == 1 else 'dep', '_', '_', sep='\\t')\n"
        "    print()\n"
    )
    command = f"{sys.executable} {script}"
    made = run(config(folder, f'[input]\ntext = "text.txt"\n[parse]\ncommand = "{command}"\n'))
    assert made.facts["parse"]["parser"] == command
    for bad, told in (
        ("false", "the parser `false` ended with code 1"),
        ("'", "the command `'` cannot be read: No closing quotation"),
        ("no-such-program-here", "the parser `no-such-program-here` could not be started: No such file"),
        ("echo", "the parser `echo` gave 0 sentences for 12 lines; it must keep one sentence a line"),
    ):
        with pytest.raises(ProjError) as error:
            run(config(folder, f'[input]\ntext = "text.txt"\n[parse]\ncommand = "{bad}"\n'))
        assert told in str(error.value)


def test_a_sentence_without_translation_gets_a_guess_and_a_warning(folder: Path):
    with (folder / "text.txt").open("a", encoding="utf-8") as out:
        out.write("\nmiko-na nip-ti\ndog-NOM hear-PST\n")
    with (folder / "e.conllu").open("a", encoding="utf-8") as out:
        out.write("1\tbroken\n\n")
    made = run(config(folder, PLAIN))
    assert made.warnings == 2
    assert made.facts["project"]["sentences"] == 13
    page = (folder / "results" / "report.html").read_text(encoding="utf-8")
    assert "there is no tree of a translation" in page
    assert str(folder) not in page  # places are named from where the config lies
    log = (folder / "results" / "log.txt").read_text(encoding="utf-8")
    assert "parse: run (not done yet)" in log


def test_strict(folder: Path):
    (folder / "links.txt").write_text("0-99\n" * 12)
    path = config(folder, "strict = true\n" + PLAIN + 'links = "links.txt"')
    with pytest.raises(ProjError, match="link 0-99 is out of range"):
        run(path)
    assert "links.txt:1 (sent_id 1): link 0-99 is out of range" in (folder / "results" / "log.txt").read_text()
    assert not (folder / "results" / "trees.conllu").exists()


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (
            '[input]\ntext = "text.txt"\n[parse]\nparser = "given"',
            "there are no trees of the translations in the text; name them in",
        ),
        (PLAIN + '[align]\nmethod = "given"', "align.method is 'given', but the text has no links; name them in input.links"),
        (PLAIN + 'gold = "e.conllu"', "no gold tree is of a sentence of the text; the warnings above say why"),
        ('[input]\ntext = "text.txt"\n[parse]\nparser = "xx"', "no language pack 'xx' is installed"),
    ],
)
def test_runs_that_cannot_be(folder: Path, text: str, told: str):
    with pytest.raises(ProjError) as error:
        run(config(folder, text))
    assert told in str(error.value)


TWO = "# sent_id = a1\nmiko dalti\ndog see\n‘The dog sees.’\n\n# sent_id = a2\nmiko romi\ndog sleep\n‘The dog sleeps.’\n"
NO_TREES = "".join(f"# sent_id = {name}\n1\t_\t_\t_\t_\t_\t_\t_\t_\tEmpty=Yes\n\n" for name in ("a1", "a2"))


def test_trees_that_are_none(folder: Path):
    (folder / "one.txt").write_text(TWO, encoding="utf-8")
    (folder / "other.conllu").write_text(NO_TREES)
    with pytest.raises(
        ProjError, match=r"no tree of other\.conllu fits the text; leave input\.trees out: the translations are then"
    ):
        run(config(folder, '[input]\ntext = "one.txt"\ntrees = "other.conllu"\n'))


def test_a_stage_that_fails_leaves_nothing_behind(folder: Path):
    """Also where the folder's name is not UTF-8: the log has it escaped."""
    odd = Path(os.fsdecode(os.fsencode(folder) + b"\xff"))
    folder.rename(odd)
    (odd / "one.txt").write_text(TWO, encoding="utf-8")
    (odd / "other.conllu").write_text(NO_TREES)
    with pytest.raises(ProjError, match=r"no tree of other\.conllu fits"):
        run(config(odd, '[input]\ntext = "one.txt"\ntrees = "other.conllu"\n'))
    assert list((odd / "results").rglob(".*.part")) == []
    assert "tavi\\udcff" in (odd / "results" / "log.txt").read_text(encoding="utf-8")


def test_a_text_without_sentences(folder: Path):
    (folder / "empty.conllu").write_text("1\ta\n\n")
    with pytest.raises(ProjError, match="no sentence that can be used; the warnings above say why"):
        run(config(folder, '[input]\ntext = "empty.conllu"\n'))


def test_a_held_out_file_alone(folder: Path):
    run(config(folder, PLAIN + '[evaluate]\nheld_out = "gold.conllu"\n'))
    found = results(folder)
    scores, prior = found["scores"], found["stages"]["project"]["summary"]["expected"]
    assert list(scores) == ["expected", "held_out"]
    assert scores["held_out"]["sentences"] == 8
    known = scores["expected"]
    assert known["source"].endswith("of other languages, and checked on 8 held-out sentences")
    low, high = sorted((prior["uas"], scores["held_out"]["uas"]))
    assert low <= known["uas"] <= high
    assert known["standard_error"] < prior["standard_error"]


def test_the_calibration_does_not_speak_of_what_was_learned_from(folder: Path):
    made = run(config(folder, LEARNED))
    told = next(line for line in summary_lines(made.facts) if line.startswith("about "))
    assert "and checked on 2 held-out sentences and 6 gold sentences in 2 folds" in told
    (folder / "gold.conllu").write_text(conllu([item[0] for item in unlike(12)]), encoding="utf-8")
    run(config(folder, LEARNED.replace("held_out = 0.25", "held_out = 0.0")))
    assert results(folder)["scores"]["expected"]["source"] == "12 gold sentences in 2 folds"
    run(config(folder, LEARNED.replace("held_out = 0.25", "held_out = 0.0").replace("folds = 2", "folds = 0")))
    assert results(folder)["scores"]["expected"] is None


def test_trees_with_few_links_are_left_out(folder: Path):
    text = PLAIN + "links = 'links.txt'\n[project]\nmin_coverage = 0.5\n"
    links = folder / "links.txt"
    lines = links.read_text(encoding="utf-8").splitlines()
    links.write_text("\n".join(["0-1", *lines[1:11], ""]) + "\n", encoding="utf-8")
    made = run(config(folder, text))
    out = folder / "results"
    assert (out / "trees.conllu").read_text(encoding="utf-8").count("# sent_id") == 10
    assert (out / "e.conllu").read_text(encoding="utf-8").count("# sent_id") == 10
    assert (out / "links.txt").read_text(encoding="utf-8").splitlines() == lines[1:11]
    assert "2 sentences left out: fewer than 50 % of the words are linked" in summary_lines(made.facts)
    found = results(folder)
    assert found["stages"]["project"]["summary"]["left_out"] == {"faults": 0, "coverage": 2}
    assert found["settings"]["project"]["min_coverage"] == 0.5
    path = config(folder, text.replace("0.5", "0.2"))
    assert not states(path)["project"].startswith("kept")
    run(path)
    assert (out / "links.txt").read_text(encoding="utf-8").count("\n") == 11


def test_every_tree_may_be_left_out(folder: Path):
    (folder / "links.txt").write_text("0-1\n" * 12, encoding="utf-8")
    text = PLAIN + "links = 'links.txt'\n[project]\nmin_coverage = 0.9\n[evaluate]\nheld_out = 'gold.conllu'\n"
    made = run(config(folder, text))
    assert (folder / "results" / "trees.conllu").read_text(encoding="utf-8") == ""
    assert "12 sentences left out: fewer than 90 % of the words are linked" in summary_lines(made.facts)


def test_all_is_held_out(folder: Path):
    text = LEARNED.replace("held_out = 0.25", 'held_out = "gold.conllu"')
    with pytest.raises(ProjError, match="no gold tree is of a sentence of the text"):
        run(config(folder, text))


def test_gold_without_translations_is_nothing_to_learn_from(folder: Path):
    found = (folder / "e.conllu").read_text(encoding="utf-8").split("\n\n")
    (folder / "e.conllu").write_text("\n\n".join(["1\tx", *["1\tx"] * 7, *found[8:]]), encoding="utf-8")
    with pytest.raises(ProjError, match="no sentence with a gold tree to learn from; hold out fewer of them"):
        run(config(folder, LEARNED))


def test_own_results_are_not_read_only_once(folder: Path):
    """A file that changes between two runs of one process is read again."""
    path = config(folder, PLAIN)
    run(path)
    time.sleep(0.01)
    text = (folder / "text.txt").read_text(encoding="utf-8")
    (folder / "text.txt").write_text(text.replace("dal-ti", "dal-tu"), encoding="utf-8")
    os.utime(folder / "text.txt")
    assert states(path)["read"] == "run: text.txt changed"


def test_an_unreadable_manner_is_refused_early(folder: Path):
    with pytest.raises(
        ProjError,
        match=r"parse\.style: found 'udd', one of as-is, ud, function, adpositions, determiners expected; did you mean 'ud'",
    ):
        load(config(folder, PLAIN + '[parse]\nstyle = "udd"\n'))


def test_hostile_text_is_only_text(folder: Path):
    bad = "<script>alert(1)</script>"
    text = (folder / "text.txt").read_text(encoding="utf-8").replace("miko-na", bad).replace("dog-NOM", bad)
    (folder / "text.txt").write_text(f"# sent_id = ../../{bad}\n{text}", encoding="utf-8")
    trees = (folder / "e.conllu").read_text(encoding="utf-8").replace("# sent_id", "# id")
    (folder / "e.conllu").write_text(trees, encoding="utf-8")
    run(config(folder, f"language = '{bad}'\n{PLAIN}"))
    for name in ("report.html", "trees.html", "divergence.html"):
        assert bad not in (folder / "results" / name).read_text(encoding="utf-8")
    assert not any("script" in str(path) for path in folder.rglob("*"))


def test_ctrl_c_does_not_pass_for_the_end(folder: Path, monkeypatch: pytest.MonkeyPatch):
    """The word aligner ends its sampling at Ctrl-C; links from half the sampling must not be kept."""
    path = config(folder, PLAIN + '[align]\nmethod = "words"\n')

    def impatient(*args: object) -> list[object]:
        with contextlib.suppress(KeyboardInterrupt):
            os.kill(os.getpid(), signal.SIGINT)
            time.sleep(5)
        return []

    before = signal.getsignal(signal.SIGINT)
    with monkeypatch.context() as patch:
        patch.setattr("divproj.run.stages._by_words", impatient)
        with pytest.raises(KeyboardInterrupt):
            run(path)
    assert signal.getsignal(signal.SIGINT) is before
    assert not (folder / "results" / "stages" / "align").exists()
    assert states(path)["read"] == "kept: nothing has changed"
    with ThreadPoolExecutor(1) as threads:  # elsewhere than in the main thread no signal comes
        threads.submit(run, path).result()
    assert (folder / "results" / "stages" / "align" / "links.txt").exists()


def test_a_file_that_changes_while_it_is_read(folder: Path, monkeypatch: pytest.MonkeyPatch):
    path = config(folder, PLAIN)
    whole = Corpus.chunks

    def slow(*args: Any, **options: Any) -> Any:
        yield from whole(*args, **options)
        with (folder / "text.txt").open("a", encoding="utf-8") as out:
            out.write("\n")

    monkeypatch.setattr(Corpus, "chunks", slow)
    with pytest.raises(ProjError, match=r"text\.txt was changed while it was read; run again"):
        run(path)
    assert not (folder / "results" / "stages" / "read").exists()


def test_a_file_that_goes_away(folder: Path):
    found = Run(load(config(folder, PLAIN)))
    (folder / "text.txt").unlink()
    with pytest.raises(ProjError, match=r"text\.txt: cannot be read: No such file"):
        list(found.plan())


def test_several_cores_give_the_same_trees(folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    path = config(
        folder, LEARNED.replace('"s2+"', '"s4+"').replace("folds = 2", "folds = 0") + "[train]\nepochs = 1\nbits = 10\n"
    )
    run(path)
    monkeypatch.setattr(pipeline.chunks, "__defaults__", (2,))
    monkeypatch.setattr(projecting, "WORTH", 4)
    with joblib.parallel_config(backend="threading"):
        Run(load(path, tmp_path / "other"), workers=Workers(2)).execute()
    assert snapshot(tmp_path / "other") == snapshot(folder / "results")
    text = PLAIN + f'[project]\nmodel = "{tmp_path / "other" / "model"}"\n'
    made = run(config(folder, text))
    assert made.facts["project"]["system"] == "model:model"
    trees = (folder / "results" / "trees.conllu").read_text(encoding="utf-8")
    assert "# projection = model:model" in trees


def test_projected_trees_among_the_gold_are_left_out(folder: Path):
    """The gold file is one that was reviewed in part."""
    blocks = (folder / "gold.conllu").read_text().split("\n\n")[:-1]
    note = "# projection = s5 coverage=1.00 links=3\n"
    made = [note + "# gold = yes\n" * (k < 5) + block for k, block in enumerate(blocks)]
    (folder / "gold.conllu").write_text("\n\n".join(made) + "\n\n")
    done = run(config(folder, LEARNED.replace("0.25", "0.0")))
    assert done.facts["gold"]["gold"] == 5
    told = "3 projected trees without the comment `# gold = yes`; they are left out: nobody has looked at them"
    assert done.warnings == 1
    assert told in (folder / "results" / "log.txt").read_text() + (folder / "results" / "report.html").read_text()
