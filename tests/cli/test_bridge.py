"""`proj project` with s5 and several sources."""

from __future__ import annotations

import json
from pathlib import Path

from cli.commands import ROOT, proj
from shared import need, pairs_of

from divproj import Corpus, DepTree, Faults
from divproj.forest.build import from_tree
from divproj.forest.dependencies import projective
from divproj.io.trees import forest, tiger
from divproj.io.trees.forests import remove_punctuation
from divproj.projection.phrasal.evidence import write_corpus

CORPUS = ROOT / "corpora" / "deu-eng"


def test_s5_needs_no_rules(tmp_path: Path):
    out, links = tmp_path / "trees.conllu", tmp_path / "links.txt"
    done = proj("project", CORPUS, "--system", "s5", "--links-out", links, "-o", out)
    assert done.returncode == 0, done.stderr
    assert "66 sentences projected by the phrase projection (s5)" in done.stderr
    assert "ProjConf=" in out.read_text(encoding="utf-8")
    scores = json.loads(proj("evaluate", CORPUS / "f.conllu", out, "--json").stdout)
    assert scores["uas"] > 75
    assert len(links.read_text(encoding="utf-8").splitlines()) == 66


def test_two_sources_vote_and_must_have_the_same_words(tmp_path: Path):
    out = tmp_path / "trees.conllu"
    done = proj("project", CORPUS, "--system", "s1-r", "--also", CORPUS, "-o", out)
    assert done.returncode == 0, done.stderr
    assert "66 sentences projected by the direct projection (s1-r)" in done.stderr
    other = proj("project", CORPUS, "--also", ROOT / "corpora" / "kor-eng", "-o", out)
    assert other.returncode == 1
    assert "where the first source has 'Der" in other.stderr
    assert "every source must have the same F sentences in the same order" in other.stderr


def some(text: str, count: int) -> str:
    return "\n\n".join(text.split("\n\n")[:count]) + "\n\n"


def test_forests_of_f_help_s5(tmp_path: Path):
    """Right-branching brackets of all sentences but the first."""
    trees = list(Corpus.at(CORPUS))
    brackets = ["(X " + " (X ".join(f"(W {form})" for form in pair.f.forms) + ")" * len(pair.f) for pair in trees]
    forests, out = tmp_path / "trees.mrg", tmp_path / "trees.conllu"
    forests.write_text("\n".join(brackets[1:]) + "\n", encoding="utf-8")
    done = proj("project", CORPUS, "--system", "s5", "--f-forests", forests, "-o", out)
    assert done.returncode == 0, done.stderr
    assert "no forest has the words of sentence 1" in done.stderr
    assert "66 sentences projected by the phrase projection (s5)" in done.stderr
    wrong = proj("project", CORPUS, "--system", "s1-r", "--f-forests", forests, "-o", out)
    assert wrong.returncode == 2
    assert "--f-forests is for s5" in wrong.stderr


def test_phrases_feed_projection(tmp_path: Path):
    """Pairs of a file, pairs aligned here, and with trees of F."""
    out, pairs = tmp_path / "trees.conllu", tmp_path / "pairs.jsonl"
    few = tmp_path / "few"
    few.mkdir()
    for name in ("f.conllu", "e.conllu"):
        (few / name).write_text(some((CORPUS / name).read_text(encoding="utf-8"), 12), encoding="utf-8")
    lines = (CORPUS / "align.txt").read_text(encoding="utf-8").splitlines(keepends=True)
    (few / "align.txt").write_text("".join(lines[:12]), encoding="utf-8")
    words = tmp_path / "words.txt"
    words.write_text("".join(lines[:12]), encoding="utf-8")
    done = proj("align", few / "f.conllu", few / "e.conllu", "--links", words, "-o", pairs)
    assert done.returncode == 0, done.stderr
    found = {}
    for name, options in (
        ("file", ("--phrases", pairs)),
        ("auto", ("--phrases", "auto")),
        ("trees", ("--phrases", "auto", "--f-forests", few / "f.conllu")),
    ):
        done = proj("project", few, *options, "-o", out)
        assert done.returncode == 0, done.stderr
        assert (
            f"12 sentences projected by the {'phrase projection (s5) (trees or forests of F' if name == 'trees' else 'gloss model (s6)'}"
            in done.stderr
        )
        found[name] = json.loads(proj("evaluate", few / "f.conllu", out, "--json").stdout)["uas"]
    assert found["trees"] > 95
    assert min(found.values()) > 70
    wrong = proj("project", few, "--system", "s1-r", "--phrases", "auto", "-o", out)
    assert wrong.returncode == 2
    assert "--phrases is for s5, s6, and models of s5+" in wrong.stderr


def flat_brackets(tree: DepTree) -> str:
    """Each word with its dependents as one flat phrase, so that binarising makes virtual phrases."""

    def phrase(head: int) -> str:
        dependents = [k for k, above in enumerate(tree.heads, 1) if above == head]
        word = f"({tree.upos[head - 1]} {tree.forms[head - 1]})"
        parts = [phrase(k) if k != head else word for k in sorted((*dependents, head))]
        return f"(X {' '.join(parts)})" if dependents else word

    return phrase(tree.heads.index(0) + 1)


def same_trees_through_a_file(folder: Path, forests: Path, tmp_path: Path) -> list[str]:
    """Trees with `--phrases auto`, and with the phrases of a file that `proj align` wrote for the same forests; no options."""
    sides = (folder / "f.conllu", "--e", folder / "e.conllu", "--links", folder / "align.txt")
    pairs, out = tmp_path / "pairs.jsonl", tmp_path / "trees.conllu"
    pairing = () if forests.suffix == ".conllu" else ("--ignore-ids",)
    done = proj("align", forests, folder / "e.conllu", "--links", folder / "align.txt", *pairing, "-o", pairs)
    assert done.returncode == 0, done.stderr
    trees = []
    for phrases in ("auto", pairs):
        options = ("--system", "s5", "--phrases", phrases, "--f-forests", forests, "-o", out)
        done = proj("project", *sides, *options)
        assert done.returncode == 0, done.stderr
        trees.append(out.read_text(encoding="utf-8"))
    return trees


def test_phrases_of_a_file_give_the_trees_of_auto(tmp_path: Path):
    """Heads and virtual pairs are in the file, and words of two languages are compared in the same way."""
    few = [pair for pair in Corpus.at(CORPUS) if tuple(projective(pair.f.heads)) == pair.f.heads and len(pair.f) > 4][:12]
    write_corpus(few, tmp_path / "few")
    forests = tmp_path / "forests.mrg"
    forests.write_text("\n".join(flat_brackets(pair.f) for pair in few) + "\n", encoding="utf-8")
    for trees in (forests, tmp_path / "few" / "f.conllu"):
        auto, through = same_trees_through_a_file(tmp_path / "few", trees, tmp_path)
        assert through == auto
    rows = [json.loads(line) for line in (tmp_path / "pairs.jsonl").read_text(encoding="utf-8").splitlines()]
    assert any(row["virtual"] for row in rows)
    assert all(isinstance(head, int) for row in rows for pair in (*row["pairs"], *row["virtual"]) for head in pair["heads"])


def test_phrases_of_smultron_give_the_trees_of_auto(tmp_path: Path):
    """German with its constituent trees (without marks): right heads were lost on the way through a file."""
    folder, raw = need("smultron/en-de"), need("smultron/raw/smultron_de_banana.xml.gz")
    trees = [remove_punctuation(tree, "drop") for tree in tiger.load(raw, Faults(strict=False)) if tree is not None]
    by_words = {tree.forms: from_tree(tree, binarise="all") for tree in trees}
    few = [pair for pair in pairs_of(folder) if pair.f.forms in by_words][:40]
    assert len(few) > 20
    write_corpus(few, tmp_path / "few")
    forests = tmp_path / "forests.jsonl"
    with forests.open("w", encoding="utf-8") as out:
        forest.dump((by_words[pair.f.forms] for pair in few), out)
    auto, through = same_trees_through_a_file(tmp_path / "few", forests, tmp_path)
    assert through == auto


def test_from_a_parsed_sentence_to_its_paraphrase(tmp_path: Path):
    new, old, out = tmp_path / "new.conllu", tmp_path / "old.conllu", tmp_path / "trees.conllu"
    rows = [("old", 2, "ADJ"), ("dogs", 3, "NOUN"), ("sleep", 0, "VERB"), ("here", 3, "ADV")]
    old.write_text(
        "".join(f"{k}\t{w}\t_\t{t}\t_\t_\t{h}\t_\t_\t_\n" for k, (w, h, t) in enumerate(rows, 1)) + "\n", encoding="utf-8"
    )
    words = ["here", "old", "dogs", "sleep"]
    new.write_text("".join(f"{k}\t{w}\t_\t_\t_\t_\t_\t_\t_\t_\n" for k, w in enumerate(words, 1)) + "\n", encoding="utf-8")
    done = proj("project", new, "--e", old, "--paraphrases", "-o", out)
    assert done.returncode == 0, done.stderr
    heads = [line.split("\t")[6] for line in out.read_text(encoding="utf-8").splitlines() if line and line[0].isdigit()]
    assert heads == ["4", "3", "4", "0"]
