"""Do the examples and trees that `proj convert` writes for LaTeX compile? Needs xelatex (texlive-xetex, -latex-extra, -humanities, -publishers).

python bench/tools/latex_compiles.py [FILE]

Every package's file is read by `\\input` into a small document and compiled with xelatex, and with pdflatex where the words allow it; so
are the pictures of `proj draw -o x.tex` and the list of abbreviations. Prints a line for each, and the first error.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "src"), str(ROOT / "cli")]
AWKWARD = """\
# sent_id = a%b_1&2
# text_en = 50 % of {them} & "us" cost $5 ~ #1 ^ \\
# grammaticality = *
1\tka_na\tka\tNOUN\t_\t_\t2\tnsubj\t_\tGloss=dog_1&2|MSeg=ka_-na|MGloss=dog_1-PL
2\t50%\t50\tVERB\t_\t_\t0\troot\t_\tGloss=half
3\t[\t[\tPUNCT\t_\t_\t2\tpunct\t_\t_
4\ta//b\ta\tNOUN\t_\t_\t2\tobj\t_\tGloss=a//b.GEN\\p3

# sent_id = two
# text_en = Only words.
1\t*\t_\tPUNCT\t_\t_\t2\tpunct\t_\t_
2\tşey\tşey\tNOUN\t_\t_\t0\troot\t_\t_

"""
PREAMBLE = {
    "gb4e": r"\usepackage{gb4e}\noautomath", "langsci": r"\usepackage{langsci-gb4e}", "expex": r"\usepackage{expex}",
    "linguex": r"\usepackage{linguex}", "tikz": r"\usepackage{tikz-dependency}", "abbreviations": "", "draw": r"\usepackage{tikz-dependency}",
}  # fmt: skip


def compile_tex(engine: str, folder: Path, name: str, body: str) -> str:
    """Return the first error of a document, '' for none."""
    document = rf"\documentclass{{article}}{PREAMBLE[name]}\usepackage[a4paper]{{geometry}}\begin{{document}}\input{{{body}}}\end{{document}}"
    if engine == "pdflatex":
        document = document.replace(r"\begin{document}", r"\usepackage[T1]{fontenc}\begin{document}", 1)
    (folder / f"{name}-doc.tex").write_text(document, encoding="utf-8")
    done = subprocess.run(
        [engine, "-interaction=nonstopmode", "-halt-on-error", f"{name}-doc.tex"],
        cwd=folder,
        capture_output=True,
        text=True,
        errors="replace",
    )
    errors = [line for line in done.stdout.splitlines() if line.startswith("!")]
    return "" if done.returncode == 0 else (errors or [done.stdout[-200:]])[0]


def main() -> None:
    source = Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "tutorial" / "gold.conllu"
    engines = [engine for engine in ("xelatex", "pdflatex") if shutil.which(engine)]
    if not engines:
        sys.exit("no LaTeX here: apt-get install texlive-xetex texlive-latex-extra texlive-humanities texlive-publishers")
    failed = 0
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        (folder / "awkward.conllu").write_text(AWKWARD, encoding="utf-8")
        for text in (source, folder / "awkward.conllu"):
            for name in PREAMBLE:
                command = (
                    ["draw", str(text), "-o", str(folder / "out.tex")]
                    if name == "draw"
                    else ["convert", str(text), str(folder / "out.tex"), "--to", name, "--force"]
                )
                subprocess.run(
                    [sys.executable, "-m", "divproj", *command, "-q"],
                    check=True,
                    env={"PYTHONPATH": f"{ROOT / 'src'}:{ROOT / 'cli'}", "PATH": ""},
                )
                for engine in engines:
                    error = compile_tex(engine, folder, name, "out.tex")
                    failed += bool(error)
                    print(f"{text.name:<16} {name:<14} {engine:<9} {error or 'compiles'}")
    sys.exit(min(failed, 1))


if __name__ == "__main__":
    main()
