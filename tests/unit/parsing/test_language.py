"""A language in a box: learned from a treebank, kept in a folder."""

from __future__ import annotations

import json
from dataclasses import replace
from importlib.metadata import EntryPoint

import numpy as np
import pytest
from toybank import TOY, TREEBANK, sentence_of
from trees_by_force import is_tree

from divproj import DepTree, ModelError, ProjError
from divproj.core.sentence import Rows, confidence_of, misc_value
from divproj.parsing import language as module
from divproj.parsing.language import Language, forest_of, load_pack, several, with_confidence
from divproj.parsing.parser import MstParser, Progress, calibrate_by_twin
from divproj.runtime import modelfile

SMALL = {"bits": 14, "epochs": 4}
ANNOTATED = (2, 3, 4, 6, 7)


@pytest.fixture(scope="module")
def toy():
    return Language.train(TREEBANK, **SMALL)


def bare(sentence):
    """The sentence without its annotation."""
    none = ("_",) * len(sentence.forms)
    return sentence.with_columns(dict.fromkeys(ANNOTATED, none))


class TestTrain:
    def test_the_treebank_is_learned_by_heart(self, toy):
        """All but a relation or two: the parser meets the tags of taggers that did not see the sentence."""
        assert toy.fine
        found = list(toy.annotate(map(bare, TREEBANK)))
        assert [s.comments for s in found] == [s.comments for s in TREEBANK]
        for k, least in zip(ANNOTATED, (1.0, 1.0, 1.0, 1.0, 0.9), strict=True):
            pairs = [p for a, b in zip(found, TREEBANK, strict=True) for p in zip(a.column(k), b.column(k), strict=True)]
            assert sum(a == b for a, b in pairs) >= least * len(pairs)

    def test_stages_are_told(self):
        seen = []
        made = Language.train(
            TREEBANK[:10], dev=TREEBANK[:4], progress=lambda stage, state: seen.append((stage, state)), **SMALL
        )
        assert [stage for stage, _ in seen] == ["tagger", "tags of unseen sentences", "lemmas", *["parser"] * 4]
        last = seen[-1][1]
        assert isinstance(last, Progress)
        assert last.dev_uas is not None
        assert made.parser.scale_ > 0

    def test_fine_tags_are_left_out_where_there_are_none_or_too_many(self, monkeypatch):
        none = [s.with_columns({4: ("_",) * len(s.forms)}) for s in TREEBANK[:9]]
        made = Language.train(none, **SMALL)
        assert not made.fine
        assert made.parser.columns_ == 0
        assert set(next(made.annotate([none[0]])).column(4)) == {"_"}
        monkeypatch.setattr(module, "JOINT", 3)
        assert not Language.train(TREEBANK[:9], **SMALL).fine

    def test_gold_tags_and_few_sentences(self):
        for count, options in ((1, {}), (12, {"gold_tags": True})):
            made = Language.train(TREEBANK[:count], **SMALL, **options)
            assert is_tree(made.parse([TOY[0].forms])[0].heads)

    def test_sentences_without_words_are_passed_over(self):
        empty = Rows((), ((),) * 10)
        assert Language.train([empty, *TREEBANK[:3]], **SMALL).parse([TOY[0].forms])[0].forms == TOY[0].forms
        for sentences in ([], [empty]):
            with pytest.raises(ProjError, match="there is no sentence to learn from"):
                Language.train(sentences)

    def test_calibration_by_a_twin(self, toy):
        seen = [toy.seen(tree.forms, list(zip(tree.upos, (t[:2] for t in tree.upos), strict=True))) for tree in TOY * 3]
        parser = MstParser(**SMALL).fit(seen, TOY * 3)
        calibrate_by_twin(parser, seen, TOY * 3, SMALL)
        assert parser.scale_ != 1.0
        few = MstParser(**SMALL).fit(seen[:4], TOY[:4])
        calibrate_by_twin(few, seen[:4], TOY[:4], SMALL)
        assert few.scale_ == 1.0, "too few to judge by"


class TestAnnotate:
    def test_how_sure_each_head_is(self, toy):
        [found] = toy.annotate(TREEBANK[:1])
        sure = [float(misc_value(cell, "ParseConf")) for cell in found.column(9)]
        assert all(0 <= p <= 1 for p in sure)
        [silent] = toy.annotate(TREEBANK[:1], confidence=False)
        assert silent.column(9) == TREEBANK[0].column(9)
        [again] = toy.annotate([found])
        assert again.column(9) == found.column(9), "the old one is replaced"

    def test_tags_are_kept_on_demand(self, toy):
        odd = TREEBANK[0].with_columns({3: ("X",) * 3, 4: ("yy",) * 3})
        [kept] = toy.annotate([odd], keep_tags=True)
        assert (kept.column(3), kept.column(4)) == (odd.column(3), odd.column(4))
        [found] = toy.annotate([bare(odd)], keep_tags=True)
        assert found.column(3) == TOY[0].upos, "there were none to keep"

    def test_rows_that_are_no_words_stay(self, toy):
        rows = [list(row) for row in TREEBANK[0].lines]
        rows.insert(0, ["1-2", "thedog", *"_" * 8])
        rows.insert(2, ["1.1", "quite", *"_" * 8])
        given = Rows((), tuple(zip(*rows, strict=True)))
        [found] = toy.annotate([given])
        assert found.lines[0] == given.lines[0]
        assert found.lines[2] == given.lines[2]
        assert found.tree.heads == TOY[0].heads

    def test_a_batch_at_a_time(self, toy, monkeypatch):
        whole = list(toy.annotate(TREEBANK))
        monkeypatch.setattr(module, "BATCH", 3)
        assert list(toy.annotate(TREEBANK)) == whole

    def test_no_sentence_and_no_word(self, toy):
        assert list(toy.annotate([])) == []
        empty = Rows((), ((),) * 10)
        assert list(toy.annotate([empty])) == [empty]
        assert toy.parse([()])[0].heads == ()

    def test_words_never_seen(self, toy):
        [tree] = toy.parse([("Glorps", "zwirbeln", "𐍈𐍈", "12,5", "'")])
        assert is_tree(tree.heads)
        assert len(tree.upos) == len(tree.xpos) == 5


class TestSeveral:
    def test_the_best_trees(self, toy):
        [best] = toy.annotate([bare(TREEBANK[2])])
        found = list(several(toy, best, 4))
        assert [s.comments[-1].split(" log_prob=")[0] for s in found] == [f"# parse = {k} of 4" for k in range(1, 5)]
        assert found[0].tree.heads == best.tree.heads
        assert len({s.tree.heads for s in found}) == 4
        chances = [float(s.comments[-1].split("log_prob=")[1]) for s in found]
        assert chances == sorted(chances, reverse=True)
        assert np.exp(chances).sum() == pytest.approx(1.0, abs=1e-3)

    def test_each_tree_has_the_confidence_of_its_own_heads(self, toy):
        [best] = toy.annotate([bare(TREEBANK[2])])
        first, second, *_ = several(toy, best, 2)
        changed = [k for k in range(len(best.forms)) if first.tree.heads[k] != second.tree.heads[k]]
        for k in changed:
            sure = [float(misc_value(s.column(9)[k], "ParseConf")) for s in (first, second)]
            assert sum(sure) <= 1.01
        [silent] = toy.annotate([bare(TREEBANK[2])], confidence=False)
        assert all(s.column(9) == silent.column(9) for s in several(toy, silent, 2))

    def test_the_forest_of_probable_trees(self, toy):
        [best] = toy.annotate([bare(TREEBANK[2])])
        forest = forest_of(toy, best)
        assert forest.forms == best.forms
        wide = forest_of(toy, best, at_least=0.0)
        assert len(wide.nodes) > len(forest.nodes)


class TestFolder:
    @pytest.fixture
    def folder(self, toy, tmp_path):
        toy.save(tmp_path / "toy")
        return tmp_path / "toy"

    def test_there_and_back(self, toy, folder):
        found = Language.load(folder)
        assert found.fine == toy.fine
        trees = [tree.heads for tree in found.parse([t.forms for t in TOY])]
        assert trees == [tree.heads for tree in toy.parse([t.forms for t in TOY])]

    def test_the_same_seed_makes_the_same_bytes(self, folder, tmp_path):
        Language.train(TREEBANK, **SMALL).save(tmp_path / "again")
        for name in ("model.json", "weights.npz"):
            assert (tmp_path / "again" / name).read_bytes() == (folder / name).read_bytes()

    @pytest.mark.parametrize("part", ["tagger", "lemmas", "parser", "fine", "about"])
    def test_a_part_that_is_missing_or_none(self, folder, part):
        about = json.loads((folder / "model.json").read_text())
        for bad in (None, "x", {}, []):
            if part == "about" and bad == {}:
                continue
            (folder / "model.json").write_text(json.dumps(about | {part: bad}))
            with pytest.raises(ModelError):
                Language.load(folder)

    def test_a_parser_that_looks_elsewhere(self, folder):
        about = json.loads((folder / "model.json").read_text())
        for change in ({"columns": 0}, {"slots": 3}):
            (folder / "model.json").write_text(json.dumps(about | {"parser": about["parser"] | change}))
            with pytest.raises(ModelError, match="the parser does not look at what the tagger finds"):
                Language.load(folder)

    def test_arrays_that_are_missing(self, folder):
        model = modelfile.load(folder, module.KIND, module.VERSION)
        for name in model.arrays:
            rest = {key: array for key, array in model.arrays.items() if key != name}
            facts = {key: fact for key, fact in model.about.items() if key not in ("format", "version")}
            modelfile.save(folder, module.KIND, module.VERSION, facts, rest)
            with pytest.raises(ModelError):
                Language.load(folder)

    def test_none_by_that_name(self):
        with pytest.raises(
            ProjError, match=r"no language pack 'xx' is installed; installed: .*en.*; train a parser from a UD treebank"
        ):
            load_pack("xx")


class TestPacks:
    """Language packs that come with divproj, and those of other packages."""

    def test_models_of_other_kinds_are_no_packs(self):
        packs = module.available()
        assert "en" in packs
        assert "glossed" not in packs
        assert all((place / "model.json").is_file() for place in packs.values())

    @pytest.fixture
    def alone(self, tmp_path, monkeypatch):
        """English alone, as in an installed wheel."""
        place = tmp_path / "languages"
        (place / "en").mkdir(parents=True)
        (place / "en" / "model.json").write_text(f'{{"format": "{module.KIND}"}}')
        (place / "broken").mkdir()
        (place / "broken" / "model.json").write_bytes(b"\xff\xfe\xff")
        (place / "README.md").write_text("no pack")
        monkeypatch.setattr(module, "folder", lambda kind: place)
        monkeypatch.setattr(module, "entry_points", lambda group: [])
        module.load_pack.cache_clear()
        yield place
        module.load_pack.cache_clear()

    def test_a_pack_that_can_be_installed(self, alone):
        assert list(module.available()) == ["en"]
        with pytest.raises(
            ProjError, match=r"no language pack 'fr' is installed; installed: en; install it with `pip install divproj-fr`"
        ):
            load_pack("fr")

    def test_entry_points(self, alone, tmp_path, monkeypatch):
        package = tmp_path / "site" / "divproj_qq"
        package.mkdir(parents=True)
        (package / "__init__.py").write_text("")
        monkeypatch.syspath_prepend(str(package.parent))
        entries = [EntryPoint(code, f"divproj_{code}", module.GROUP) for code in ("qq", "zz", "en")]
        monkeypatch.setattr(module, "entry_points", lambda group: entries)
        assert module.available() == {"en": alone / "en", "qq": package}
        with pytest.raises(ModelError, match=r"model\.json"):
            load_pack("qq")


def test_confidence_in_misc():
    chances = np.array([[0.0, 0.25, 0.5], [0.0, 0.0, 0.125], [0.0, 0.75, 0.0]])
    assert with_confidence(("_", "Gloss=x|ParseConf=0.99"), (2, 0), chances) == ("ParseConf=0.75", "Gloss=x|ParseConf=0.50")
    assert confidence_of("Gloss=x|ParseConf=0.50") == "0.50"
    assert confidence_of("ProjConf=0.40") == "0.40"
    assert confidence_of("_") == ""


def test_tags_are_taken_apart():
    assert module._apart(["NOUN+NN", "X", "PUNCT++", "SYM++"]) == [("NOUN", "NN"), ("X", "_"), ("PUNCT", "+"), ("SYM", "+")]
    assert module._joint(sentence_of(TOY[6]), True) == ("VERB+VE",)
    assert module._joint(sentence_of(TOY[6]), False) == ("VERB",)


class TestText:
    """A language cuts running text as its treebank does."""

    def test_models_keep_how_text_is_cut(self, toy, tmp_path):
        toy.save(tmp_path / "toy")
        assert Language.load(tmp_path / "toy").tokenizer == toy.tokenizer

    def test_a_damaged_tokenizer(self, toy, tmp_path):
        toy.save(tmp_path / "toy")
        path = tmp_path / "toy" / "model.json"
        facts = json.loads(path.read_text())
        facts["tokenizer"]["parts"] = {"du": ["de"]}
        path.write_text(json.dumps(facts))
        with pytest.raises(ModelError, match="'tokenizer' does not describe how text is cut"):
            Language.load(tmp_path / "toy")

    def test_features_are_no_xpos(self):
        sentence = TREEBANK[0]
        words = len(sentence.forms)
        tags = [("NOUN", "Case=Acc|Number=Sing"), *[("X", "_")] * (words - 1)]
        tree = DepTree(sentence.forms, (0, *range(1, words)), ("root", *["dep"] * (words - 1)))
        filled = module._fill_columns(sentence, list(sentence.forms), tags, tree, None)
        assert filled.column(4)[0] == "_"
        assert filled.column(5)[:2] == ("Case=Acc|Number=Sing", "_")

    def test_packs_describe_themselves(self, tmp_path):
        assert module.describe(module.available()["en"])["language"] == "English"
        (tmp_path / "model.json").write_text("[]")
        with pytest.raises(ModelError, match="the pack does not describe itself; install it again"):
            module.describe(tmp_path)

    def test_calibration_error(self, toy):
        assert toy.calibration_error is None
        assert replace(toy, about={"figures": {"error": 2.5}}).calibration_error == 0.025
        assert replace(toy, about={"figures": 3}).calibration_error is None


def test_rows_without_a_lemma_teach_none():
    none = [s.with_columns({2: ("_",) * len(s.forms)}) for s in TREEBANK]
    some = Language.train([*TREEBANK, *none, *none], **SMALL)
    [parsed] = some.annotate([bare(TREEBANK[0])])
    assert parsed.column(2) == TREEBANK[0].column(2)
    assert set(next(Language.train(none, **SMALL).annotate([bare(TREEBANK[0])])).column(2)) == {"_"}
