"""Plain text whose first block says by markers what the lines of all blocks are (the format *scription*)."""

from __future__ import annotations

import re

from divproj.data.errors import Faults, FormatError, Where
from divproj.data.igt import Igt
from divproj.io.igt_parts import columns, instance, preferred, squeezed, unquoted, without_judgement
from divproj.io.igt_text import Options

ROLES = {
    "trs": "words", "txn": "words", "tx": "words", "t": "words", "phon": "line", "m": "segments", "mb": "segments", "mor": "segments",
    "gl": "glosses", "ge": "glosses", "g": "glosses", "gls": "glosses", "w": "line", "wlt": "word_glosses", "tln": "translation",
    "ft": "translation", "tr": "translation", "lit": "lit", "sp": "speaker", "s": "source", "n": "note", "cl": "tags", "ps": "tags",
}  # fmt: skip
"""What the markers stand for; a language code may follow, `tln-en`."""
_MARKED = re.compile(r"\\([a-z]{1,4})(?:-([a-z]{2,3}))?(?:\s+(.*)|\s*)$", re.DOTALL)
_ID = re.compile(r"#\s*(.*\S)\s*$")


class Order:
    """The order of the lines, once a block has said it."""

    def __init__(self) -> None:
        self.roles: list[tuple[str, str]] = []
        self.header: list[tuple[str, str]] = []

    def head(self, block: list[tuple[int, str]]) -> list[tuple[int, str]]:
        """The lines after the head of a file, which stands between `---`; what it says is kept."""
        end = next((k for k, (_, line) in enumerate(block[1:], 1) if line.strip() == "---"), 0)
        if not end:
            return block
        for _, line in block[1:end]:
            key, colon, value = line.partition(":")
            if colon and value.strip():
                self.header.append((f"text-{key.strip().lower()}", value.strip()))
        return block[end + 1 :]

    def is_ordered(self, block: list[tuple[int, str]]) -> bool:
        """Whether the lines of a block have markers, or follow an order that was said before."""
        body = [line for _, line in block if not line.startswith("#")]
        marked = [found for line in body if (found := _MARKED.match(line)) and found[1] in ROLES]
        if body and len(marked) == len(body) and any(ROLES[found[1]] == "words" for found in marked):
            self.roles = [(ROLES[found[1]], found[2] or "") for found in marked]
            return True
        return bool(self.roles) and len(body) == len(self.roles) and not marked

    def instance(self, block: list[tuple[int, str]], path: str, faults: Faults, options: Options) -> Igt:
        sent_id = ""
        values: list[str] = []
        meta = list(self.header)
        for _, line in block:
            name = _ID.match(line)
            if name and not values:
                if sent_id:
                    meta.append(("note", name[1]))
                sent_id = sent_id or name[1]
            else:
                found = _MARKED.match(line)
                values.append((found[3] or "") if found else line)
        by_role: dict[str, str] = {}
        free: list[tuple[str, str]] = []
        for (role, code), value in zip(self.roles, values, strict=True):
            if role == "translation":
                free.append((code, unquoted(value)[0]))
            elif role in ("words", "segments", "glosses", "tags") and role not in by_role:
                by_role[role] = value
            else:
                meta.append((role, squeezed(value)))
        judgement, first = without_judgement(by_role.get("words", ""))
        aligned = [role for role in ("segments", "glosses", "tags") if by_role.get(role, "").strip()]
        rows = columns([first, *(by_role[role] for role in aligned)])
        cells = dict(zip(("words", *aligned), rows, strict=True))
        cells = {role: tuple("" if cell == "~" and role != "words" else cell for cell in row) for role, row in cells.items()}
        if len(cells["words"]) != len(cells.get("glosses", cells["words"])):
            what = f"{len(cells['words'])} words but {len(cells['glosses'])} glosses"
            faults.kept(FormatError(what, Where(path, block[0][0], sent_id), "write one gloss for each word"))
        translation, translations = preferred(free, options.lang, stated=True)
        return instance(
            cells["words"],
            cells.get("segments", ()),
            cells.get("glosses", ()),
            cells.get("tags", ()),
            translation=translation,
            translations=translations,
            judgement=judgement,
            sent_id=sent_id,
            meta=meta,
            where=Where(path, block[0][0], sent_id),
        )
