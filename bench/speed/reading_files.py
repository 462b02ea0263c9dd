"""Time and peak memory of reading a file of each format as it grows, and of `proj check` refusing dictionaries.

    python bench/speed/reading_files.py [--megabytes 10 40] [--formats toolbox elan …] [--dictionaries FILE …]

The files are generated: sentences of five words in each format's usual shape. Each is read to its end in a process of its own
by `formats.load`, as all commands read. Memory includes Python (the row `plain, 0 MB`); zipped files have so many megabytes unpacked.
"""

from __future__ import annotations

import argparse
import io
import json
import sys
import tempfile
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path
from xml.sax.saxutils import escape

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
from bench.common import DATA, Table, measure

LIMIT_MB = 100
"""Megabytes that reading a text may take."""
SYLLABLES = ("ka", "lo", "mi", "tu", "sen", "ra", "vol", "ne", "pu", "dir")
FREE = ("The sister of the fisherman swam in the river number {}.", "He saw that the fish in the big net were {} in all.")


READER = """
import sys
from divproj.core.errors import Faults
from divproj.io.interlinear import formats
print(sum(1 for _ in formats.load(sys.argv[1], None, Faults(strict=False), max_bytes=500 << 20)))
"""


def words(k: int) -> list[tuple[str, str, str]]:
    """(word, morphemes, gloss) of sentence k."""
    rows = []
    for j in range(5):
        code = (k * 7919 + j * 104729) % 1_000_000
        stem = "".join(SYLLABLES[code // 10**p % 10] for p in range(3))
        rows.append((f"{stem}na", f"{stem}-na", f"{('fish', 'swim', 'sister', 'net', 'see')[j]}-{('PST', 'PL')[code % 2]}"))
    return rows


def free(k: int) -> str:
    return FREE[k % 2].format(k)


def _toolbox(k: int) -> str:
    row = words(k)
    pieces = [(piece, meaning) for _, morphs, gloss in row for piece, meaning in zip((morphs[:-3], "-na"), (gloss.split("-")[0], f"-{gloss.split('-')[1]}"), strict=True)]  # fmt: skip
    widths = [max(len(a), len(b)) + 1 for a, b in pieces]
    mb, ge = ("".join(pair[n].ljust(w) for pair, w in zip(pieces, widths, strict=True)) for n in (0, 1))
    return f"\\ref T.{k}\n\\tx {' '.join(w for w, _, _ in row)}\n\\mb {mb}\n\\ge {ge}\n\\ft {free(k)}\n\n"


def _lines(k: int, shape: str) -> str:
    row = words(k)
    parts = {"w": " ".join(w for w, _, _ in row), "m": " ".join(m for _, m, _ in row), "g": " ".join(g for _, _, g in row)}
    return shape.format(k=k, t=free(k), **parts)


def _flex(k: int) -> str:
    def word(form: str, morphs: str, gloss: str) -> str:
        both = zip(morphs.split("-"), gloss.split("-"), strict=True)
        inner = "".join(f'<morph><item type="txt" lang="k">{"-" * (n > 0)}{m}</item><item type="gls" lang="en">{g}</item></morph>' for n, (m, g) in enumerate(both))  # fmt: skip
        return f'<word><item type="txt" lang="k">{form}</item><morphemes>{inner}</morphemes></word>\n'

    return f'<paragraph><phrases><phrase><item type="segnum" lang="en">{k}</item><words>{"".join(word(*row) for row in words(k))}</words><item type="gls" lang="en">{free(k)}</item></phrase></phrases></paragraph>\n'


def _eopas(k: int) -> str:
    row = "".join(f'<word><text kind="word">{w}</text><morphemelist>{"".join(f"<morpheme><text kind={chr(34)}morpheme{chr(34)}>{a}</text><text kind={chr(34)}gloss{chr(34)}>{b}</text></morpheme>" for a, b in zip(m.split("-"), g.split("-"), strict=True))}</morphemelist></word>\n' for w, m, g in words(k))  # fmt: skip
    return f'<phrase id="s{k}" startTime="{k}" endTime="{k}.9"><transcription>{" ".join(w for w, _, _ in words(k))}</transcription><wordlist>{row}</wordlist><translation>{free(k)}</translation></phrase>\n'


def _pangloss(k: int) -> str:
    row = "".join(f'<W><FORM>{w}</FORM><M><FORM>{m[:-3]}</FORM><TRANSL xml:lang="en">{g}</TRANSL></M></W>\n' for w, m, g in words(k))  # fmt: skip
    return f'<S id="S{k}"><FORM>{" ".join(w for w, _, _ in words(k))}</FORM><TRANSL xml:lang="en">{free(k)}</TRANSL>{row}</S>\n'


def _dlx(k: int) -> str:
    def word(form: str, morphs: str, gloss: str) -> dict[str, object]:
        both = zip(morphs.split("-"), gloss.split("-"), strict=True)
        return {"transcription": {"p": form}, "morphemes": [{"transcription": {"p": a}, "gloss": {"eng": b}} for a, b in both]}

    return json.dumps({"translation": {"eng": free(k)}, "words": [word(*row) for row in words(k)]}, indent=1)


def _xigt(k: int) -> str:
    def items(name: str, tier: str, of: str, n: int) -> str:
        return f'<tier type="{tier}" id="{name}" {of}>' + "".join(f'<item id="{name}{j + 1}" {f"alignment={chr(34)}w{j + 1}{chr(34)}" if n else ""}>{row[n]}</item>' for j, row in enumerate(words(k))) + "</tier>"  # fmt: skip

    return f'<igt id="i{k}">{items("w", "words", "", 0)}{items("g", "glosses", "alignment=" + chr(34) + "w" + chr(34), 2)}<tier type="translations" id="t"><item id="t1">{free(k)}</item></tier></igt>\n'


def _elan(count: int) -> Iterator[str]:
    yield "<ANNOTATION_DOCUMENT><HEADER/><TIME_ORDER>\n"
    for k in range(2 * count):
        yield f'<TIME_SLOT TIME_SLOT_ID="ts{k}" TIME_VALUE="{k * 500}"/>\n'
    yield '</TIME_ORDER><TIER TIER_ID="tx@A" LINGUISTIC_TYPE_REF="tx">\n'
    for k in range(count):
        yield f'<ANNOTATION><ALIGNABLE_ANNOTATION ANNOTATION_ID="a{k}" TIME_SLOT_REF1="ts{2 * k}" TIME_SLOT_REF2="ts{2 * k + 1}"><ANNOTATION_VALUE>{" ".join(w for w, _, _ in words(k))}</ANNOTATION_VALUE></ALIGNABLE_ANNOTATION></ANNOTATION>\n'
    for name, above, n in (("wd@A", "tx@A", 0), ("ge@A", "wd@A", 2)):
        yield f'</TIER><TIER TIER_ID="{name}" LINGUISTIC_TYPE_REF="{name[:2]}" PARENT_REF="{above}">\n'
        for k in range(count):
            for j, row in enumerate(words(k)):
                reference = f"a{k}" if n == 0 else f"w{k}.{j}"
                before = f' PREVIOUS_ANNOTATION="w{k}.{j - 1}"' if n == 0 and j else ""
                yield f'<ANNOTATION><REF_ANNOTATION ANNOTATION_ID="{"w" if n == 0 else "g"}{k}.{j}" ANNOTATION_REF="{reference}"{before}><ANNOTATION_VALUE>{row[n]}</ANNOTATION_VALUE></REF_ANNOTATION></ANNOTATION>\n'
    yield '</TIER><TIER TIER_ID="ft@A" LINGUISTIC_TYPE_REF="ft" PARENT_REF="tx@A">\n'
    for k in range(count):
        yield f'<ANNOTATION><REF_ANNOTATION ANNOTATION_ID="f{k}" ANNOTATION_REF="a{k}"><ANNOTATION_VALUE>{free(k)}</ANNOTATION_VALUE></REF_ANNOTATION></ANNOTATION>\n'
    kinds = "".join(f'<LINGUISTIC_TYPE LINGUISTIC_TYPE_ID="{name}"{rest}/>' for name, rest in (("tx", ""), ("wd", ' CONSTRAINTS="Symbolic_Subdivision"'), ("ge", ' CONSTRAINTS="Symbolic_Association"'), ("ft", ' CONSTRAINTS="Symbolic_Association"')))  # fmt: skip
    yield f"</TIER>{kinds}</ANNOTATION_DOCUMENT>\n"


def _textgrid(count: int) -> Iterator[str]:
    yield f'File type = "ooTextFile"\nObject class = "TextGrid"\n\nxmin = 0\nxmax = {count}\ntiers? <exists>\nsize = 4\nitem []:\n'
    for number, name in enumerate(("text", "words", "gloss", "translation"), 1):
        n = {"words": 0, "gloss": 2}.get(name)
        size = count if n is None else 5 * count
        yield f'    item [{number}]:\n        class = "IntervalTier"\n        name = "{name}"\n        xmin = 0\n        xmax = {count}\n        intervals: size = {size}\n'
        for k in range(count):
            cells = [(" ".join(w for w, _, _ in words(k)) if name == "text" else free(k), k, k + 1.0)] if n is None else [(row[n], k + j / 5, k + (j + 1) / 5) for j, row in enumerate(words(k))]  # fmt: skip
            for text, begin, end in cells:
                yield f'        intervals [1]:\n            xmin = {begin:.3f}\n            xmax = {end:.3f}\n            text = "{text}"\n'


def _exb(count: int) -> Iterator[str]:
    yield "<basic-transcription><head/><basic-body><common-timeline>\n"
    for k in range(5 * count + 1):
        yield f'<tli id="T{k}" time="{k / 5}"/>\n'
    yield "</common-timeline>\n"
    for name in ("ts", "tx", "ge", "fe"):
        yield f'<tier id="{name}" speaker="S" category="{name}" type="t">\n'
        for k in range(count):
            if name in ("ts", "fe"):
                yield f'<event start="T{5 * k}" end="T{5 * k + 5}">{" ".join(w for w, _, _ in words(k)) if name == "ts" else free(k)}</event>\n'
            else:
                for j, row in enumerate(words(k)):
                    yield f'<event start="T{5 * k + j}" end="T{5 * k + j + 1}">{row[0 if name == "tx" else 2]}</event>\n'
        yield "</tier>\n"
    yield "</basic-body></basic-transcription>\n"


def _table_row(k: int) -> list[str]:
    row = words(k)
    return [str(k), " ".join(w for w, _, _ in row), " ".join(m for _, m, _ in row), " ".join(g for _, _, g in row), free(k)]


def _csv(k: int) -> str:
    return ",".join(f'"{cell}"' for cell in _table_row(k)) + "\n"


def _in_zip(name: str, count: int, parts: dict[str, str], begin: str, row: Callable[[int], str], end: str) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as target:
        for part, text in parts.items():
            target.writestr(part, text, zipfile.ZIP_STORED if part == "mimetype" else zipfile.ZIP_DEFLATED)
        with target.open(name, "w") as stream:
            stream.write(begin.encode())
            for k in range(count):
                stream.write(row(k).encode())
            stream.write(end.encode())
    return out.getvalue()


_WORD = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
_SHEET = 'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main" xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"'
_OPEN = " ".join(f'xmlns:{name}="urn:oasis:names:tc:opendocument:xmlns:{name}:1.0"' for name in ("office", "text", "table"))
_HEADINGS = ["ID", "Text", "Morphemes", "Gloss", "Translation"]


def _xlsx(count: int) -> bytes:
    def row(k: int) -> str:
        cells = "".join(
            f'<c t="inlineStr"><is><t>{escape(cell)}</t></is></c>' for cell in (_HEADINGS if k == 0 else _table_row(k))
        )
        return f'<row r="{k + 1}">{cells}</row>'

    relations = '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="r1" Target="worksheets/sheet1.xml"/></Relationships>'
    book = f'<workbook {_SHEET}><sheets><sheet name="S" sheetId="1" r:id="r1"/></sheets></workbook>'
    parts = {"[Content_Types].xml": "<Types/>", "xl/workbook.xml": book, "xl/_rels/workbook.xml.rels": relations}
    return _in_zip(
        "xl/worksheets/sheet1.xml", count, parts, f"<worksheet {_SHEET}><sheetData>", row, "</sheetData></worksheet>"
    )


def _ods(count: int) -> bytes:
    def row(k: int) -> str:
        cells = "".join(f"<table:table-cell><text:p>{escape(cell)}</text:p></table:table-cell>" for cell in (_HEADINGS if k == 0 else _table_row(k)))  # fmt: skip
        return f"<table:table-row>{cells}</table:table-row>"

    begin = f'<office:document-content {_OPEN}><office:body><office:spreadsheet><table:table table:name="S">'
    parts = {"mimetype": "application/vnd.oasis.opendocument.spreadsheet"}
    return _in_zip("content.xml", count, parts, begin, row, "</table:table></office:spreadsheet></office:body></office:document-content>")  # fmt: skip


def _docx(count: int) -> bytes:
    def row(k: int) -> str:
        rows = words(k)
        lines = ("\t".join(m for _, m, _ in rows), "\t".join(g for _, _, g in rows), f"‘{free(k)}’")
        return "".join(f"<w:p><w:r><w:t>{'' if n else f'({k + 1})'}</w:t><w:tab/>{'<w:tab/>'.join(f'<w:t>{cell}</w:t>' for cell in line.split(chr(9)))}</w:r></w:p>" for n, line in enumerate(lines))  # fmt: skip

    begin = f"<w:document {_WORD}><w:body>"
    return _in_zip("word/document.xml", count, {"[Content_Types].xml": "<Types/>"}, begin, row, "</w:body></w:document>")


def _rows(begin: str, row: Callable[[int], str], end: str = "", between: str = "") -> Callable[[int], Iterator[str]]:
    def pieces(count: int) -> Iterator[str]:
        yield begin
        for k in range(count):
            yield (between if k else "") + row(k)
        yield end

    return pieces


def _of(shape: str) -> Callable[[int], str]:
    return lambda k: _lines(k, shape)


TEXTS: dict[str, tuple[str, Callable[[int], Iterator[str]]]] = {
    "plain": ("txt", _rows("", _of("({k}) {m}\n{g}\n‘{t}’\n\n"))),
    "toolbox": ("sfm", _rows("\\_sh v3.0  400  Text\n\n", _toolbox)),
    "flextext": ("flextext", _rows('<document version="2"><interlinear-text><paragraphs>', _flex, "</paragraphs></interlinear-text></document>\n")),
    "elan": ("eaf", _elan),
    "textgrid": ("TextGrid", _textgrid),
    "exmaralda": ("exb", _exb),
    "latex": ("tex", _rows("\\begin{document}\n", _of("\\ea\\label{{x{k}}}\n\\gll {m}\\\\\n {g}\\\\\n\\glt `{t}'\n\\z\nSome words of prose about it.\n\n"), "\\end{document}\n")),
    "cldf": ("csv", _rows("ID,Primary_Text,Analyzed_Word,Gloss,Translated_Text\n", lambda k: ",".join((str(k), '"' + _table_row(k)[1] + '"', *('"' + _table_row(k)[n].replace(" ", "\\t") + '"' for n in (2, 3)), '"' + free(k) + '"')) + "\n")),
    "csv": ("csv", _rows(",".join(_HEADINGS) + "\n", _csv)),
    "conllu": ("conllu", _rows("", lambda k: f"# sent_id = {k}\n# text_en = {free(k)}\n" + "".join(f"{j}\t{w}\t_\t_\t_\t_\t_\t_\t_\tGloss={g}|MSeg={m}\n" for j, (w, m, g) in enumerate(words(k), 1)) + "\n")),
    "sigmorphon": ("txt", _rows("", _of("\\t {w}\n\\m {m}\n\\g {g}\n\\l {t}\n\n"))),
    "odin": ("txt", _rows("", _of("doc_id=1 igt_id={k} 1 3 L G T\nlanguage: Kolu (kol)\nline=1 tag=L:{m}\nline=2 tag=G:{g}\nline=3 tag=T:`{t}'\n\n"))),
    "xigt": ("xml", _rows("<xigt-corpus>", _xigt, "</xigt-corpus>")),
    "chat": ("cha", _rows("@UTF8\n@Begin\n@Languages:\tkol\n@Participants:\tMOT Mother\n", _of("*MOT:\t{w} .\n%gls:\t{g} .\n%eng:\t{t}\n"), "@End\n")),
    "pangloss": ("xml", _rows('<TEXT xml:lang="kol">', _pangloss, "</TEXT>")),
    "eopas": ("xml", _rows("<eopas><interlinear>", _eopas, "</interlinear></eopas>")),
    "json": ("json", _rows('{"utterances": [', _dlx, "]}", ",\n")),
    "scription": ("txt", _rows("---\ntitle: x\n---\n\n", _of("# {k}\n\\txn {w}\n\\m {m}\n\\gl {g}\n\\tln {t}\n\n"))),
    "wikitext": ("txt", _rows("", _of("{{{{interlinear|number={k}\n|{m}\n|{g}\n|{t}}}}}\n"))),
    "pandoc": ("md", _rows("", _of("::: ex\n| Kolu ({k})\n| {m}\n| {g}\n| {t}\n:::\n\n"))),
}  # fmt: skip
ZIPPED: dict[str, Callable[[int], bytes]] = {"xlsx": _xlsx, "ods": _ods, "docx": _docx}


def write(name: str, megabytes: float, folder: Path) -> tuple[Path, int]:
    """A file of about this size, of which a zipped one has so many megabytes unpacked; and how many sentences it has."""
    size = 1 << 20
    if name in ZIPPED:
        with zipfile.ZipFile(io.BytesIO(ZIPPED[name](100))) as archive:
            one = sum(info.file_size for info in archive.infolist()) / 100
        path, count = folder / f"text.{name}", max(3, round(megabytes * size / one))
        path.write_bytes(ZIPPED[name](count))
        return path, count - (name in ("xlsx", "ods"))
    ending, pieces = TEXTS[name]
    count = max(3, round(megabytes * size / (len("".join(pieces(200)).encode()) / 200)))
    path = folder / f"text.{ending}"
    with path.open("w", encoding="utf-8") as stream:
        stream.writelines(pieces(count))
    return path, count


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--megabytes", type=float, nargs="+", default=[10, 40])
    parser.add_argument("--formats", nargs="+", default=[*TEXTS, *ZIPPED])
    parser.add_argument("--dictionaries", type=Path, nargs="*", default=sorted((DATA / "igt-real2" / "toolbox").glob("dict_*")))
    options = parser.parse_args()
    proj = str(Path(sys.executable).parent / "proj")
    with Table(
        "reading_files", "Reading files of each format", "file", "MB", "sentences", "read", "CPU s", "CPU s per 10 MB", "peak MB", "within 100 MB"
    ) as table:  # fmt: skip
        for name in options.formats:
            for megabytes in [0.0, *options.megabytes] if name == "plain" else options.megabytes:
                with tempfile.TemporaryDirectory() as folder:
                    path, count = write(name, megabytes, Path(folder))
                    used = measure(sys.executable, "-c", READER, str(path))
                    read = int(used.text)
                    rate = f"{10 * used.cpu / megabytes:.1f}" if megabytes else ""
                    table.add(name, f"{megabytes:g}", f"{count:,}", f"{read:,}", f"{used.cpu:.1f}", rate, f"{used.memory:.0f}", "yes" if used.memory < LIMIT_MB else "NO")  # fmt: skip
        for path in options.dictionaries:
            used = measure("sh", "-c", '"$0" check "$1" 2>/dev/null; test $? = 1', proj, str(path))
            table.add(path.name, f"{path.stat().st_size / (1 << 20):.1f}", "", "refused", f"{used.cpu:.1f}", "", f"{used.memory:.0f}", "yes" if used.memory < LIMIT_MB and used.cpu < 2 else "NO")  # fmt: skip


if __name__ == "__main__":
    main()
