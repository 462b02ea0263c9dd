"""`proj check` and `proj convert` through a pipe: output, exit codes, what is said of broken files."""

from __future__ import annotations

import json

import pytest
import typer
from cli.commands import ROOT, proj
from eaffile import story
from typer.testing import CliRunner

from divproj.io.interlinear import formats
from proj_cli import interlinear, options

FIXTURES = ROOT / "tests" / "fixtures" / "igt"
UNEVEN = "Sena uva kolu\nsister swim\n'She swims.'\n\nSena\nsister\n'sister'\n"


def here(*args: object):
    """The same within this process, for what is run many times."""
    app = typer.Typer(pretty_exceptions_enable=False)
    app.command()(interlinear.check)
    app.command()(interlinear.convert)
    return CliRunner().invoke(app, list(map(str, args)), catch_exceptions=False)


def piped(*args: object, stdin: str) -> str:
    return proj(*args, stdin=stdin).stdout


def test_formats_are_those_of_the_library():
    assert [one.value for one in options.IgtFormat] == list(formats.FORMATS)


class TestCheck:
    def test_report(self):
        done = proj("check", FIXTURES / "plain.txt")
        assert (done.returncode, done.stderr) == (0, "")
        assert (
            "plain.txt:14 (sent_id 4): level 0\n  glosses: no gloss line for 3 words; write a gloss under each word\n"
            in done.stdout
        )
        assert (
            "plain.txt:17 (sent_id 5): level 0\n  glosses, word 4: 4 words but 3 glosses: '=mi' stands apart; join 'sen-ka', '=mi'"
            in done.stdout
        )
        assert "plain.txt:1 " not in done.stdout
        rows = [line.split() for line in done.stdout.split("\n")]
        assert ["3", "abbreviations", "known", "3", "60.0"] in rows
        assert ["glosses", "2"] in rows
        assert ["5", "sentences"] in rows

    def test_json(self):
        done = proj("check", "--json", FIXTURES / "plain.txt")
        *sentences, sums = map(json.loads, done.stdout.splitlines())
        assert [one["level"] for one in sentences] == [3, 3, 3, 0, 0]
        assert sentences[4]["findings"][0] == {
            "kind": "glosses",
            "word": 4,
            "what": "4 words but 3 glosses: '=mi' stands apart",
            "remedy": "join 'sen-ka', '=mi' without a blank",
        }
        assert (sums["sentences"], sums["levels"]) == (5, {"0": 2, "1": 0, "2": 0, "3": 3})
        assert sums["signature"].startswith("divproj:")
        assert sums["faults"] == []

    @pytest.mark.parametrize("name", sorted(path.name for path in FIXTURES.iterdir() if path.name != "README.md"))
    def test_every_format(self, name):
        done = here("check", "--json", FIXTURES / name)
        assert done.exit_code == 0
        assert len(done.stdout.splitlines()) > 1

    def test_stdin_and_output(self, tmp_path):
        done = proj("check", "-", "-o", tmp_path / "report.txt", stdin=UNEVEN)
        assert (done.returncode, done.stdout) == (0, "")
        report = (tmp_path / "report.txt").read_text()
        assert report.startswith("<stdin>:1 (sent_id 1): level 0\n")
        assert "Leipzig level" in report

    def test_own_abbreviations(self, tmp_path):
        text = "ku\nXYZ\n'big'\n"
        shown = proj("check", "-", stdin=text).stdout
        assert "Unknown abbreviations" in shown
        assert "XYZ" in shown
        (tmp_path / "mine.tsv").write_text("gram\tmeaning\nXYZ\tsomething\n")
        assert "Unknown" not in proj("check", "-", "--grams", tmp_path / "mine.tsv", stdin=text).stdout

    def test_a_broken_file_is_checked_as_far_as_it_goes(self, tmp_path):
        path = tmp_path / "cut.xml"
        path.write_bytes((FIXTURES / "good.xml").read_bytes()[:1500])
        done = proj("check", "--json", path)
        assert done.returncode == 0
        assert "cut.xml:30 (sent_id k1): the XML is not well formed" in done.stderr
        assert "1 error in the file; the rest was read" in done.stderr
        assert len(json.loads(done.stdout.splitlines()[-1])["faults"]) == 1
        strict = proj("check", "--strict", path)
        assert (strict.returncode, "proj: " in strict.stderr) == (1, True)

    @pytest.mark.parametrize(
        ("args", "text", "message"),
        [
            (["/no/such/file"], "", "proj: /no/such/file: no such file"),
            (["-"], "", "proj: <stdin>: nothing in the file; is it the right one?"),
            (["-", "--format", "xigt"], "text", "proj: <stdin>:1: not XML: syntax error"),
            (["-"], "<html></html>", "proj: <stdin>: this is a web page, not interlinear text; save"),
            (["-", "--encoding", "x"], "a", "proj: unknown encoding 'x'"),
            (["-", "--tiers", "word=x", "-f", "elan"], "<ANNOTATION_DOCUMENT/>", "proj: unknown role 'word' of a tier"),
            (["-", "--max-mb", "1"], f"<xigt-corpus>{' ' * 1100000}</xigt-corpus>", "more than 1 MB of XML"),
        ],
    )
    def test_data_errors(self, args, text, message):
        done = proj("check", *args, stdin=text)
        assert done.returncode == 1
        assert message in done.stderr
        assert "Traceback" not in done.stderr

    def test_usage(self):
        done = proj("check", "-", "--markers", "words", stdin="a")
        assert done.returncode == 2
        assert "ROLE=NAME" in done.stderr

    def test_control_characters_do_not_reach_the_terminal(self):
        assert "\x1b" not in proj("check", "-", stdin="se\x1b[31mna uva\nXYZ\n'x'\n").stdout


class TestConvert:
    @pytest.mark.parametrize("name", sorted(path.name for path in FIXTURES.iterdir() if path.name != "README.md"))
    @pytest.mark.parametrize("ending", [".conllu", ".xml", ".txt"])
    def test_every_way(self, tmp_path, name, ending):
        out = tmp_path / f"out{ending}"
        done = here("convert", FIXTURES / name, out)
        assert (done.exit_code, done.stdout) == (0, "")
        before, after = list(formats.load(FIXTURES / name)), list(formats.load(out))
        for field in ("words", "segments", "glosses", "translation", "tags"):
            assert [getattr(one, field) for one in after] == [getattr(one, field) for one in before]

    def test_gold_stays(self, tmp_path):
        proj("convert", FIXTURES / "gold.conllu", tmp_path / "same.conllu")
        assert (tmp_path / "same.conllu").read_bytes() == (FIXTURES / "gold.conllu").read_bytes()

    def test_pipes_and_named_formats(self):
        done = proj("convert", "-", "-", stdin=UNEVEN)
        assert "# text_en = She swims.\n" in done.stdout
        assert proj("convert", "-", "-", "--to", "xigt", stdin=UNEVEN).stdout.startswith("<?xml")
        assert proj("convert", "-", "-", "--to", "plain", "--bare", stdin=UNEVEN).stdout == UNEVEN.replace("'", "") + "\n"

    def test_broken_instances_are_warned_of_and_written(self, tmp_path):
        out = tmp_path / "a.conllu"
        done = proj("convert", "-", out, stdin=UNEVEN)
        assert done.returncode == 0
        assert "proj: warning: <stdin>:1 (sent_id 1): 3 words but 2 glosses, without a gloss: 'kolu'" in done.stderr
        assert "2 sentences written, 1 of them with lines that do not fit" in done.stderr
        assert [one.glosses for one in formats.load(out)] == [("sister", "swim"), ("sister",)]

    def test_it_does_not_overwrite(self, tmp_path):
        out = tmp_path / "a.txt"
        out.write_text("mine")
        done = proj("convert", FIXTURES / "odin.txt", out)
        assert (done.returncode, out.read_text()) == (1, "mine")
        assert "a.txt: this file exists already; --force replaces it" in done.stderr
        assert proj("convert", FIXTURES / "odin.txt", out, "--force").returncode == 0
        assert out.read_text() != "mine"

    def test_whole_or_not_at_all(self, tmp_path):
        path = tmp_path / "in.xml"
        body = '<igt id="i"><tier type="words" id="w"><item id="w1">a</item></tier></igt>'
        path.write_text(f"<xigt-corpus>{body}\n" + " " * 1_100_000)
        done = proj("convert", path, tmp_path / "out.txt", "--max-mb", 1)
        assert done.returncode == 1
        assert sorted(one.name for one in tmp_path.iterdir()) == ["in.xml"]

    def test_options(self, tmp_path):
        text = "\\nr 1\n\\src kolut\n\\en fish-PL\n\\say fishes\n"
        names = "record=nr,words=src,glosses=en,translation=say"
        done = proj("convert", "-", "-", "-f", "toolbox", "--markers", names, stdin=text)
        assert "# text_und = fishes\n1\tkolut\t_\t_\t_\t_\t_\t_\t_\tGloss=fish-PL\n" in done.stdout
        done = proj("convert", FIXTURES / "old.flextext", "-", "--to", "plain", "--bare", "--gloss-lang", "fr")
        assert "Les poissons, nagent-ils ?" in done.stdout

    def test_an_ending_that_says_nothing(self, tmp_path):
        done = proj("convert", FIXTURES / "odin.txt", tmp_path / "a.docx")
        assert done.returncode == 2
        assert "--to" in done.stderr

    def test_gzip(self, tmp_path):
        proj("convert", FIXTURES / "odin.txt", tmp_path / "a.conllu.gz")
        assert len(list(formats.load(tmp_path / "a.conllu.gz"))) == 2


class TestCldf:
    @pytest.mark.parametrize("name", sorted(path.name for path in FIXTURES.iterdir() if path.name != "README.md"))
    def test_there_and_back(self, tmp_path, name):
        out = tmp_path / "out.csv"
        done = here("convert", FIXTURES / name, out)
        assert (done.exit_code, done.stdout) == (0, "")
        assert (tmp_path / "out-metadata.json").exists()
        assert here("convert", out, tmp_path / "again.conllu").exit_code == 0
        before, after = list(formats.load(FIXTURES / name)), list(formats.load(tmp_path / "again.conllu"))
        assert [one.sent_id for one in after] == [one.sent_id for one in before]
        for field in ("words", "segments", "glosses", "translation", "judgement"):
            assert [getattr(one, field) for one in after] == [getattr(one, field) for one in before], field

    def test_files_beside_are_not_overwritten(self, tmp_path):
        (tmp_path / "out-metadata.json").write_text("mine")
        done = proj("convert", FIXTURES / "odin.txt", tmp_path / "out.csv")
        assert (done.returncode, (tmp_path / "out-metadata.json").read_text()) == (1, "mine")
        assert "out-metadata.json: this file exists already and belongs to OUT; --force replaces it" in done.stderr
        assert not (tmp_path / "out.csv").exists()
        assert here("convert", FIXTURES / "odin.txt", tmp_path / "out.csv", "--force").exit_code == 0

    def test_a_pipe_gets_the_table_alone(self):
        done = here("convert", FIXTURES / "plain.txt", "-", "--to", "cldf")
        assert done.stdout.startswith("ID,Language_ID,Primary_Text,Analyzed_Word,Gloss,Translated_Text,Meta_Language_ID")


class TestReaderOptions:
    def test_tiers_are_listed(self, tmp_path):
        (tmp_path / "a.eaf").write_text(story(("IU", "GW", "MB", "GE", "FT"), "es").timed("gesture", ["stroke"]).text())
        done = proj("check", tmp_path / "a.eaf", "--tiers", "list")
        shown = " ".join(done.stdout.split())
        assert done.returncode == 0
        assert all(word in shown for word in ("IU", "GW", "several under one sentence", "translation", "not of the text"))

    def test_hyphens_are_kept_on_demand(self):
        text = "Uva-n, kolu.\nswim-PST fish\n'The fish swam.'\n"
        assert "\tUvan\t" in piped("convert", "-", "-", stdin=text)
        assert "\tUva-n\t" in piped("convert", "-", "-", "--keep-hyphens", stdin=text)

    def test_words_that_were_split_are_written_together_again(self):
        text = "(1) Uva-n, (kolu).\nswim-PST fish\nThe fish swam.\n\n"
        rows = piped("convert", "-", "-", stdin=text)
        assert "SpaceAfter=No" in rows
        assert piped("convert", "-", "-", "--to", "plain", stdin=text) == text
        assert piped("convert", "-", "-", "-f", "conllu", "--to", "plain", stdin=rows) == text

    def test_a_file_whose_lines_do_not_fit(self, tmp_path):
        (tmp_path / "a.txt").write_text("a b c d\nx\n'So it is.'\n\n" * 6)
        done = proj("convert", tmp_path / "a.txt", tmp_path / "a.conllu")
        assert (done.returncode, (tmp_path / "a.conllu").exists()) == (1, False)
        assert "a.txt: read as plain, only 0 of 6 sentences have a gloss under each word" in done.stderr
        assert "--misaligned reads it as it is" in done.stderr
        assert here("convert", tmp_path / "a.txt", tmp_path / "a.conllu", "--misaligned").exit_code == 0

    @pytest.mark.parametrize("name", ["markers", "tiers", "gloss-lang", "encoding", "keep-hyphens", "misaligned"])
    def test_project_has_the_options_of_the_readers(self, name):
        assert f"--{name}" in proj("project", "--help-all").stdout

    def test_a_toolbox_file_of_unknown_markers(self, tmp_path):
        (tmp_path / "a.sfm").write_text("\\aa 1\n\\bb 2\n\n" * 3)
        done = proj("check", tmp_path / "a.sfm")
        assert done.returncode == 1
        assert (
            "no marker looks like the text; the markers are \\aa (3), \\bb (3); name them, as in --markers record="
            in done.stderr
        )
