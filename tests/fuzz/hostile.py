"""A corpus whose every field tries to be code: for a browser, for a terminal, and for the library that prints tables."""

from __future__ import annotations

from pathlib import Path

HTML = (
    "<script>alert(1)</script>",
    '"><img\u00a0src=x\u00a0onerror=alert(2)>',
    "</title></style></svg></textarea><script>alert(3)</script>",
    "'\u00a0onmouseover='alert(4)",
    "javascript:alert(5)",
    "&lt;script&gt;alert(6)&#60;/script&#62;",
    "]]><!--<script>alert(7)//-->",
)
TERMINAL = ("\x1b[31mred", "\x1b]0;owned\x07", "\x9b2J", "\x7f\x08", "\u202eevil", "[/x]", "[bold]b", "[link=x]y", ":smile:")
HEADS = (2, 0, 2, 3)


def block(marks: tuple[str, ...], number: int) -> str:
    def mark(k: int) -> str:
        return marks[(number + k) % len(marks)]

    rows = [
        "\t".join((str(k), mark(k), mark(k + 1), mark(k + 2), mark(k + 3), f"X={mark(k)}", str(head), mark(k + 4), "_",
                   f"Gloss={mark(k)}|Proj={mark(k + 1)}|ProjConf=0.5|{mark(k + 2)}=1"))
        for k, head in enumerate(HEADS, 1)
    ]  # fmt: skip
    about = (f"# sent_id = {number}{mark(0)}", f"# text = {mark(1)}", f"# text_en = {mark(2)}", f"# {mark(3)} = {mark(4)}")
    return "\n".join((*about, *rows)) + "\n\n"


def write(folder: Path, marks: tuple[str, ...], count: int = 6) -> Path:
    folder.mkdir(parents=True)
    text = "".join(block(marks, number) for number in range(1, count + 1))
    for name in ("f.conllu", "e.conllu"):
        (folder / name).write_text(text, encoding="utf-8")
    (folder / "align.txt").write_text("0-0 1-1 2-3 3?2\n" * count)
    (folder / "divproj.toml").write_text(
        f'language = \'\'\'{marks[1]}\'\'\'\n[input]\nf = "f.conllu"\ne = "e.conllu"\nlinks = "align.txt"\ngold = "f.conllu"\n'
        '[align]\nmethod = "given"\n[project]\nsystem = "s2+"\n[evaluate]\nfolds = 2\n',
        encoding="utf-8",
    )
    return folder
