"""`proj learn`, `rules`, `project`, `evaluate` and `experiment` through a pipe."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest
from cli.commands import ROOT, proj

from divproj.projection.systems import choose

CORPUS = ROOT / "corpora" / "hin-eng"


@pytest.fixture(scope="module")
def rules(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("rules") / "hin.json"
    done = proj("learn", CORPUS, "-o", path)
    assert done.returncode == 0, done.stderr
    assert "Rules for s2+, learned from 66 pairs, written to " in done.stderr
    return path


def heads(text: str) -> list[list[int]]:
    blocks = [block for block in text.split("\n\n") if block]
    return [[int(row.split("\t")[6]) for row in block.split("\n") if not row.startswith("#")] for block in blocks]


def test_rules_in_words(rules: Path):
    out = proj("rules", "show", rules).stdout
    assert "Nouns head their adpositions, the reverse of E: 30 of 33" in out


def test_project_a_corpus(rules: Path, tmp_path: Path):
    out = tmp_path / "trees.conllu"
    done = proj("project", CORPUS, "--rules", rules, "-o", out)
    assert done.returncode == 0, done.stderr
    assert "66 sentences projected by the corrected projection (s2+)" in done.stderr
    text = out.read_text(encoding="utf-8")
    assert "Proj=swap" in text
    assert "ProjConf=" in text
    assert "# projection = s2+ coverage=" in text
    for tree in heads(text):
        assert tree.count(0) == 1
    scores = json.loads(proj("evaluate", CORPUS / "f.conllu", out, "--json").stdout)
    assert scores["uas"] > 95  # these are the sentences it learned from
    assert scores["total"] == 444


def test_ids_that_never_coincide(tmp_path: Path):
    """Trees of the translations are paired by order, as `proj analyze` pairs them; before, all of them were dropped."""
    row = "1\tmiko\t_\tNOUN\t_\t_\t2\tnsubj\t_\t_\n2\tdalti\t_\tVERB\t_\t_\t0\troot\t_\t_\n\n"
    for side in "fe":
        (tmp_path / f"{side}.conllu").write_text("".join(f"# sent_id = {side}-{k}\n{row}" for k in range(3)))
    (tmp_path / "align.txt").write_text("0-0 1-1\n" * 3)
    done = proj("project", tmp_path, "--system", "s1-r")
    assert heads(done.stdout) == [[2, 0]] * 3
    assert done.stderr.count("F has sent_id f-0 where E") == done.stderr.count("sent_id f-0") / 2 == 1
    assert "3 sentences projected by the direct projection (s1-r)" in done.stderr
    assert "sent_id" not in proj("project", tmp_path, "--system", "s1-r", "--ignore-ids").stderr
    assert "3 sentence pairs" in proj("analyze", tmp_path).stdout


def test_project_raw_interlinear_text(rules: Path, tmp_path: Path):
    page, links = tmp_path / "page.html", tmp_path / "links.txt"
    done = proj(
        "project", CORPUS / "igt.txt", "--e", CORPUS / "e.conllu", "--rules", rules, "--html", page, "--links-out", links
    )
    assert done.returncode == 0, done.stderr
    assert len(heads(done.stdout)) == 66
    assert "Proj=" in done.stdout
    assert page.read_text(encoding="utf-8").startswith("<!doctype html>")
    found = json.loads(proj("evaluate", "--word-links", CORPUS / "align.txt", links, "--json").stdout)
    assert found["precision"] > 95
    assert found["recall"] > 80


def test_learn_for_a_system_and_check(rules: Path, tmp_path: Path):
    out = tmp_path / "rules.json"
    done = proj("learn", CORPUS, "--system", "s2-1", "-o", out)
    assert "Rules for s2-1, learned from 66 pairs" in done.stderr
    assert json.loads(out.read_text(encoding="utf-8"))["system"] == "s2-1"
    refused = proj("learn", CORPUS, "--system", "s5")
    assert refused.returncode == 2
    assert "auto, s2-3, s2-2, s2-1, s2+, s6+" in " ".join(refused.stderr.replace("│", " ").split())
    few = tmp_path / "few"
    few.mkdir()
    for name in ("f.conllu", "e.conllu"):
        (few / name).write_text("\n\n".join((CORPUS / name).read_text(encoding="utf-8").split("\n\n")[:4]) + "\n\n")
    (few / "align.txt").write_text("\n".join((CORPUS / "align.txt").read_text().splitlines()[:4]) + "\n")
    done = proj("learn", few, "--check", "-o", few / "rules.json")
    assert done.returncode == 0, done.stderr
    assert "No rules written: learning can be checked from 5 gold sentences on: 1 more is needed" in done.stderr
    assert not (few / "rules.json").exists()
    done = proj("learn", CORPUS, "--check", "-o", out)
    assert "Rules for s2+: checked on 66 gold sentences that it had not seen, learning puts" in done.stderr
    assert out.read_bytes() == rules.read_bytes()


def test_rules_do_not_lower_glossed_text(tmp_path: Path):
    """Rules learned for s2+ elsewhere: s6 stays, and the summary says so; s2+ can be chosen all the same."""
    text = tmp_path / "text.txt"
    text.write_text("\n\n".join((ROOT / "tutorial" / "turkish.txt").read_text(encoding="utf-8").split("\n\n")[:4]) + "\n")
    plain, ruled = proj("project", text), proj("project", text, "--rules", "deu")
    assert ruled.returncode == 0, ruled.stderr
    assert ruled.stdout == plain.stdout
    assert (
        "projected by the gloss model (s6) (the text has glosses; the rules are not used: they were learned for s2+, which is less accurate"
        in ruled.stderr
    )
    assert (
        "projected by the corrected projection (s2+), as requested"
        in proj("project", text, "--rules", "deu", "--system", "s2+").stderr
    )
    both = proj("project", text, "--rules", "deu", "--gold", CORPUS)
    assert both.returncode == 2
    assert "leave one of them out" in " ".join(both.stderr.replace("│", " ").split())


def test_project_without_rules_takes_the_best_that_needs_none(tmp_path: Path):
    out = tmp_path / "trees.conllu"
    done = proj("project", CORPUS, "-o", out)
    assert done.returncode == 0
    assert "ProjConf" in out.read_text(encoding="utf-8")
    chosen = choose(glosses=True).system
    assert f"# projection = {chosen}" in out.read_text(encoding="utf-8")
    assert (
        "66 sentences projected by the gloss model (s6), chosen because the text has glosses and there are no gold trees yet"
        in done.stderr
    )


def test_a_system_that_learns_from_gold(tmp_path: Path):
    done = proj("project", CORPUS / "igt.txt", "--system", "s2+", "--gold", CORPUS, "-o", tmp_path / "trees.conllu")
    assert done.returncode == 0, done.stderr
    assert "s2+ learned from 66 gold sentences" in done.stderr
    unknown = proj("project", CORPUS, "--system", "s9")
    assert unknown.returncode == 1
    assert "no system 's9'; choose one of auto, s1-r, s1-l" in unknown.stderr


def test_a_system_that_learns_asks_for_rules():
    done = proj("project", CORPUS, "--system", "s2+")
    assert done.returncode == 1
    assert "system s2+ needs rules, or gold trees; give gold trees to learn from, rules, or a model" in done.stderr


def test_without_trees_the_parser_in_the_box_does_it():
    done = proj("project", CORPUS / "igt.txt")
    assert done.returncode == 0, done.stderr
    assert len(heads(done.stdout)) == 66
    assert "\tnsubj\t" in done.stdout


def test_a_parser_command(tmp_path: Path):
    parser = tmp_path / "parser.py"
    parser.write_text(
        "import sys\n"
        "for line in sys.stdin:\n"
        "    for k, word in enumerate(line.split(), 1):\n"
        "        print(k, word, '_', 'X', '_', '_', k - 1, 'root' if k == 1 else 'dep', '_', '_', sep='\\t')\n"
        "    print()\n"
    )
    done = proj("project", CORPUS / "igt.txt", "--e-parser", f"{sys.executable} {parser}")
    assert done.returncode == 0, done.stderr
    assert len(heads(done.stdout)) == 66
    silent = tmp_path / "silent.py"
    silent.write_text("")
    done = proj("project", CORPUS / "igt.txt", "--e-parser", f"{sys.executable} {silent}")
    assert done.returncode == 1
    assert "gave 0 sentences for 66 lines; it must keep one sentence a line" in done.stderr
    failing = tmp_path / "failing.py"
    failing.write_text("raise SystemExit('no model')")
    assert (
        "ended with code 1: no model" in proj("project", CORPUS / "igt.txt", "--e-parser", f"{sys.executable} {failing}").stderr
    )
    assert "could not be started" in proj("project", CORPUS / "igt.txt", "--e-parser", "no-such-parser").stderr


def test_a_sentence_without_translation_still_gets_a_tree(tmp_path: Path):
    text = tmp_path / "text.txt"
    text.write_text("ein Hund\na dog\na dog\n\nja ja\nyes yes\n\n", encoding="utf-8")
    english = tmp_path / "english.conllu"
    english.write_text("1\ta\t_\tDET\t_\t_\t2\tdet\t_\t_\n2\tdog\t_\tNOUN\t_\t_\t0\troot\t_\t_\n\n")
    done = proj("project", text, "--e", english, "--system", "s1-r")
    assert done.returncode == 0, done.stderr
    assert heads(done.stdout) == [[2, 0], [0, 1]]
    assert "Proj=guess" in done.stdout
    assert "no tree of a translation" in done.stderr


def test_bad_rule_file(tmp_path: Path):
    bad = tmp_path / "bad.json"
    bad.write_text('{"format": "divproj-rules", "version": 7}')
    done = proj("project", CORPUS, "--rules", bad)
    assert done.returncode == 1
    assert "bad.json: version is 7, 1 expected" in done.stderr
    assert "no such file" in proj("project", CORPUS, "--rules", tmp_path / "none.json").stderr


def test_experiment_table_and_json():
    done = proj("experiment", CORPUS, ROOT / "corpora" / "kor-eng", "--systems", "s1-r,s2-1", "--folds", "3")
    assert done.returncode == 0
    assert "average" in done.stdout
    found = json.loads(proj("experiment", CORPUS, "--systems", "s1-r,s2-1", "--folds", "3", "--seed", "4", "--json").stdout)
    assert set(found["systems"]) == {"s1-r", "s2-1"}
    result = found["systems"]["s2-1"]
    assert result["correct"] == sum(fold["correct"] for fold in result["folds"])
    assert result["total"] == 444
    assert "seed:4" in found["signature"]


def test_learning_curve(tmp_path: Path):
    pytest.importorskip("matplotlib")
    plot = tmp_path / "curve.png"
    done = proj("experiment", CORPUS, "--systems", "s2-1", "--folds", "3", "--train-sizes", "5,all", "--plot", plot)
    assert done.returncode == 0, done.stderr
    assert plot.read_bytes().startswith(b"\x89PNG")


@pytest.mark.parametrize("args", [("--systems", "s9"), ("--train-sizes", "many")])
def test_experiment_usage(args: tuple[str, ...]):
    assert proj("experiment", CORPUS, *args).returncode == 2


def test_evaluate_two_systems_and_wrong_files(tmp_path: Path):
    a, b = tmp_path / "a.conllu", tmp_path / "b.conllu"
    proj("project", CORPUS, "--system", "s1-r", "-o", a)
    proj("project", CORPUS, "--system", "s1-l", "-o", b)
    done = proj("evaluate", CORPUS / "f.conllu", a, b)
    assert "p = " in done.stdout
    done = proj("evaluate", ROOT / "corpora" / "deu-eng" / "f.conllu", a)
    assert done.returncode == 1
    assert "the words differ from" in done.stderr
    b.write_text(a.read_text(encoding="utf-8").split("\n\n")[0] + "\n\n", encoding="utf-8")
    assert "has fewer sentences than its partner" in proj("evaluate", CORPUS / "f.conllu", b).stderr


def test_help_says_what_is_taken_without_an_option():
    told = " ".join(proj("project", "--help").stdout.replace("│", " ").split())
    assert "auto takes the best one for your data" in told
    assert "a language" in told


def test_only_trees_that_somebody_has_looked_at_are_learned_from(rules: Path, tmp_path: Path):
    """A reviewed file: three projected trees are marked gold, the others are as projected."""
    made = proj("project", CORPUS, "--rules", rules).stdout.split("\n\n")
    marked = [f"# gold = yes\n{block}" if k < 3 else block for k, block in enumerate(made)]
    for name in ("e.conllu", "align.txt"):
        (tmp_path / name).write_bytes((CORPUS / name).read_bytes())
    (tmp_path / "f.conllu").write_text("\n\n".join(marked))
    told = "63 projected trees without the comment `# gold = yes` left out: nobody has looked at them"
    for command, said in (
        (("learn", tmp_path, "-o", tmp_path / "r.json"), "Rules for s2+, learned from 3 pairs"),
        (("train", tmp_path, "-o", tmp_path / "m", "--system", "s3-1", "--set", "bits=12", "--epochs", 1), "model of 3 pairs"),
        (("train", tmp_path / "f.conllu", "-o", tmp_path / "l", "--set", "bits=12", "--epochs", 1), "model of 3 sentences"),
    ):
        done = proj(*command)
        assert done.returncode == 0, done.stderr
        assert told in done.stderr
        assert said in done.stderr
    assert proj("experiment", tmp_path, "--systems", "s1-r", "--folds", 3).stderr.count(told) == 1
    (tmp_path / "f.conllu").write_text("\n\n".join(made))
    done = proj("learn", tmp_path)
    assert done.returncode == 1
    assert "no usable sentence pair to learn from" in done.stderr


@pytest.mark.parametrize("system", ["s1-r", "s5"])
def test_what_was_projected_from_makes_a_corpus(system: str, tmp_path: Path):
    """From interlinear text without trees to rules of one's own: project, mark gold, learn."""
    text = (CORPUS / "igt.txt").read_text().split("\n\n")
    (tmp_path / "text.txt").write_text("\n\n".join([*text[:5], "(6) mira wan", *text[5:8]]))
    out = [tmp_path / name for name in ("trees.conllu", "e.conllu", "links.txt")]
    done = proj("project", tmp_path / "text.txt", "--system", system, "-o", out[0], "--e-out", out[1], "--links-out", out[2])
    assert done.returncode == 0, done.stderr
    counts = [path.read_text().count("\n\n") for path in out[:2]] + [len(out[2].read_text().splitlines())]
    assert counts == [9, 9, 9], "a sentence without a translation keeps its place"
    trees = out[0].read_text().split("\n\n")
    out[0].write_text("\n\n".join(f"# gold = yes\n{tree}" if tree else tree for tree in trees))
    done = proj("learn", out[0], out[1], out[2], "-o", tmp_path / "rules.json")
    assert done.returncode == 0, done.stderr
    assert "Rules for s6+, learned from 8 pairs" in done.stderr, "without the sentence that has no translation"


TOOLBOX = """\\id story
\\ref story.001
\\tx  miko lun  dalti
\\mb  miko lun  dal  -ti
\\ge  dog  fast run  -PST
\\ps  n    v    v    -sfx
\\ft  The dog ran fast.

"""


def test_parts_of_speech_of_the_text_are_used(tmp_path: Path):
    (tmp_path / "story.sfm").write_text(TOOLBOX, encoding="utf-8")
    done = proj("project", tmp_path / "story.sfm", "--system", "s6")
    assert done.returncode == 0, done.stderr
    rows = [row.split("\t") for row in done.stdout.splitlines() if row[:1].isdigit()]
    assert [(row[1], row[3], row[4]) for row in rows][:2] == [("miko", "NOUN", "n"), ("lun", "VERB", "v")]
    (tmp_path / "own.tsv").write_text("gram\tmeaning\tkind\tfeats\nv\tverb or adverb\tpos\tUPOS=ADV,VERB\n", encoding="utf-8")
    done = proj("project", tmp_path / "story.sfm", "--system", "s6", "--grams", tmp_path / "own.tsv")
    rows = [row.split("\t") for row in done.stdout.splitlines() if row[:1].isdigit()]
    assert [row[3] for row in rows][:3] == ["NOUN", "ADV", "VERB"]


@pytest.fixture
def folder_of_texts(tmp_path: Path) -> Path:
    """Three texts of a few sentences in two formats and three languages of glosses, and one that cannot be read."""
    folder = tmp_path / "texts"
    folder.mkdir()
    for source, name in (("turkish.txt", "a.txt"), ("es/quechua.txt", "b.txt"), ("fr/bambara.txt", "c.txt")):
        parts = (ROOT / "tutorial" / source).read_text(encoding="utf-8").split("\n\n")
        (folder / name).write_text("\n\n".join(parts[:3]) + "\n", encoding="utf-8")
    (folder / "bad.flextext").write_text("<broken", encoding="utf-8")
    return folder


def test_a_folder_of_texts(folder_of_texts: Path, tmp_path: Path):
    """One file each, as each text by itself gives; what cannot be read is named and stops nothing."""
    done = proj("project", folder_of_texts, "-o", tmp_path / "trees", "--html", tmp_path / "pages")
    assert done.returncode == 1
    assert sorted(path.name for path in (tmp_path / "trees").iterdir()) == ["a.conllu", "b.conllu", "c.conllu"]
    assert sorted(path.name for path in (tmp_path / "pages").iterdir()) == ["a.html", "b.html", "c.html"]
    assert "9 sentences of 3 texts projected" in done.stderr
    assert f"1 text not projected, for the reasons above: {folder_of_texts / 'bad.flextext'}" in done.stderr
    assert "translations parsed as Spanish (3)" in done.stderr
    for name, language in (("a", "English"), ("b", "Spanish"), ("c", "French")):
        page = (tmp_path / "pages" / f"{name}.html").read_text(encoding="utf-8")
        assert (f"Translations parsed as {language} (3)." in page) == (language != "English")
    proj("project", folder_of_texts / "b.txt", "-o", tmp_path / "alone.conllu")
    assert (tmp_path / "alone.conllu").read_bytes() == (tmp_path / "trees" / "b.conllu").read_bytes()


def test_several_texts_in_one_file(folder_of_texts: Path, tmp_path: Path):
    """All together: a newdoc for each text, ids made unique; a pattern that no shell has replaced."""
    (folder_of_texts / "bad.flextext").unlink()
    again = folder_of_texts / "a2.txt"
    again.write_bytes((folder_of_texts / "a.txt").read_bytes())
    done = proj("project", folder_of_texts / "a*.txt", folder_of_texts / "b.txt", "-o", tmp_path / "all.conllu", "--json")
    assert done.returncode == 0, done.stderr
    text = (tmp_path / "all.conllu").read_text(encoding="utf-8")
    assert [line for line in text.splitlines() if "newdoc" in line] == [f"# newdoc id = {name}" for name in ("a", "a2", "b")]
    ids = [line for line in text.splitlines() if line.startswith("# sent_id")]
    assert len(ids) == len(set(ids)) == 9
    assert [json.loads(line)["projected"] for line in done.stdout.splitlines()] == [3, 3, 3]
    assert proj("check", tmp_path / "all.conllu").returncode == 0


def test_several_texts_that_cannot_go_together(folder_of_texts: Path, tmp_path: Path):
    a, b = folder_of_texts / "a.txt", folder_of_texts / "b.txt"
    for more, message in (
        (("--links-out", tmp_path / "x.txt"), "--links-out is for one text; here are 2"),
        (("-o", tmp_path / "trees", "--html", tmp_path / "x.html"), "a folder expected, since there are 2 texts"),
    ):
        done = proj("project", a, b, *more)
        assert done.returncode == 2
        assert message in " ".join(done.stderr.replace("│", " ").split())
    strict = proj("project", folder_of_texts, "--strict", "-o", tmp_path / "trees")
    assert strict.returncode == 1
    assert "bad.flextext: no XML element" in strict.stderr
    (tmp_path / "nothing").mkdir()
    assert "no text in this folder" in proj("project", tmp_path / "nothing").stderr
    assert "no such file" in proj("project", tmp_path / "no*.txt").stderr
    own = folder_of_texts / "d.conllu"
    own.write_text((ROOT / "tutorial" / "gold.conllu").read_text(encoding="utf-8").split("\n\n")[0] + "\n\n", encoding="utf-8")
    before = own.read_bytes()
    taken = proj("project", own, a, "-o", folder_of_texts)
    assert taken.returncode == 1
    assert "-o would take the place of an input" in taken.stderr
    assert own.read_bytes() == before
