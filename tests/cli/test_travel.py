"""The page "How a sentence travels": the functions that it names are called by the commands that it names, in that order."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "travel.md").read_text(encoding="utf-8")
SECTIONS = {
    re.search(r"`proj (\w+)", section).group(1): re.findall(r"^\| `([\w.]+:[\w.]+)` \|", section, re.M)  # type: ignore[union-attr]
    for section in PAGE.split("\n## ")[1:]
}
TRACED = """
import sys
from pathlib import PurePath
called, codes = {}, set()
def note(frame, event, arg):
    code = frame.f_code
    if event != "call" or code in codes:
        return
    codes.add(code)
    parts = PurePath(code.co_filename).with_suffix("").parts
    for package in ("divproj", "proj_cli"):
        if package in parts:
            at = len(parts) - parts[::-1].index(package) - 1
            called.setdefault(".".join(parts[at:]) + ":" + code.co_qualname)
from proj_cli import main
sys.setprofile(note)
try:
    main()
except SystemExit:
    pass
sys.setprofile(None)
print(*called, sep="\\n", file=open("called.txt", "w"))
"""
COMMANDS = {
    "project": ["project", ROOT / "tutorial" / "turkish.flextext", "-o", "trees.conllu"],
    "analyze": ["analyze", ROOT / "corpora" / "kor-eng"],
    "parse": ["parse", "--lang", "en", "text.txt", "-o", "parsed.conllu"],
    "align": ["align", "old.mrg", "new.mrg", "-o", "pairs.jsonl"],
}


@pytest.mark.parametrize("command", COMMANDS)
def test_a_sentence_travels_as_the_page_says(command: str, tmp_path: Path):
    (tmp_path / "text.txt").write_text("The old dog that we saw yesterday barks. Cats sleep.\n" * 3, encoding="utf-8")
    (tmp_path / "old.mrg").write_text("(S (NP (NNS dogs)) (VP (VBP bark)))\n", encoding="utf-8")
    (tmp_path / "new.mrg").write_text("(S (NP (DT the) (NNS dogs)) (VP (VBP are) (VP (VBG barking))))\n", encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-c", TRACED, *map(str, COMMANDS[command])], cwd=tmp_path, capture_output=True, text=True
    )
    called = (tmp_path / "called.txt").read_text(encoding="utf-8").split() if done.returncode == 0 else done.stderr
    assert len(SECTIONS[command]) > 7
    assert [name for name in SECTIONS[command] if name not in called] == []
    assert [name for name in called if name in SECTIONS[command]] == SECTIONS[command], "in the order of first calls"
