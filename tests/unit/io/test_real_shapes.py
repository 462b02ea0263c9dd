"""What linguists' own files look like: one case for each way in which they were once misread. The sentences are ours."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from divproj.core.errors import Faults, FormatError
from divproj.core.options import ReaderOptions
from divproj.core.sentence import Sentence
from divproj.core.tree import DepTree
from divproj.io.interlinear import formats, plain, write_back
from divproj.io.interlinear import rows as igt_conllu
from divproj.io.interlinear import words as igt_words


def tex(text: str) -> list[Sentence]:
    return formats.loads(text, "latex", Faults(strict=False))


class TestLatex:
    def test_two_translations_by_language(self):
        (found,) = tex("\\gll Sena uva \\\\ sister swim \\\\\n\\glt ‘The sister is swimming in the river.’\\\\\n\\glt ‘A irmã não está na casa dela.’\n")  # fmt: skip
        assert dict(found.translations) == {"en": "The sister is swimming in the river.", "pt": "A irmã não está na casa dela."}

    def test_what_follows_the_quotes_is_no_translation(self):
        (found,) = tex("\\ea \\gll Sena uva \\\\ sister swim \\\\ \\trans `Who am I?' \\Corpus{abc}{AB \\#3}\n\\zl\n")
        assert found.translation == "Who am I?"
        (found,) = tex("\\gll Sena uva \\\\ sister swim \\\\ \\glt `Does she swim?'\\\\ \\textit{Presupposition}: She can.\n")
        assert (found.translation, found.meta) == ("Does she swim?", (("note", "Presupposition: She can."),))

    def test_expex_ends_with_its_example(self):
        first, second = tex("\\ex \\begingl \\gla Sena// \\glb sister// \\glft ‘the sister’\n\\xe\nLong prose here.\n\n\\ex \\begingl \\gla Uva// \\glb swim// \\glft ‘to swim’\n\\ex x\n")  # fmt: skip
        assert (first.translation, second.translation) == ("the sister", "to swim")

    def test_something_between_gloss_and_translation(self):
        (found,) = tex(
            "\\gll Sena uva \\\\ sister swim \\\\\n\\fnminus\n\\footnotetext{A {long} note with \\textit{words}.}\n\\glt `She swims.'\n"
        )
        assert found.translation == "She swims."
        (found,) = tex("\\gll Sena uva \\\\ sister swim \\\\\\german\n\\glt `She swims.'\n")
        assert found.translation == "She swims."

    def test_lines_that_go_on(self):
        (found,) = tex("\\ex \\gll Sena \\\\ sister \\\\\n\\sn \\gll uva. \\\\ swim \\\\\n\\trans `She swims.'\n")
        assert (found.words, found.glosses) == (("Sena", "uva", "."), ("sister", "swim", ""))

    def test_a_sparse_third_line(self):
        (found,) = tex(
            "\\glll Sena ku uva-n\\\\ sister big swim-\\Pst{}\\\\ ~ ~ {\\footnotesize \\Sg:\\Sbj/swim}\\\\\n\\glt `She swam.'\n"
        )
        assert (found.words, found.glosses) == (("Sena", "ku", "uvan"), ("sister", "big", "swim-PST"))

    def test_placeholders_in_all_lines_go(self):
        (found,) = tex(
            "\\glll sena ~ ~ uva\\\\ se-na ~ ~ u-va\\\\ sis-\\textsc{f} ~ ~ swim-\\textsc{prs}\\\\\n\\glt `She swims.'\n"
        )
        assert (found.words, found.segments) == (("sena", "uva"), ("se-na", "u-va"))

    def test_unknown_macros(self):
        (found,) = tex("\\gll \\ob{}na\\cb{} u-\\Zero{} sena$^{\\PF}$ \\\\ the swim-\\Prs{} sister \\\\ \\glt `x'\n")
        assert found.words == ("[", "na", "]", "u", "sena")
        assert found.segments[3] == "u-∅"

    def test_macros_of_the_file(self):
        (found,) = tex("\\newcommand{\\exgl}[3]{\\gll #1\\\\ #2\\\\ \\glt `#3'}\n\\newcommand{\\Big}{ku}\n\\ea \\exgl{Sena \\Big}{sister big}{a big sister}\n\\z\n")  # fmt: skip
        assert (found.words, found.translation) == (("Sena", "ku"), "a big sister")

    def test_covington(self):
        (found,) = tex("\\digloss{Sena uva}{sister swim}{She swims.}")
        assert (found.glosses, found.translation) == (("sister", "swim"), "She swims.")

    def test_judgements(self):
        (found,) = tex("\\ea[*]{\\gll uva Sena \\\\ swim sister \\\\ \\glt `She swims.'}\n\\z\n")
        assert "# grammaticality = *\n" in igt_conllu.dumps([found])

    def test_macros_that_call_one_another_without_end(self):
        text = "".join(
            f"\\newcommand{{\\{a}}}{{{f'{chr(92)}{b}' * 9}}}\n" for a, b in zip("ABCDEFGHIJ", "BCDEFGHIJA", strict=True)
        )
        assert tex(text + "\\gll \\A b \\\\ c d \\\\ \\glt `x'\n")


EAF = """<?xml version="1.0" encoding="UTF-8"?>
<ANNOTATION_DOCUMENT><TIME_ORDER>{slots}</TIME_ORDER>{tiers}
<LINGUISTIC_TYPE LINGUISTIC_TYPE_ID="a" TIME_ALIGNABLE="true"/>
<LINGUISTIC_TYPE CONSTRAINTS="Symbolic_Association" LINGUISTIC_TYPE_ID="b" TIME_ALIGNABLE="false"/>
</ANNOTATION_DOCUMENT>"""


def eaf(tiers: dict[str, tuple[str, str, list[str]]]) -> str:
    """Tiers: name → (type, tier above, values); those of a type `a` have times, from 0 on or those that follow an `@`."""
    slots, made = [], []
    for name, (kind, above, values) in tiers.items():
        rows = []
        for k, value in enumerate(values):
            text, _, at = value.partition("@")
            slots.append(f'<TIME_SLOT TIME_SLOT_ID="{name}{k}" TIME_VALUE="{at or k}"/>')
            times = f'TIME_SLOT_REF1="{name}{k}" TIME_SLOT_REF2="{name}{k}"'
            tag, ref = ("REF", f'ANNOTATION_REF="{above}-{k}"') if above else ("ALIGNABLE", times)
            rows.append(f'<ANNOTATION><{tag}_ANNOTATION ANNOTATION_ID="{name}-{k}" {ref}><ANNOTATION_VALUE>{text}</ANNOTATION_VALUE></{tag}_ANNOTATION></ANNOTATION>')  # fmt: skip
        parent = f'PARENT_REF="{above}"' if above else ""
        made.append(f'<TIER TIER_ID="{name}" LINGUISTIC_TYPE_REF="{kind}" {parent}>{"".join(rows)}</TIER>')
    return EAF.format(slots="".join(slots), tiers="".join(made))


class TestElan:
    def test_a_translation_by_its_words(self):
        text = eaf({"palabra": ("a", "", ["sena uva", "", "kolu ku"]), "xyz": ("b", "palabra", ["La hermana está en el río.", "", "El pez es muy grande y no se va."])})  # fmt: skip
        first, second = formats.loads(text, "elan")
        assert (first.translations, second.words) == ((("es", "La hermana está en el río."),), ("kolu", "ku"))

    def test_speakers_in_the_order_of_time(self):
        text = eaf({"text@A": ("a", "", ["sena@10", "uva@30"]), "text@B": ("a", "", ["kolu@20"])})
        assert [one.words for one in formats.loads(text, "elan")] == [("sena",), ("kolu",), ("uva",)]

    def test_tags_of_html_and_quotes(self):
        text = eaf({"text": ("a", "", ["se&lt;sup&gt;3&lt;/sup&gt;na"]), "translation": ("b", "text", ["‘the sister’"])})
        (found,) = formats.loads(text, "elan")
        assert (found.words, found.translation) == (("se³na",), "the sister")


class TestText:
    def test_an_id_line_and_an_order_of_lines(self):
        text = "---\ntitle: Kolu\n---\n# 001\n\\trs sena uvan.\n\\m   sena uva-n\n\\gl  sister swim-PST\n\\wlt sister swam\n\\tln She swam.\n\n# 002\nkolu ku\nkolu ku\nfish big\nfish big\nThe fish is big.\n"
        first, second = formats.loads(text)
        assert (first.sent_id, first.words, first.segments) == ("001", ("sena", "uvan", "."), ("sena", "uva-n", "."))
        assert (second.sent_id, second.glosses, second.translation) == ("002", ("fish", "big"), "The fish is big.")

    def test_numbered_columns_are_no_conllu(self):
        text = "1\tSena\tuva\tku\tna\tro\n\tsister\tswim\tbig\tthe\tin\n\t'The sister swims in the big one.'\n"
        (found,) = formats.loads(text)
        assert (found.sent_id, found.words) == ("1", ("Sena", "uva", "ku", "na", "ro"))

    @pytest.mark.parametrize("mark", ["\t", " = ", " - ", ": "])
    def test_a_list_of_abbreviations_is_refused(self, mark):
        rows = "\n".join(f"{name}{mark}{said}" for name, said in [("ABL", "ablative"), ("ACC", "accusative"), ("DAT", "dative"), ("GEN", "genitive"), ("LOC", "locative"), ("PL", "plural"), ("SG", "singular"), ("TOP", "topic")])  # fmt: skip
        with pytest.raises(FormatError, match=r"no format fits well .*dictionary, a table or running text"):
            formats.loads(rows)

    def test_lines_that_do_not_fit_are_refused(self):
        text = "a b c d\nx\n'So it is.'\n\n" * 6
        with pytest.raises(FormatError, match="read as plain, only 0 of 6 sentences have a gloss under each word"):
            formats.loads(text)
        assert len(formats.loads(text, misaligned=True)) == 6

    def test_a_dash_is_a_boundary(self):
        (found,) = formats.loads("uva–n kolu\nswim–PST fish\n'The fish swam.'\n")
        assert (found.words, found.segments, found.glosses) == (("uvan", "kolu"), ("uva-n", "kolu"), ("swim-PST", "fish"))

    def test_hyphens_are_kept_when_asked(self):
        (found,) = formats.loads("uva-n, kolu\nswim-PST fish\n'The fish swam.'\n", keep_hyphens=True)
        assert found.words == ("uva-n", ",", "kolu")

    def test_rows_as_ud_has_them(self):
        text = igt_conllu.dumps(formats.loads("Uva-n, kolu.\nswim-PST fish\n'The fish swam.'\n"))
        assert "# sent_id = 1\n# text = Uvan, kolu.\n# text_en = The fish swam.\n" in text
        assert "1\tUvan\t_\t_\t_\t_\t_\t_\t_\tGloss=swim-PST|MGloss=swim-PST|MSeg=Uva-n|SpaceAfter=No\n2\t,\t" in text

    def test_and_back(self):
        text = "(1) Uva-n, (kolu).\nswim-PST fish\nThe fish swam.\n\n"
        assert plain.dumps(map(igt_words.rejoin, formats.loads(text))) == text

    def test_a_length_mark_is_no_colon(self):
        assert formats.loads("ta:wa ki: na:ma\nx y z\n'It is so.'\n")[0].words == ("ta:wa", "ki:", "na:ma")


class TestToolbox:
    def test_empty_records(self):
        assert len(formats.loads("\\ref 1\n\\tx sena\n\\ft x\n\n\\ref 2\n\\tx\n\\ft\n\n\\ref 3\n", "toolbox")) == 1

    def test_markers_by_shape(self):
        text = "".join(
            f"\\nr {k}\n\\zz sena uvan\n\\qq sister swim-PST\n\\vv The sister was in the river.\n\n" for k in range(4)
        )
        found = formats.loads(text, "toolbox")[1]
        assert (found.sent_id, found.words, found.glosses) == ("1", ("sena", "uvan"), ("sister", "swim-PST"))
        assert found.translation == "The sister was in the river."

    def test_markers_that_say_nothing(self):
        with pytest.raises(
            FormatError, match=r"no marker looks like the text; the markers are \\aa \(1\), \\bb \(1\); name them"
        ):
            formats.loads("\\aa 1\n\\bb 2\n", "toolbox")
        with pytest.raises(FormatError, match=r"records begin with \\lx: this is a dictionary"):
            formats.loads("\\lx sena\n\\ps n\n\\ge sister\n", "toolbox")


FLEX = "<document><interlinear-text><paragraphs><paragraph><phrases>{}</phrases></paragraph></paragraphs></interlinear-text></document>"
PHRASE = '<phrase><words>{}</words><item type="gls" lang="en">It is so.</item></phrase>'
WORD = '<word><item type="txt" lang="x">{0}</item><item type="gls" lang="en">{0}</item></word>'
_sentences = st.lists(st.lists(st.sampled_from(("sena", "uva", "kolu", "ne")), min_size=1, max_size=4), min_size=1, max_size=4)


def _files(sentences: list[list[str]], end: str) -> dict[str, str]:
    flex = FLEX.format("\n".join(PHRASE.format("".join(map(WORD.format, words))) for words in sentences))
    toolbox = "".join(f"\\ref {k}\n\\tx {' '.join(words)}\n\\ft It is so.\n\n" for k, words in enumerate(sentences, 1))
    return {
        "flextext": flex,
        "elan": eaf({"text": ("a", "", [" ".join(words) for words in sentences])}),
        "toolbox": toolbox.replace("\n", end),
    }


@given(_sentences, st.sampled_from(("\n", "\r\n")))
def test_trees_go_back_and_nothing_else_changes(sentences, end):
    for name, text in _files(sentences, end).items():
        data = text.encode()
        found = formats.load_bytes(data, name)
        trees = [DepTree(one.words, tuple(range(len(one.words))), ("root", *["dep"] * (len(one.words) - 1))) for one in found]
        rows = [
            igt_conllu.to_sentence(Sentence(one.words, sent_id=one.sent_id, tree=tree))
            for one, tree in zip(found, trees, strict=True)
        ]
        made = write_back.into(data, rows, ReaderOptions(format=name), "", Faults())
        again = formats.load_bytes(made, name)
        assert [one.tree and one.tree.heads for one in again] == [tree.heads for tree in trees], name
        assert [one.words for one in again] == [one.words for one in found]
        assert write_back.into(made, rows, ReaderOptions(format=name), "", Faults()) == made
        assert write_back._without_trees(made.decode(), name) == text


def test_trees_that_do_not_fit():
    data = b"\\ref 1\n\\tx sena uva\n\\ft so\n"
    row = igt_conllu.to_sentence(Sentence(("sena",), sent_id="1", tree=DepTree(("sena",), (0,), ("root",))))
    faults = Faults(strict=False)
    with pytest.raises(Exception, match="no tree belongs to a sentence of this file"):
        write_back.into(data, [row], ReaderOptions(), "a.sfm", faults)
    assert "the tree has 1 words, the sentence 2" in str(faults.noted[0])
    with pytest.raises(
        Exception, match="trees go back into toolbox, flextext, elan, exmaralda, textgrid, table files, this is plain"
    ):
        write_back.into(b"sena uva\nsister swim\n", [row], ReaderOptions(), "a.txt", faults)


def test_cldf_and_back():
    from divproj.io.interlinear import cldf

    found = formats.loads("(1) Uva-n, kolu.\nswim-PST fish\n'The fish swam.'\n")
    again = formats.loads(cldf.dumps(map(igt_words.rejoin, found)), "cldf")
    assert [(one.words, one.segments, one.glosses, one.translation) for one in again] == [
        (one.words, one.segments, one.glosses, one.translation) for one in found
    ]


def test_a_language_that_the_file_names_wrongly():
    texts = ["Mi hermana está en la casa con su madre.", "No sé quién es el hombre que vino ayer."] * 12
    text = FLEX.format("".join(PHRASE.format(WORD.format("sena")).replace("It is so.", said) for said in texts))
    faults = Faults(strict=False)
    assert formats.loads(text, "flextext", faults)[0].translations[0][0] == "es"
    assert "said to be in 'en' but are in 'es'" in str(faults.noted[0])
