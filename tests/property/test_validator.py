"""What we let pass, the validator of UD lets pass: sentences with random damage, checked by both."""

from __future__ import annotations

import contextlib
import io
import random
from pathlib import Path

import pytest

from divproj.core.sentence import Rows
from divproj.io.trees import conllu
from divproj.ud.grammar import check_sentence

ROOT = Path(__file__).resolve().parents[2]
DEPRELS = ["nsubj", "obj", "obl", "nmod", "amod", "det", "case", "mark", "cc", "conj", "punct", "advmod", "advcl", "acl", "root", "aux", "cop", "fixed", "flat", "goeswith", "expl", "clf", "nummod", "orphan", "dep", "obl:arg", "csubj", "nsubj:outer"]  # fmt: skip
TAGS = [
    "NOUN",
    "VERB",
    "AUX",
    "ADJ",
    "ADV",
    "DET",
    "PRON",
    "PUNCT",
    "X",
    "PROPN",
    "CCONJ",
    "SCONJ",
    "ADP",
    "PART",
    "NUM",
    "INTJ",
    "SYM",
]
FEATS = ["_", "Case=Acc", "Number=Sing|Case=Acc", "Case=Acc|Case=Acc", "Case=Acc,Abl", "Case=Abl,Acc", "Typo=Yes", "ExtPos=ADP", "Polarity=Neg", "foo", "Case=acc"]  # fmt: skip
MISC = ["_", "SpaceAfter=No", "SpaceAfter=Yes", "Gloss=a|Gloss=b", "NoSpaceAfter=Yes", "A b", "Gloss= a", "=x"]
COMMENTS = ["# newpar", "# newdoc", "# newpar id = a", "# sent_id = q", "# text = x"]
CELLS = {1: ["a b", "x", "e\u0301"], 2: ["_", "a b", "a  b"], 3: TAGS, 4: ["a b", "_", "N"], 5: FEATS, 7: DEPRELS, 9: MISC}


def damage(sentence: Rows, rng: random.Random) -> Rows:
    columns, comments = [list(column) for column in sentence.columns], list(sentence.comments)
    n = len(columns[0])
    for _ in range(rng.randint(0, 3)):
        kind = rng.choice([*CELLS, 6, 10])
        if kind == 10:
            comments.append(rng.choice(COMMENTS))
        else:
            columns[kind][rng.randrange(n)] = str(rng.randint(0, n)) if kind == 6 else rng.choice(CELLS[kind])
    return Rows(tuple(comments), tuple(map(tuple, columns)))


def test_no_error_of_the_validator_is_missed(tmp_path: Path):
    argparser = pytest.importorskip("udtools.argparser", reason="udtools is not installed")
    from udtools.validator import Validator

    validator = Validator(lang="ud", level=3, args=argparser.parse_args_validator(["--lang", "ud", "--level", "3", "--quiet"]))
    sentences = [s for s in conllu.load(ROOT / "tutorial" / "gold.conllu") if s is not None]
    rng, path = random.Random(7), tmp_path / "one.conllu"
    passed = refused = 0
    for _ in range(400):
        text = damage(rng.choice(sentences), rng).to_conllu()
        path.write_text(text, encoding="utf-8")
        with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
            valid = validator.validate_files([str(path)]).passed()
        findings = [finding for finding in check_sentence(conllu.loads(text)[0]) if not finding.is_advice]
        assert valid or findings, text
        passed, refused = passed + valid, refused + (not valid)
    assert min(passed, refused) > 50
