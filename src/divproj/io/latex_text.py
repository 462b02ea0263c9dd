"""LaTeX to text: accents and symbols, small capitals, braces that hold words together."""

from __future__ import annotations

import re
import unicodedata

_ACCENTS = {"'": "\u0301", "`": "\u0300", "^": "\u0302", '"': "\u0308", "~": "\u0303", "=": "\u0304", ".": "\u0307",
            "c": "\u0327", "v": "\u030c", "u": "\u0306", "H": "\u030b", "k": "\u0328", "d": "\u0323", "b": "\u0331",
            "r": "\u030a", "t": "\u0361"}  # fmt: skip
_SYMBOLS = {
    "i": "ı", "j": "ȷ", "ss": "ß", "ae": "æ", "AE": "Æ", "oe": "œ", "OE": "Œ", "o": "ø", "O": "Ø", "l": "ł", "L": "Ł",
    "aa": "å", "AA": "Å", "dh": "ð", "DH": "Ð", "th": "þ", "TH": "Þ", "ng": "ŋ", "NG": "Ŋ", "dj": "đ", "DJ": "Đ",
    "textglotstop": "ʔ", "textschwa": "ə", "textesh": "ʃ", "textyogh": "ʒ", "textepsilon": "ɛ", "textopeno": "ɔ",
    "textltailn": "ɲ", "textbeltl": "ɬ", "textbari": "ɨ", "textbaru": "ʉ", "textlengthmark": "ː", "textprimstress": "ˈ",
    "textramshorns": "ɤ", "texthtb": "ɓ", "texthtd": "ɗ", "textgamma": "ɣ", "textbeta": "β", "texttheta": "θ",
    "textchi": "χ", "textturnv": "ʌ", "textasciitilde": "~", "sim": "~", "textbackslash": "\\", "emptyset": "∅",
    "varnothing": "∅", "rightarrow": "→", "textrightarrow": "→", "to": "→", "textgreater": ">", "textless": "<",
    "ldots": "…", "dots": "…", "textellipsis": "…", "textquotesingle": "'", "textbar": "|", "textendash": "–",
    "textemdash": "—", "prime": "′", "textquoteleft": "‘", "textquoteright": "’", "lq": "‘", "rq": "’",
    "textquotedblleft": "“", "textquotedblright": "”", "quad": " ", "qquad": " ", "space": " ", "S": "§",
}  # fmt: skip
_GRAMS = {
    "First": "1", "Second": "2", "Third": "3", "Fsg": "1SG", "Ssg": "2SG", "Tsg": "3SG", "Fpl": "1PL", "Spl": "2PL",
    "Tpl": "3PL", "Fdu": "1DU", "Sdu": "2DU", "Tdu": "3DU", "Aarg": "A", "Parg": "P", "Sarg": "S", "Io": "IO",
}  # fmt: skip
"""Macros of the `leipzig` package whose names are not their text."""
_CAPITALS = re.compile(r"sc$|scshape$|^gl$|^gloss$|^smallcaps$")
_DROPPED = {
    "bf", "bfseries", "centering", "em", "footnote", "footnotemark", "footnotesize", "footnotetext", "glossfont",
    "glspace", "gltoffset", "hfill", "hphantom", "hspace", "ia", "il", "index", "is", "it", "itshape", "jambox", "label",
    "linebreak", "lingset", "marginpar", "newline", "nogltOffset", "noindent", "nopagebreak", "normalfont", "par",
    "phantom", "protect", "relax", "rm", "rmfamily", "sffamily", "small", "strut", "todo", "upshape", "vphantom",
    "vspace", "xspace",
}  # fmt: skip
_CITES = re.compile(r"^(?:paren|text|auto|full|foot)?cite[a-z]*$|^cite[a-z]*$")
DEEPEST = 50


def words(line: str, *, gloss: bool) -> tuple[str, ...]:
    r"""Words of a line: braces hold together what blanks would part.

    >>> words(r"1\textsc{pl} {New York} go-\Pst{}", gloss=True)
    ('1PL', 'New York', 'go-PST')
    """
    if not gloss:
        line = re.sub(r"\\([cvuHkdbrt])\s+([A-Za-z]|\\[ij])", r"\\\1{\2}", line)
    found, at, depth, math = [], 0, 0, False
    k = 0
    while k <= len(line):
        char = line[k : k + 1]
        if not char or (char.isspace() and depth == 0 and not math):
            if k > at:
                found.append(plain(line[at:k], gloss=gloss).strip())
            at = k + 1
        elif char == "\\":
            k += 1
        elif char == "{":
            depth += 1
        elif char == "}":
            depth -= 1
        elif char == "$":
            math = not math
        k += 1
    return tuple(found)


def plain(text: str, *, gloss: bool = False, depth: int = 0) -> str:
    r"""The text that LaTeX would set; in glosses macros without arguments are grams.

    >>> plain(r"d\'{e}j\`a {\sc pst}"), plain(r"\Third{}.\F{}", gloss=True)
    ('déjà PST', '3.F')
    """
    if depth > DEEPEST:
        return text
    found: list[str] = []
    k = 0
    while k < len(text):
        char = text[k]
        if char == "\\":
            name, k = _name(text, k + 1)
            said, k = _macro(name, text, k, gloss, depth)
            found.append(said)
        elif char == "{":
            inner, k = group(text, k)
            found.append(plain(inner, gloss=gloss, depth=depth + 1))
        elif char in "}$":
            k += 1
        else:
            found.append(" " if char == "~" else char)
            k += 1
    return (
        unicodedata.normalize("NFC", "".join(found))
        if any(mark in "".join(found) for mark in _ACCENTS.values())
        else "".join(found)
    )


def _name(text: str, k: int) -> tuple[str, int]:
    """Name of the macro after a backslash, and where it ends."""
    found = re.compile(r"[A-Za-z]+\*?|.|$", re.DOTALL).match(text, k)
    assert found
    return found[0], found.end()


def group(text: str, k: int) -> tuple[str, int]:
    """What stands in the braces that open at `k`, and where they end; to the end of the text when they are not closed."""
    level = 0
    for j in range(k, len(text)):
        if text[j] == "{" and text[j - 1 : j] != "\\":
            level += 1
        elif text[j] == "}" and text[j - 1 : j] != "\\":
            level -= 1
            if not level:
                return text[k + 1 : j], j + 1
    return text[k + 1 :], len(text)


def _arguments(text: str, k: int) -> tuple[list[str], list[str], int]:
    """Optional and other arguments that follow directly."""
    options: list[str] = []
    found: list[str] = []
    while k < len(text):
        if text[k] == "[" and not found and "]" in text[k:]:
            end = text.index("]", k)
            options.append(text[k + 1 : end])
            k = end + 1
        elif text[k] == "{":
            inner, k = group(text, k)
            found.append(inner)
        else:
            break
    return options, found, k


def _macro(name: str, text: str, k: int, gloss: bool, depth: int) -> tuple[str, int]:
    """Text of a macro and its arguments, and where they end."""
    if name in _ACCENTS and (name not in "cvuHkdbrt" or text[k : k + 1] in ("{", " ")):
        return _accented(_ACCENTS[name], text, k)
    if not name or not name[0].isalpha():
        return {" ": " ", "-": "", "/": "", ",": "", ";": "", ":": "", "!": "", "\\": " ", "@": "", "*": ""}.get(name, name), k
    name = name.rstrip("*")
    if name in _SYMBOLS and not (gloss and len(name) == 1):
        return _SYMBOLS[name], k + 2 if text[k : k + 2] == "{}" else k
    if name in ("sc", "scshape"):
        return plain(text[k:].lstrip(), gloss=gloss, depth=depth + 1).upper(), len(text)
    options, found, end = _arguments(text, k) if name not in _DROPPED or text[k : k + 1] in ("{", "[") else ([], [], k)
    if name in _DROPPED:
        return "", end
    if _CITES.match(name):
        return f"({': '.join([*found[:1], *options[-1:]])})", end
    if any(found):
        said = "".join(plain(part, gloss=gloss, depth=depth + 1) for part in found)
        if name == "textsubscript":
            said = f"_{said}"
        return (said.upper() if _CAPITALS.search(name) else said), end
    if gloss:
        return _GRAMS.get(name, name.upper()), end if found else k
    return f"\\{name}", end if found else k


def _accented(mark: str, text: str, k: int) -> tuple[str, int]:
    while text[k : k + 1] == " ":
        k += 1
    if text[k : k + 1] == "{":
        base, k = group(text, k)
    elif text[k : k + 1] == "\\":
        name, k = _name(text, k + 1)
        base = f"\\{name}"
    else:
        base, k = text[k : k + 1], k + 1
    said = plain(base).replace("ı", "i").replace("ȷ", "j")
    return said[:1] + mark + said[1:], k
