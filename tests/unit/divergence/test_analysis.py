"""A corpus analysed: sums, patterns, types, examples."""

from __future__ import annotations

import json
import random
from collections import Counter
from dataclasses import replace

import bruteforce
import pytest
from corpusfiles import pair, tree
from synthetic import random_pair

from divproj import Analysis, Corpus, DepTree, alter, analyze
from divproj.core.pair import SIZE, in_batches
from divproj.divergence.analysis import EXAMPLES, TYPES, analyze_batches, analyze_corpus, write_tables
from divproj.runtime import jit
from divproj.ud.head_style import in_style

STAGES = ("initial", "remove", "merge", "swap")


@pytest.fixture(scope="module")
def many():
    rng = random.Random(7)
    return [random_pair(rng, rng.randrange(9), rng.randrange(9), str(k)) for k in range(60)]


def test_sums_over_pairs(many):
    found = analyze(many)
    assert found.sentences == len(many)
    assert found.words == {"f": sum(len(p.f) for p in many), "e": sum(len(p.e) for p in many)}
    for direction in ("e_to_f", "f_to_e"):
        for row in found.stage_counts(direction):
            total = Counter()
            for one in many:
                total.update(alter(one).counts[direction][row["stage"]])
            assert row == {"stage": row["stage"], **total}


@pytest.mark.parametrize("extended", [False, True])
def test_plain_and_compiled_are_the_same(many, monkeypatch, extended):
    monkeypatch.setattr(jit, "WORTH", 10**9)
    plain = analyze(many, extended=extended).as_json()
    monkeypatch.setattr(jit, "WORTH", 0)
    assert analyze(many, extended=extended).as_json() == plain


@pytest.mark.parametrize("size", [1, 7, 60, 500])
def test_batches_do_not_matter(many, size):
    assert analyze_batches(in_batches(many, size)).as_json() == analyze(many).as_json()


def test_a_stream_is_enough(many):
    assert analyze(iter(many)).as_json() == analyze(many).as_json()


def test_nothing():
    found = analyze([])
    assert found.sentences == 0
    assert found.match_percentages() == dict.fromkeys(STAGES, 100.0)
    assert found.profile() == [0.0] * 10
    assert found.patterns() == []


def test_each_pair_with_its_share(many):
    seen = []
    analyze(many, each=lambda one, share: seen.append((one, share)))
    assert seen == [(one, pytest.approx(alter(one).match_share)) for one in many]


def test_match_percentages():
    half = pair((0, 1), (0, 1, 1), [(1, 1), (2, 2)])
    found = analyze([half])
    assert found.match_percentages() == {"initial": 50.0, "remove": 100.0, "merge": 100.0, "swap": 100.0}
    assert found.match_percentages("f_to_e")["initial"] == 100.0
    assert list(analyze([half], extended=True).match_percentages()) == ["initial", "remove", "merge", "extended", "swap"]


def test_profile_is_shares_of_the_classes():
    found = analyze([pair((0, 1), (0, 1, 1), [(1, 1), (2, 2)])])
    assert found.profile() == [0.5, 0.5, 0, 0, 0, 1, 0, 0, 0, 0]


class TestPatterns:
    """Table 3 is a group-by over the log."""

    e = tree((0, 1, 1, 3), upos=("VERB", "DET", "ADP", "NOUN"))
    f = tree((0, 3, 1), upos=("VERB", "ADP", "NOUN"))
    swapped = pair(f, e, [(1, 1), (2, 3), (3, 4)])

    def test_rows(self):
        rows = [(p.side, p.kind, p.child, p.parent, p.count, p.total) for p in analyze([self.swapped] * 2).patterns()]
        assert rows == [
            ("e", "remove", "DET", None, 2, 2),
            ("e", "swap", "NOUN", "ADP", 2, 2),
            ("f", "swap", "ADP", "NOUN", 2, 2),
        ]

    def test_least_count_and_share(self):
        unlinked = pair(self.f, self.e, [(1, 1), (2, 3), (3, 4), (1, 2)])
        found = analyze([self.swapped, unlinked])
        removal = found.patterns()[0]
        assert (removal.count, removal.total, removal.share) == (1, 2, 0.5)
        assert removal in found.patterns(min_share=0.5)
        assert removal not in found.patterns(min_share=0.6)
        assert removal not in found.patterns(min_count=2)

    def test_shares_are_of_words_or_of_edges(self):
        """Two of four nouns are without links; of two edges noun on adposition one is swapped."""
        e = tree((0, 1, 2, 1, 4, 1, 1), upos=("VERB", "ADP", "NOUN", "ADP", "NOUN", "NOUN", "NOUN"))
        f = tree((0, 3, 1, 1, 4), upos=("VERB", "ADP", "NOUN", "ADP", "NOUN"))
        rows = {(p.side, p.kind, p.child): p for p in analyze([pair(f, e, [(k, k) for k in range(1, 6)])]).patterns()}
        removal, swap = rows["e", "remove", "NOUN"], rows["e", "swap", "NOUN"]
        assert (removal.count, removal.total, removal.share) == (2, 4, 0.5)
        assert (swap.parent, swap.count, swap.total, swap.share) == ("ADP", 1, 2, 0.5)

    def test_all_operations_are_in_them(self, many):
        found = analyze(many, extended=True)
        total = Counter()
        for row in found.patterns():
            total[row.side, row.kind] += row.count
        assert total == +found.operations

    def test_totals_are_words_and_edges_as_given(self, many):
        found = analyze(many)
        assert sum(found.tagged.values()) == sum(found.words.values())
        edges = sum(len(list(side.edges)) for one in many for side in (one.f, one.e))
        assert sum(found.tagged_edges.values()) == edges

    @pytest.mark.parametrize(("kind", "tag"), [("upos", "NOUN"), ("xpos", "NN"), ("auto", "NOUN")])
    def test_tag_column(self, kind, tag):
        word = DepTree(("a",), (0,), (), ("NOUN",), ("NN",))
        found = analyze([pair(word, tree((0,)), [])], tags=kind)
        assert [p.child for p in found.patterns() if p.side == "f"] == [tag]
        assert found.tagged["e", "_"] == 1

    def test_auto_takes_what_each_sentence_has(self):
        sides = [DepTree(("a",), (0,), (), ("_",), ("NN",)), DepTree(("a",), (0,), (), ("NOUN",), ("NN",))]
        found = analyze([pair(side, tree((0,)), []) for side in sides])
        assert {key for key in found.tagged if key[0] == "f"} == {("f", "NN"), ("f", "NOUN")}


class TestDorr:
    def test_counts(self, many):
        found = analyze(many)
        log = [step for one in many for step in bruteforce.run(one).log]
        assert found.dorr["structural"] == sum(step[1] == "remove" for step in log)
        assert found.dorr["conflational"] == sum(step[1] == "merge" for step in log)
        swaps = sum(step[:2] == ("e", "swap") for step in log)
        assert found.dorr["promotional"] + found.dorr["demotional"] == swaps
        assert found.dorr["thematic"] == sum(map(bruteforce.relabelled, many))

    def test_categorial(self):
        f, e = tree((0, 1), (), ("VERB", "NOUN"), ("hace", "frío")), tree((0, 1), (), ("VERB", "ADJ"), ("is", "cold"))
        found = analyze([pair(f, e, [(1, 1), (2, 2)], "s1")])
        assert found.dorr["categorial"] == 1
        assert (found.examples["categorial"][0].sent_id, found.examples["categorial"][0].text) == ("s1", "frío NOUN ~ cold ADJ")

    @pytest.mark.parametrize(("f", "e"), [(("_",), ("NOUN",)), ((), ("NOUN",)), (("NOUN",), ("_",))])
    def test_unknown_tags_do_not_differ(self, f, e):
        assert analyze([pair(tree((0,), upos=f), tree((0,), upos=e), [(1, 1)])]).dorr["categorial"] == 0

    def test_thematic(self):
        f = tree((2, 0, 2), ("iobj", "root", "nsubj"), (), ("me", "gusta", "nadar"))
        e = tree((2, 0, 2), ("nsubj", "root", "obj"), (), ("I", "like", "swimming"))
        found = analyze([pair(f, e, [(1, 1), (2, 2), (3, 3)])])
        assert found.dorr["thematic"] == 2
        assert [x.text for x in found.examples["thematic"]] == ["I ←nsubj─ like ~ me ←iobj─ gusta"]

    def test_the_example_is_the_edge_with_another_label(self):
        f = tree((2, 0, 2), ("nsubj:pass", "root", "iobj"), (), ("ella", "fue", "vista"))
        e = tree((2, 0, 2), ("nsubj", "root", "obj"), (), ("she", "was", "seen"))
        found = analyze([pair(f, e, [(1, 1), (2, 2), (3, 3)])])
        assert [x.text for x in found.examples["thematic"]] == ["seen ←obj─ was ~ vista ←iobj─ fue"]

    @pytest.mark.parametrize(
        ("tag", "rel", "name"),
        [("ADV", "_", "promotional"), ("_", "advmod", "promotional"), ("VERB", "xcomp", "demotional")],
    )
    def test_swaps(self, tag, rel, name):
        e = tree((0, 1), ("root", rel), ("VERB", tag), ("swims", "likes"))
        found = analyze([pair(tree((2, 0), forms=("nada", "suele")), e, [(1, 1), (2, 2)])])
        assert (found.dorr["promotional"], found.dorr["demotional"]) == (int(name == "promotional"), int(name != "promotional"))
        label = "" if rel == "_" else rel
        assert found.examples[name][0].text == f"likes ←{label}─ swims ~ nada ←─ suele"

    def test_few_examples_of_each(self, many):
        found = analyze(many * 3)
        assert all(len(found.examples[name]) <= EXAMPLES for name in TYPES)
        assert all(len(found.examples[name]) == min(EXAMPLES, found.dorr[name]) for name in ("structural", "conflational"))

    def test_examples_do_not_hang_on_the_batches(self, many):
        assert analyze_batches(in_batches(many, 3)).examples == analyze(many).examples


def test_json(many):
    found = analyze(many).as_json()
    assert json.loads(json.dumps(found)) == found
    assert list(found) == ["sentences", "words", "e_to_f", "f_to_e", "operations", "by_pos", "dorr"]
    assert list(found["dorr"]) == list(TYPES)
    assert list(found["operations"]["e"]) == ["remove", "merge", "swap"]
    assert "extended" in analyze(many, extended=True).as_json()["operations"]["f"]
    assert [row["stage"] for row in found["e_to_f"]] == list(STAGES)


def test_growing():
    assert Analysis().counts.sum() == 0
    assert SIZE > 1


class TestCorpora:
    @pytest.mark.parametrize("most", [1, 4])
    def test_the_most_divergent_pairs(self, most):
        corpus = Corpus.at("deu-eng")
        result, worst = analyze_corpus(corpus, most=most)
        shares = {each.sent_id: alter(each).match_share for each in corpus}
        assert result.sentences == len(shares)
        assert [each.sent_id for each in worst] == sorted(shares, key=lambda name: shares[name])[:most]

    def test_trees_of_the_translation_in_another_style(self):
        corpus = Corpus.at("deu-eng")
        as_given, _ = analyze_corpus(corpus)
        function, _ = analyze_corpus(corpus, style="function")
        assert as_given.as_json() == analyze(list(corpus)).as_json()
        styled = [replace(each, e=in_style(each.e, "function")) for each in corpus]
        assert function.as_json() == analyze(styled).as_json() != as_given.as_json()

    def test_tables_go_to_a_new_folder_and_to_one_that_is_there(self, many, tmp_path):
        for _ in range(2):
            write_tables(tmp_path / "some" / "tables", ["many"], [analyze(many)])
        stages = (tmp_path / "some" / "tables" / "stages.csv").read_text(encoding="utf-8").splitlines()
        assert len(stages) == 1 + 2 * len(STAGES)
        assert stages[1].startswith("many,e_to_f,initial,")
