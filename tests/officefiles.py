"""Files of Word, Writer, Excel and Calc for tests, and TextGrids: no more than their programs need to open them."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Mapping, Sequence
from xml.sax.saxutils import escape

WORD = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
SHEET = 'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main" xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"'
RELATIONS = 'xmlns="http://schemas.openxmlformats.org/package/2006/relationships"'
OPEN = " ".join(
    f'xmlns:{name}="urn:oasis:names:tc:opendocument:xmlns:{name}:1.0"' for name in ("office", "text", "table", "style", "fo")
)
TYPES = '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"/>'


def packed(parts: Mapping[str, str]) -> bytes:
    """A zip archive of XML parts; the part `mimetype` is the first and is not compressed."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as target:
        for name, text in parts.items():
            info = zipfile.ZipInfo(name, (2020, 1, 1, 0, 0, 0))
            target.writestr(info, text, zipfile.ZIP_STORED if name == "mimetype" else zipfile.ZIP_DEFLATED)
    return out.getvalue()


def letter(column: int) -> str:
    return "ABCDEFGHIJKLMNOPQRSTUVWXYZ"[column]


def xlsx(sheets: Mapping[str, Sequence[Sequence[str]]], *, shared: bool = True) -> bytes:
    """A workbook; empty cells are left out, as Excel does."""
    strings: dict[str, int] = {}
    parts = {"[Content_Types].xml": TYPES}
    for k, rows in enumerate(sheets.values(), 1):
        xml = ""
        for number, row in enumerate(rows, 1):
            cells = ""
            for column, value in enumerate(row):
                if not value:
                    continue
                place = f'r="{letter(column)}{number}"'
                if value.isdecimal():
                    cells += f"<c {place}><v>{value}</v></c>"
                elif shared:
                    cells += f'<c {place} t="s"><v>{strings.setdefault(value, len(strings))}</v></c>'
                else:
                    cells += f'<c {place} t="inlineStr"><is><r><t>{escape(value[:1])}</t></r><r><t>{escape(value[1:])}</t></r></is></c>'
            if cells:
                xml += f'<row r="{number}" spans="1:{len(row)}">{cells}</row>'
        parts[f"xl/worksheets/sheet{k}.xml"] = f"<worksheet {SHEET}><sheetData>{xml}</sheetData></worksheet>"
    named = "".join(f'<sheet name="{escape(name)}" sheetId="{k}" r:id="rId{k}"/>' for k, name in enumerate(sheets, 1))
    links = "".join(f'<Relationship Id="rId{k}" Target="worksheets/sheet{k}.xml"/>' for k in range(1, len(sheets) + 1))
    parts["xl/workbook.xml"] = f"<workbook {SHEET}><sheets>{named}</sheets></workbook>"
    parts["xl/_rels/workbook.xml.rels"] = f"<Relationships {RELATIONS}>{links}</Relationships>"
    items = "".join(f"<si><t>{escape(text)}</t></si>" for text in strings)
    parts["xl/sharedStrings.xml"] = f"<sst {SHEET}>{items}</sst>"
    return packed(parts)


def opened(kind: str, body: str, styles: str = "") -> bytes:
    content = f"<office:document-content {OPEN}><office:automatic-styles>{styles}</office:automatic-styles><office:body>{body}</office:body></office:document-content>"
    return packed({"mimetype": f"application/vnd.oasis.opendocument.{kind}", "content.xml": content})


def ods(sheets: Mapping[str, Sequence[Sequence[str]]]) -> bytes:
    """A spreadsheet, with a million empty rows at the end of each table."""
    body = ""
    for name, rows in sheets.items():
        lines = "".join(
            "<table:table-row>"
            + "".join(
                f"<table:table-cell><text:p>{escape(value)}</text:p></table:table-cell>" if value else "<table:table-cell/>"
                for value in row
            )
            + '<table:table-cell table:number-columns-repeated="16000"/></table:table-row>'
            for row in rows
        )
        empty = '<table:table-row table:number-rows-repeated="1048000"><table:table-cell table:number-columns-repeated="16384"/></table:table-row>'
        body += f'<table:table table:name="{escape(name)}">{lines}{empty}</table:table>'
    return opened("spreadsheet", f"<office:spreadsheet>{body}</office:spreadsheet>")


def run(text: str) -> str:
    """Text of Word, with small capitals between `^`, tabs and line ends as elements of their own."""
    out = ""
    for k, part in enumerate(text.split("^")):
        about = "<w:rPr><w:smallCaps/></w:rPr>" if k % 2 else ""
        inner = (
            escape(part)
            .replace("\t", '</w:t><w:tab/><w:t xml:space="preserve">')
            .replace("\n", '</w:t><w:br/><w:t xml:space="preserve">')
        )
        out += f'<w:r>{about}<w:t xml:space="preserve">{inner}</w:t></w:r>' if part else ""
    return out


def paragraph(text: str, about: str = "") -> str:
    return f"<w:p>{f'<w:pPr>{about}</w:pPr>' if about else ''}{run(text)}</w:p>"


def table(rows: Sequence[Sequence[str]]) -> str:
    """A table; the last cell of a short row spans the columns that are left."""
    width = max(map(len, rows))
    out = ""
    for row in rows:
        cells = ""
        for k, cell in enumerate(row):
            span = width - len(row) + 1 if k == len(row) - 1 else 1
            about = f'<w:tcPr><w:gridSpan w:val="{span}"/></w:tcPr>' if span > 1 else ""
            cells += f"<w:tc>{about}{''.join(map(paragraph, cell.split(chr(10))))}</w:tc>"
        out += f"<w:tr>{cells}</w:tr>"
    return f"<w:tbl>{out}</w:tbl>"


def docx(*blocks: str, styles: str = "") -> bytes:
    body = f"<w:document {WORD}><w:body>{''.join(blocks)}</w:body></w:document>"
    return packed(
        {"[Content_Types].xml": TYPES, "word/document.xml": body, "word/styles.xml": f"<w:styles {WORD}>{styles}</w:styles>"}
    )


def odt(*lines: str) -> bytes:
    """A text of Writer, with small capitals between `^`."""
    body = ""
    for line in lines:
        text = ""
        for k, part in enumerate(line.split("^")):
            inner = escape(part).replace("\t", "<text:tab/>").replace("\n", "<text:line-break/>")
            text += f'<text:span text:style-name="T1">{inner}</text:span>' if k % 2 else inner
        body += f"<text:p>{text}</text:p>"
    styles = (
        '<style:style style:name="T1" style:family="text"><style:text-properties fo:font-variant="small-caps"/></style:style>'
    )
    return opened("text", f"<office:text>{body}</office:text>", styles)


Interval = tuple[float, float, str]


def textgrid(tiers: Mapping[str, Sequence[Interval]], *, short: bool = False) -> str:
    last = max(end for values in tiers.values() for _, end, _ in values)
    if short:
        lines = ['File type = "ooTextFile"', 'Object class = "TextGrid"', "", "0", f"{last}", "<exists>", f"{len(tiers)}"]
        for name, values in tiers.items():
            lines += ['"IntervalTier"', f'"{name}"', "0", f"{last}", f"{len(values)}"]
            lines += [
                cell for begin, end, text in values for cell in (f"{begin}", f"{end}", '"' + text.replace('"', '""') + '"')
            ]
        return "\n".join(lines) + "\n"
    lines = [
        'File type = "ooTextFile"',
        'Object class = "TextGrid"',
        "",
        "xmin = 0 ",
        f"xmax = {last} ",
        "tiers? <exists> ",
        f"size = {len(tiers)} ",
        "item []: ",
    ]
    for k, (name, values) in enumerate(tiers.items(), 1):
        lines += [f"    item [{k}]:", '        class = "IntervalTier" ', f'        name = "{name}" ', "        xmin = 0 ", f"        xmax = {last} ", f"        intervals: size = {len(values)} "]  # fmt: skip
        for n, (begin, end, text) in enumerate(values, 1):
            said = text.replace('"', '""')
            lines += [
                f"        intervals [{n}]:",
                f"            xmin = {begin} ",
                f"            xmax = {end} ",
                f'            text = "{said}" ',
            ]
    return "\n".join(lines) + "\n"


Event = tuple[int, int, str]


def exb(tiers: Mapping[tuple[str, str], Sequence[Event]], speakers: Mapping[str, str]) -> str:
    """A basic transcription; tiers by category and id of the speaker."""
    last = max(end for events in tiers.values() for _, end, _ in events)
    line = "".join(f'<tli id="T{k}" time="{k / 2}"/>' if k % 3 else f'<tli id="T{k}"/>' for k in range(last + 1))
    people = "".join(f'<speaker id="{key}"><abbreviation>{name}</abbreviation></speaker>' for key, name in speakers.items())
    body = ""
    for k, ((category, speaker), events) in enumerate(tiers.items()):
        said = f' speaker="{speaker}"' if speaker else ""
        rows = "".join(f'<event start="T{begin}" end="T{end}">{escape(text)}</event>' for begin, end, text in events)
        body += f'<tier id="TIE{k}"{said} category="{category}" type="t" display-name="{category}">{rows}</tier>\n'
    return (
        f'<?xml version="1.0" encoding="UTF-8"?>\n<basic-transcription><head><speakertable>{people}</speakertable></head>\n'
        f"<basic-body><common-timeline>{line}</common-timeline>\n{body}</basic-body></basic-transcription>\n"
    )
