"""What a new user found by trying, each as a test: nothing is promised that is not so, and everything is said where it happens.

Found by trying                                               tested by
- one gold sentence, learning: other trees must not suffer    unit/review/test_retrain.py::test_one_gold_sentence_makes_no_tree_worse,
                                                              browser/test_review.py::test_one_gold_sentence_of_odin_german_makes_no_tree_worse
- headline “99.0 % mean confidence”                           test_the_report_begins_with_held_out_accuracy, test_without_gold_the_calibration_speaks
- mean over sentences that were trained on                    test_the_report_begins_with_held_out_accuracy
- 1,276 sentences without translations “projected”            test_a_table_without_translations_is_not_projected
- Italian stored as text_en and parsed as English          test_italian_translations_are_recognised
- `<text>: there is no tree`: no file, no line                test_warnings_name_file_and_line
- “(not done yet)” after finished stages                      test_a_run_says_what_it_did
- loky's “A worker stopped”                                   test_workers_come_and_go_in_silence
- “1 sentences”                                               test_one_sentence_is_one_sentence
- `Proj=guess` beside `ProjConf=0.96`                         unit/projection/test_calibration.py::test_what_is_called_a_guess_has_at_most_even_odds
- a determiner as the root                                    unit/projection/test_summary.py::test_a_determiner_does_not_head_a_noun
- determiners: UAS 93, LAS 1                                  test_determiners_have_their_relation
- `experiment` without LAS                                    test_experiment_prints_las
- raw weights in a report                                     test_rules_in_words_weights_behind_details

To deliver                                                    tested by
- learning starts from what is in use, checked by folds       unit/review/test_retrain.py::test_learning_adds_to_the_trees_in_use,
                                                              test_worse_trees_are_not_taken, test_too_few_sentences_for_a_system_that_starts_anew
- a diff that can be refused, undo, learning curve            browser/test_review.py::test_learning_and_what_it_changed
- two tabs, journal                                           browser/test_review.py::test_two_tabs, test_killed_and_taken_up_again
- next sentence by expected gain, with why                    unit/review/test_choosing.py
- summaries, exit code, --json, --min-coverage                here: test_the_summary_as_json and those below it
- language of the translation                                 here, and unit/text/test_language_id.py
- reports: headline, reliability, systems in a line           test_the_report_begins_with_held_out_accuracy
- RTL, zoom, wrap, tables, no gap, no quotes                  browser/test_pictures.py
- settings below the trees                                    test_the_report_begins_with_held_out_accuracy
- labels of unlinked words                                    unit/projection/test_summary.py::test_unlinked_words_are_called_after_their_class
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest
from cli.commands import proj
from pipelinefiles import LEARNED, PLAIN, config, write

from divproj.io.trees import conllu
from divproj.run.config import load

ROOT = Path(__file__).resolve().parents[2]
ITALIAN = """\
aba we kai
dog 3SG eat
'Il cane ha mangiato la carne che era sulla tavola.'

na we ti
1SG 3SG see
'Ho visto l’uomo che era nella casa con sua moglie.'

kan we do
water 3SG fall
'La pioggia non è caduta ieri, ma cadrà oggi.'

"""


@pytest.fixture(scope="module")
def learned(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run with gold trees, of which a part is held out."""
    folder = write(tmp_path_factory.mktemp("trust") / "tavi", 16, 12)
    done = proj("run", config(folder, LEARNED), "--json")
    assert done.returncode == 0, done.stderr
    (folder / "said.txt").write_text(done.stderr, encoding="utf-8")
    (folder / "said.json").write_text(done.stdout, encoding="utf-8")
    return folder


def test_every_test_of_the_list_above_exists():
    assert __doc__
    there = {
        name for path in (ROOT / "tests").rglob("test_*.py") for name in re.findall(r"def (test_\w+)", path.read_text("utf-8"))
    }
    named = set(re.findall(r"\btest_\w+(?!\.py)\b", __doc__))
    assert len(named) > 20
    assert named <= there


def test_the_report_begins_with_held_out_accuracy(learned: Path):
    page = (learned / "results" / "report.html").read_text(encoding="utf-8")
    scores = json.loads((learned / "results" / "results.json").read_text(encoding="utf-8"))["scores"]
    held, folds = scores["held_out"]["sentences_right"], scores["cross_validation"]["systems"]["s2+"]["sentences_right"]
    right, words = (sum(row[k] for row in (*held, *folds)) for k in (0, 1))
    assert scores["expected"]["uas"] == pytest.approx(100 * right / words, abs=3)  # the calibration is joined in
    assert scores["expected"]["source"].endswith("and checked on 3 held-out sentences and 9 gold sentences in 2 folds")
    first = re.search(r"<dl class=\"facts\"><div><dt>(.*?)</dt><dd>(.*?)</dd>", page)
    assert first
    assert first.groups() == ("of the heads expected right", f"{scores['expected']['uas']:.0f} %")
    assert "3 held-out sentences and 9 gold sentences in 2 folds" in page
    body = page.partition("<main>")[2].partition("<script>")[0]
    assert "mean confidence" not in body
    assert '<svg xmlns="http://www.w3.org/2000/svg" class="figure reliability"' in body
    assert "<dt>s2+</dt><dd>weighs all corrections of s2 together in a log-linear model</dd>" in body
    assert body.index('id="sentences"') < body.index('id="settings"')


def test_without_gold_the_calibration_speaks(tmp_path: Path):
    """No mean of a system's own numbers: what was right in treebanks of other languages, with its error."""
    folder = write(tmp_path / "tavi")
    done = proj("run", config(folder, PLAIN + '[project]\nsystem = "s1-r"\n'), "--json")
    assert done.returncode == 0, done.stderr
    told = r"about (\d+) % of the heads should be right \(± (\d+) points; calibrated on \d+ treebanks of other languages\)"
    found = re.search(told, done.stderr)
    assert found, done.stderr
    assert int(found[2]) >= 10
    known = json.loads(done.stdout)["expected"]
    assert f"{known['uas']:.0f}" == found[1]
    for name in ("report.html", "trees.html"):
        page = (folder / "results" / name).read_text(encoding="utf-8")
        assert f"<dt>of the heads expected right</dt><dd>{found[1]} %</dd>" in page
        assert f"± {2 * known['standard_error']:.0f} points" in page
        assert "mean confidence" not in page


def test_a_table_without_translations_is_not_projected(tmp_path: Path):
    text = tmp_path / "text.csv"
    rows = "".join(f"{k},miko dal tesu\n" for k in range(1, 41))
    text.write_text(f"ID,Primary_Text\n{rows}", encoding="utf-8")
    done = proj("project", text, "-o", tmp_path / "trees.conllu", "--json")
    assert done.returncode == 3
    assert "0 sentences projected by the phrase projection (s5)" in done.stderr
    assert "40 sentences without a translation: the tree is a guess" in done.stderr
    found = json.loads(done.stdout)
    assert (found["projected"], found["without_translation"], found["guesses"], found["exit_code"]) == (0, 40, 40, 3)
    assert found["expected"] is None
    assert {"guess"} == set(re.findall("Proj=([a-z]+)", (tmp_path / "trees.conllu").read_text(encoding="utf-8")))


def test_glosses_alone_are_neither_a_projection_nor_a_guess(tmp_path: Path):
    text = tmp_path / "text.csv"
    text.write_text("ID,Primary_Text,Analyzed_Word,Gloss\n1,miko dali,miko\tdali,dog\tsee.PST\n", encoding="utf-8")
    done = proj("project", text, "-o", tmp_path / "trees.conllu", "--json")
    assert done.returncode == 0, done.stderr
    assert "1 sentence without a translation: the tree comes from the glosses alone" in done.stderr
    assert "how many heads are right is not known, since nothing is projected" in done.stderr
    assert "left out" not in done.stderr
    found = json.loads(done.stdout)
    assert (found["projected"], found["without_translation"], found["by_glosses_alone"], found["guesses"]) == (0, 1, 1, 0)


def test_italian_translations_are_recognised(tmp_path: Path):
    text = tmp_path / "text.txt"
    text.write_text(ITALIAN, encoding="utf-8")
    done = proj("project", text, "-o", tmp_path / "trees.conllu", "--json")
    told = f"proj: warning: {text}: 3 translations are in Italian (it), for which there is no parser: their trees come from"
    assert done.stderr.count(told) == 1
    assert "train a parser (`proj train TREEBANK.conllu -o MODEL`) and give it with --e-parser MODEL" in done.stderr
    assert (
        "3 sentences with a translation in Italian, which has no parser: the tree comes from the glosses alone" in done.stderr
    )
    trees = (tmp_path / "trees.conllu").read_text(encoding="utf-8")
    assert trees.count("# text_it = ") == 3
    assert "# text_en" not in trees
    assert "how many heads are right is not known, since nothing is projected" in done.stderr
    found = json.loads(done.stdout)
    assert (found["expected"], found["parsed_as_another_language"], found["not_parsed"]) == (None, None, {"Italian": 3})
    run = proj("run", config(tmp_path, '[input]\ntext = "text.txt"\n'))
    assert "text.txt: 3 translations are in Italian (it), for which there is no parser" in run.stderr
    assert "3 sentences with a translation in Italian, which has no parser: the tree comes from the glosses alone" in run.stderr
    again = (tmp_path / "results" / "trees.conllu").read_text(encoding="utf-8")
    assert "# text_it = " in again
    assert [row.split("\t")[6:8] for row in again.splitlines() if "\t" in row] == [
        row.split("\t")[6:8] for row in trees.splitlines() if "\t" in row
    ]


def test_a_parser_of_another_language_is_used_when_it_is_asked_for(tmp_path: Path):
    text = tmp_path / "text.txt"
    text.write_text(ITALIAN, encoding="utf-8")
    done = proj("project", text, "-o", tmp_path / "trees.conllu", "--json", "--e-parser", "en")
    told = (
        f"proj: warning: {text}: 3 translations are in Italian (it), but parsed by 'en', as requested; leave --e-parser out, or"
    )
    assert told in done.stderr
    # the calibration is of English that was parsed as English, so it says nothing of these trees
    unknown = "how many heads are right is not known, since the translations are Italian and the parser is not"
    assert unknown in done.stderr
    found = json.loads(done.stdout)
    assert (found["expected"], found["parsed_as_another_language"], found["without_translation"]) == (None, "Italian", 0)
    run = proj("run", config(tmp_path, '[input]\ntext = "text.txt"\n[parse]\nparser = "en"\n'))
    assert "text.txt: 3 translations are in Italian (it), but parsed by 'en', as requested" in run.stderr
    assert unknown in run.stderr


def test_text_without_glosses_is_linked_by_the_text_itself(tmp_path: Path):
    text = tmp_path / "text.csv"
    text.write_text(
        "ID,Primary_Text,Translated_Text\n1,miko dali,The dog saw it.\n2,tesu dali,The cat saw it.\n", encoding="utf-8"
    )
    done = proj("project", text, "-o", tmp_path / "trees.conllu", "--json")
    assert done.returncode == 0, done.stderr
    summary = json.loads(done.stdout)
    assert (summary["projected"], summary["linked_words"], summary["without_links"]) == (2, 4, 0)
    assert "2 sentences projected by the phrase projection (s5)" in done.stderr
    glossed = tmp_path / "glossed.txt"
    glossed.write_text("miko dali\nDET yonder\n'Rain fell.'\n", encoding="utf-8")
    done = proj("project", glossed, "-o", tmp_path / "trees.conllu")
    assert "1 sentence without links" in done.stderr
    assert "proj words" not in done.stderr


def test_the_last_line_says_how_to_go_on(tmp_path: Path):
    trees = tmp_path / "trees.conllu"
    done = proj("project", write(tmp_path / "tavi", 4) / "text.txt", "-o", trees)
    assert done.stderr.splitlines()[-1] == f"Trees written to {trees}. To check and correct them: proj review {trees}"


def test_english_translations_bring_no_warning(tmp_path: Path):
    folder = write(tmp_path / "tavi")
    done = proj("project", folder / "text.txt", "-o", tmp_path / "trees.conllu")
    assert "look like" not in done.stderr
    assert "# text_en = " in (tmp_path / "trees.conllu").read_text(encoding="utf-8")


def test_warnings_name_file_and_line(tmp_path: Path):
    text = tmp_path / "trees.conllu"
    text.write_text("# sent_id = a\n1\tmiko\t_\t_\t_\t_\t_\t_\t_\t_\n\n# sent_id = b\n1\tdal\t_\t_\t_\t_\t_\t_\t_\t_\n\n")
    done = proj("project", text, "-o", tmp_path / "out.conllu")
    told = "there is no tree of a translation, so nothing is projected here"
    for line, sent_id in ((1, "a"), (4, "b")):
        assert re.search(rf"{re.escape(str(text))}:{line} \(sent_id {sent_id}\): {told}", done.stderr), done.stderr
    assert "<text>" not in done.stderr


def test_a_run_says_what_it_did(learned: Path):
    said = (learned / "said.txt").read_text(encoding="utf-8")
    assert "not done yet" not in said
    assert re.search(r"^project +done in [0-9.]+ s$", said, re.MULTILINE)
    assert "16 sentences projected by the corrected projection (s2+) (named in the config)" in said
    assert re.search(
        r"^about \d+ % of the heads should be right \(± \d+ points; .*, and checked on 3 held-out sentences and 9 gold sentences in 2 folds",
        said,
        re.M,
    )
    assert "check these first (least confident): " in said


def test_the_summary_as_json(learned: Path):
    found = json.loads((learned / "said.json").read_text(encoding="utf-8"))
    results = json.loads((learned / "results" / "results.json").read_text(encoding="utf-8"))
    assert found["expected"] == results["scores"]["expected"]
    assert found["signature"] == results["signature"]
    assert (found["projected"], found["system"], found["exit_code"]) == (16, "s2+", 0)
    assert found["why"] == "named in the config"
    assert {"without_translation", "without_links", "left_out", "coverage", "doubtful", "report", "warnings"} <= set(found)


def test_coverage_below_the_least_leaves_trees_out(tmp_path: Path):
    folder = write(tmp_path / "tavi", 4)
    (folder / "links.txt").write_text("0-1 1-4 2-2\n0-1\n\n0-1 1-5 2-3 3-2\n")
    given = ("--e", folder / "e.conllu", "--links", folder / "links.txt", "--system", "s1-r")
    done = proj("project", folder / "text.txt", *given, "--min-coverage", "0.5", "-o", tmp_path / "out.conllu", "--json")
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert (found["projected"], found["left_out"], found["without_links"]) == (2, {"faults": 0, "coverage": 2}, 0)
    assert "2 sentences left out: fewer than 50 % of the words are linked" in done.stderr
    assert len(conllu.loads((tmp_path / "out.conllu").read_text(encoding="utf-8"))) == 2
    bare = proj("project", folder / "text.txt", *given, "--json")
    assert bare.returncode == 2
    assert "give the trees a file" in re.sub(r"[\s│]+", " ", bare.stderr)


def test_parsing_says_what_it_did(tmp_path: Path):
    text = tmp_path / "text.txt"
    text.write_text("The dog barked.\n", encoding="utf-8")
    done = proj("parse", text, "--lang", "en", "-o", tmp_path / "out.conllu", "--json")
    assert done.returncode == 0, done.stderr
    assert "1 sentence parsed by en, 4 words" in done.stderr
    assert re.search(r"about \d+ % of the heads should be right \(± 6 points; the pack's calibration\)", done.stderr)
    found = json.loads(done.stdout)
    assert (found["parsed"], found["words"], found["doubtful"]) == (1, 4, ["1"])
    assert found["expected"]["source"] == "the pack's calibration"
    fast = proj("parse", text, "--lang", "en-fast", "-o", tmp_path / "out.conllu")
    assert "how many heads are right is not known: this model is not calibrated" in fast.stderr


def test_workers_come_and_go_in_silence(tmp_path: Path):
    """Loky ends idle workers and warns of it when it starts others: nothing that a user could act on."""
    done = proj("run", config(write(tmp_path / "tavi", 16, 12), LEARNED), "-j", 2)
    assert done.returncode == 0, done.stderr
    assert "worker stopped" not in done.stderr.lower()
    code = (
        "import warnings\nfrom divproj.runtime.engine import quiet_workers\n"
        "quiet_workers()\n"
        "warnings.warn('A worker stopped while some jobs were given to the executor.', UserWarning)\n"
        "warnings.warn('something else', UserWarning)\n"
    )
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stderr
    assert "A worker stopped" not in said
    assert "something else" in said
    for path in (ROOT / "src" / "divproj").rglob("*.py"):  # whoever starts workers does it under that
        text = path.read_text(encoding="utf-8")
        assert "Parallel(" not in text or "quiet_workers()" in text, path


def test_the_demo_has_a_config_that_can_be_read():
    found = load(ROOT / "corpora" / "hin-eng" / "divproj.toml")
    assert (found.title, found.system) == ("Hindi", "s4+")


def test_one_sentence_is_one_sentence(tmp_path: Path):
    text = tmp_path / "text.txt"
    text.write_text("miko dal-i\ndog bark-PST\n'The dog barked.'\n", encoding="utf-8")
    done = proj("project", text, "-o", tmp_path / "out.conllu", "--html", tmp_path / "out.html")
    assert done.returncode == 0, done.stderr
    run = proj("run", config(tmp_path, '[input]\ntext = "text.txt"\n'))
    pages = [(tmp_path / "out.html"), *(tmp_path / "results" / name for name in ("report.html", "trees.html"))]
    bodies = [
        re.sub("<[^>]+>", " ", path.read_text(encoding="utf-8").partition("<main>")[2].partition("<script>")[0])
        for path in pages
    ]
    for said in (done.stderr, run.stderr, *bodies):
        assert not re.search(r"(?<![\d,.\u202f])1 (sentences|words|pairs|trees|warnings|heads)\b", said)
        assert re.search(r"1 sentence\b", said)
    # nor does any message of the command line put a plural after whatever number
    for path in (ROOT / "cli" / "proj_cli").glob("*.py"):
        for line in path.read_text(encoding="utf-8").splitlines():
            if "talk.say(" in line:
                assert not re.search(r"\} (sentences|pairs|words|trees|warnings)\b", line), f"{path.name}: {line}"


def test_determiners_have_their_relation(tmp_path: Path):
    """Determiners that have no partner in E are called det, not dep."""
    text = tmp_path / "text.txt"
    text.write_text("la femme voit le chien\nDEF woman see.PRS DEF dog\n'Women see dogs.'\n", encoding="utf-8")
    for system in ("s1-r", "s5", "s6"):
        done = proj("project", text, "--system", system)
        assert done.returncode == 0, done.stderr
        rows = [line.split("\t") for line in done.stdout.splitlines() if line[:1].isdigit()]
        assert [rows[k][7] for k in (0, 3)] == ["det", "det"], system


def test_experiment_prints_las():
    done = proj("experiment", ROOT / "corpora" / "kor-eng", "--systems", "s1-r", "--folds", 2)
    assert done.returncode == 0, done.stderr
    assert "LAS" in done.stdout
    found = json.loads(proj("experiment", ROOT / "corpora" / "kor-eng", "--systems", "s1-r", "--folds", 2, "--json").stdout)
    assert f"{found['systems']['s1-r']['las']:.2f}" in done.stdout
    assert "|las:universal|" in found["signature"]


def test_one_las_by_default(tmp_path: Path):
    gold, made = tmp_path / "gold.conllu", tmp_path / "made.conllu"
    gold.write_text("1\ta\t_\tNOUN\t_\t_\t2\tnsubj:pass\t_\t_\n2\tb\t_\tVERB\t_\t_\t0\troot\t_\t_\n\n")
    made.write_text(gold.read_text().replace("nsubj:pass", "nsubj"))
    plain = json.loads(proj("evaluate", gold, made, "--json").stdout)
    whole = json.loads(proj("evaluate", gold, made, "--subtypes", "--json").stdout)
    assert (plain["las"], whole["las"]) == (100.0, 50.0)
    assert "|las:universal|" in plain["signature"]
    assert "|las:subtypes|" in whole["signature"]
    again = proj("experiment", ROOT / "corpora" / "kor-eng", "--systems", "s1-r", "--folds", 2, "--subtypes", "--json")
    assert "|las:subtypes|" in json.loads(again.stdout)["signature"]


def test_rules_in_words_weights_behind_details(learned: Path):
    shown = proj("rules", "show", learned / "results" / "rules.json").stdout
    assert "Learned for s2+ from 9 sentence pairs." in shown
    assert not re.search(r"[+-]\d\.\d\d  ", shown)
    assert re.search(r"[+-]\d\.\d\d  ", proj("rules", "show", learned / "results" / "rules.json", "--weights").stdout)
    page = (learned / "results" / "report.html").read_text(encoding="utf-8")
    rules = page.partition('<section id="rules">')[2].partition("</section>")[0]
    words, _, behind = rules.partition("<details")
    assert "Learned for s2+ from 9 sentence pairs." in words
    assert not re.search(r"[+-]\d\.\d\d", words)
    assert re.search(r"[+-]\d\.\d\d", behind)
