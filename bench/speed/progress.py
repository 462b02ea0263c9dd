"""How long commands leave a user in the dark: seconds to the first sign of life on a terminal, and the longest silence.

Each command runs on a pseudo-terminal, with an empty cache of compiled kernels (`cold`) and again (`warm`). A sign of life is
anything that is written. "Nameless" is the longest time in which the line only said that the command was starting.
"""

from __future__ import annotations

import argparse
import os
import pty
import re
import select
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
from bench.common import ROOT, Table

COMMANDS = {
    "project": "project turkish/turkish.txt -o trees.conllu",
    "parse": "parse sentences.txt --lang en -o parsed.conllu",
    "learn": "learn {corpora}/deu-eng -o rules.json",
    "experiment": "experiment {corpora}/deu-eng --systems s2+,s4+ --folds 3",
    "train": "train {corpora}/kor-eng -o model",
    "words": "words {corpora}/hin-eng -o links.txt",
    "align train": "align train old.mrg new.mrg -o aligner",
    "induce": "induce {corpora}/deu-eng -o grammar",
    "run": "run turkish/divproj.toml",
}
NAMELESS = re.compile(r"[⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏] \w+ \d+:\d\d(?!\S)")
"""The line before any stage is announced: the name of the command and a clock."""


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", nargs="*", help="some of: " + ", ".join(COMMANDS))
    args = parser.parse_args()
    columns = ("takes, s", "first sign, s", "longest silence, s", "longest without a stage, s")
    with (
        Table("progress", "What a terminal shows, seconds by the clock", "command", "kernels", *columns) as table,
        tempfile.TemporaryDirectory() as place,
    ):
        folder = Path(place)
        _prepare(folder)
        for name in args.only or COMMANDS:
            cache = folder / "kernels" / name.replace(" ", "-")
            for state in ("cold", "warm"):
                shutil.rmtree(folder / "turkish" / "results", ignore_errors=True)
                first, silence, nameless, spent = watch(COMMANDS[name].format(corpora=ROOT / "corpora"), folder, cache)
                table.add(f"`proj {name}`", state, f"{spent:.1f}", *(f"{x:.2f}" for x in (first, silence, nameless)))
    return 0


def _prepare(folder: Path) -> None:
    proj = [sys.executable, "-m", "divproj"]
    subprocess.run([*proj, "tutorial", "turkish"], cwd=folder, check=True, capture_output=True)
    subprocess.run([*proj, "new", "Turkish", "--folder", "turkish"], cwd=folder, check=True, capture_output=True)
    (folder / "sentences.txt").write_text("The dogs that bark do not bite.\nShe gave him the book.\n" * 200)
    (folder / "old.mrg").write_text("(S (NP (DT the) (NN dog)) (VP (VBD slept) (PP (IN in) (NP (DT the) (NN house)))))\n" * 20)
    (folder / "new.mrg").write_text("(S (PP (IN in) (NP (DT the) (NN home))) (NP (DT the) (NN dog)) (VP (VBD slept)))\n" * 20)


def watch(command: str, folder: Path, cache: Path) -> tuple[float, float, float, float]:
    """Seconds to the first sign, of the longest silence, of the longest time without a named stage, and of the whole."""
    ours, theirs = pty.openpty()
    env = {**os.environ, "TERM": "xterm-256color", "NUMBA_CACHE_DIR": str(cache)}
    began = last = time.monotonic()
    first, silence, nameless = 0.0, 0.0, 0.0
    without = began
    process = subprocess.Popen(
        [sys.executable, "-m", "divproj", *command.split()], cwd=folder, env=env, stdin=theirs, stdout=theirs, stderr=theirs
    )
    os.close(theirs)
    while True:
        ready = select.select([ours], [], [], 0.05)[0]
        now = time.monotonic()
        if ready:
            try:
                text = os.read(ours, 1 << 16).decode("utf-8", "replace")
            except OSError:  # the other end is closed
                break
            first = first or now - began
            silence = max(silence, now - last)
            last = now
            if not NAMELESS.search(text):
                nameless, without = max(nameless, now - without), now
        elif process.poll() is not None:
            break
    os.close(ours)
    if process.wait():
        raise SystemExit(f"proj {command}: exit code {process.returncode}")
    return first, silence, max(nameless, time.monotonic() - without), time.monotonic() - began


if __name__ == "__main__":
    sys.exit(main())
