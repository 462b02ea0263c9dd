"""LaTeX to text: accents and symbols, small capitals, braces that hold words together."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence

from divproj.io import tex_tipa
from divproj.io.tex_tokens import Token, arguments, group_end, skip_space, tokenized

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
    "textquotedblleft": "“", "textquotedblright": "”", "quad": " ", "qquad": " ", "space": " ", "S": "§", "ob": "[", "cb": "]",
    "op": "(", "cp": ")", "textopenbracket": "[", "textclosebracket": "]", "lbrack": "[", "rbrack": "]", "Zero": "∅", "zero": "∅",
    "nul": "∅", "nulll": "∅", "textemptyset": "∅", "textzerosc": "∅", "redp": "~", "Redp": "~", "textltilde": "ɫ", "textsca": "ᴀ",
    "textscripta": "ɑ", "textturna": "ɐ", "texthtg": "ɠ", "textltaild": "ɖ", "textrtaild": "ɖ", "textrtailt": "ʈ", "textrtaill": "ɭ",
    "textrtailn": "ɳ", "textctz": "ʑ", "textctc": "ɕ", "textphi": "ɸ", "textupsilon": "ʊ", "textscu": "ʊ", "textsci": "ɪ",
    "textscy": "ʏ", "textturnh": "ɥ", "textturnm": "ɯ", "textscg": "ɢ", "textscn": "ɴ", "textscr": "ʀ", "textfishhookr": "ɾ",
    "textlyoghlig": "ɮ", "textinvscr": "ʁ", "textcrh": "ħ", "textrevglotstop": "ʕ", "textdoublebarpipe": "ǂ", "textpipe": "ǀ",
    "textglobfall": "↘", "leftarrow": "←", "textleftarrow": "←", "cdot": "·", "textperiodcentered": "·", "times": "×", "pm": "±",
    "texttimes": "×", "textdegree": "°", "textasciicircum": "^", "textunderscore": "_", "textasteriskcentered": "*", "ast": "*",
    "textgreek": "", "alpha": "α", "beta": "β", "gamma": "γ", "delta": "δ", "theta": "θ", "chi": "χ", "phi": "φ", "lambda": "λ",
    "sigma": "σ", "eng": "ŋ", "textcommabelow": "", "guillemotleft": "«", "guillemotright": "»", "glqq": "„", "grqq": "“",
    "flqq": "«", "frqq": "»", "glq": "‚", "grq": "‘", "textquotedbl": '"', "langle": "<", "rangle": ">", "lt": "<", "gt": ">",
    "lbrace": "{", "rbrace": "}", "dag": "†", "vert": "|", "mid": "|", "slash": "/", "bs": "\\", "textvisiblespace": " ",
}  # fmt: skip
_GRAMS = {
    "First": "1", "Second": "2", "Third": "3", "Fsg": "1SG", "Ssg": "2SG", "Tsg": "3SG", "Fpl": "1PL", "Spl": "2PL",
    "Tpl": "3PL", "Fdu": "1DU", "Sdu": "2DU", "Tdu": "3DU", "Aarg": "A", "Parg": "P", "Sarg": "S", "Io": "IO",
}  # fmt: skip
"""Macros of the `leipzig` package whose names are not their text."""
_PERSON = re.compile(r"(?i)(one|two|three|first|second|third)([a-z]*)")
_DIGITS = {"one": "1", "two": "2", "three": "3", "first": "1", "second": "2", "third": "3"}
_COMMON = (
    "1 2 3 4 a abl abs acc act adess adj adv agr agt all an anim antip ap aor appl art asp aux ben c caus cl clf com comp compl cond conj "
    "conn cont cop cvb dat def deic dem det dim dir dist distr du dur dyn emph erg ess evid excl f fem foc fut gen ger hab hort hum imp "
    "impf imprs inan incl ind indef inf infl ins instr intr inv io ipfv irr irreal iter itr loc lnk m masc mid mod n neg neut nfut nmlz "
    "nmz nom npst ntr o obj obl obv opt p part pass past path pauc per perf pf pfv pl pn poss pot pred prep pres prf prog proh prox prs "
    "prt pst ptcp purp q qnt quot r real rec recp redup ref refl rel rem rep res s sbj seq sg sim sp ss stat sub subj subs sup tam "
    "temp top tr trans v vent ver voc vol"
)
_ABBREVIATIONS = frozenset(_COMMON.split())
_CAPITALS = re.compile(r"sc$|scshape$|^gl[a-z]?$|^gloss$|^smallcaps$")
_DROPPED = {
    "Corpus", "Source", "corpuslink", "trailingcitation", "sound", "idx", "glottolog", "largerpage", "clearpage", "newpage",
    "pagebreak", "enlargethispage", "fnminus", "fnplus", "addtocounter", "setcounter", "hfil", "hbox", "vfill", "smallskip",
    "medskip", "bigskip", "raggedright", "selectlanguage", "color", "attop", "rightsource", "hypertarget",
    "phantomsection", "sindex", "aindex", "lindex", "ilsa", "issa", "exfont", "glossfont", "hspace*", "vspace*", "nocite",
    "url", "includegraphics", "caption", "footcite", "footfullcite", "kern", "hskip", "vskip", "thinspace", "negthinspace",
    "ignorespaces", "unskip", "allowbreak", "break", "leavevmode", "tiny", "scriptsize", "large", "Large", "normalsize", "ttfamily",
    "mdseries", "slshape", "tt", "sl", "sf", "up", "upshape", "hangindent", "parindent", "z", "displaystyle",
    "bf", "bfseries", "centering", "em", "footnote", "footnotemark", "footnotesize", "footnotetext", "glspace", "gltoffset", "hfill", "hphantom", "hspace", "ia", "il", "index", "is", "it", "itshape", "jambox", "label",
    "linebreak", "lingset", "marginpar", "newline", "nogltOffset", "noindent", "nopagebreak", "normalfont", "par",
    "phantom", "protect", "relax", "rm", "rmfamily", "sffamily", "small", "strut", "todo", "vphantom",
    "vspace", "xspace",
}  # fmt: skip
_FORMATS = {
    "textit", "textbf", "emph", "textup", "textrm", "textnormal", "texttt", "textsf", "textsl", "textmd", "uline", "ul", "underline",
    "mbox", "hbox", "text", "ensuremath", "mathrm", "mathit", "textipa", "fbox", "textulc", "uuline", "uwave", "sout", "isi", "ili",
    "isin", "iai", "ipa", "lit", "norm", "foreignlanguage", "textlatin", "textgreek", "mathbf", "makebox", "parbox", "href", "em",
    "textcolor", "textls", "textlsi", "wdef", "obj", "object", "stacktwo", "doublebox", "textinit", "alert", "highlight",
    "tikzmark", "raisebox", "scalebox", "resizebox", "rotatebox", "oldstylenums",
}  # fmt: skip
"""Macros that set their last argument as it is."""
_FIRST_DROPPED = {"foreignlanguage", "textcolor", "href", "makebox", "parbox", "raisebox", "scalebox", "rotatebox"}
_SWITCHES = frozenset((
    "bf", "bfseries", "it", "itshape", "em", "rm", "rmfamily", "sf", "sffamily", "tt", "ttfamily", "sl", "slshape", "up", "upshape",
    "small", "footnotesize", "scriptsize", "tiny", "normalsize", "large", "normalfont", "mdseries", "noindent", "raggedright",
))  # fmt: skip
"""Macros that change the font from here on; TeX skips the blank after them."""
_QUOTES = {"enquote": "“”", "qu": "‘’", "sqt": "‘’", "squote": "‘’", "dquote": "“”", "textquote": "“”", "enquote*": "‘’"}
_BRACKETED = {"textins": "[]", "textelp": "[]"}
_SUPERSCRIPTS = dict(
    zip("0123456789hjrwylsxnɣʔʕbdgkmptuvaeiofcz+-=()ʷʰ", "⁰¹²³⁴⁵⁶⁷⁸⁹ʰʲʳʷʸˡˢˣⁿˠˀˤᵇᵈᵍᵏᵐᵖᵗᵘᵛᵃᵉⁱᵒᶠᶜᶻ⁺⁻⁼⁽⁾ʷʰ", strict=True)
)
_CITES = re.compile(r"^(?:paren|text|auto|full|foot)?cite[a-z]*$|^cite[a-z]*$")
_BARE_CITES = re.compile(r"cite(?:al[tp]|author|year)")
DEEPEST = 50


def words(line: str | Sequence[Token], *, gloss: bool) -> tuple[str, ...]:
    r"""Words of a line: braces hold together what blanks would part; a placeholder (`~`, `{}`) is an empty word.

    >>> words(r"1\textsc{pl} {New York} go-\Pst{}", gloss=True)
    ('1PL', 'New York', 'go-PST')
    """
    tokens = _unwrapped(tokenized([(1, line)]) if isinstance(line, str) else line)
    capitals = gloss and any(token.kind == "macro" and token.text in ("textnormal", "textrm", "normalfont") for token in tokens)
    found: list[str] = []
    at, k, math = 0, 0, False
    while k <= len(tokens):
        kind = tokens[k].kind if k < len(tokens) else "space"
        if kind in ("space", "par") and not math:
            if k > at:
                found.append(_word(tokens[at:k], gloss, capitals))
            at = k + 1
        if kind == "math" or (kind == "macro" and tokens[k].text in "()"):
            math = not math
        if kind == "macro" and tokens[k].text == "sc" and not math:  # the blank after it does not part words
            while k + 1 < len(tokens) and tokens[k + 1].kind == "space":
                k += 1
        if kind == "macro" and tokens[k].text in _SWITCHES and k + 1 < len(tokens) and tokens[k + 1].kind == "space":
            k = skip_space(tokens, k + 1)
            continue
        if kind == "macro" and not gloss and _joins(tokens, k):
            k = skip_space(tokens, k + 1)
            continue
        k = group_end(tokens, k) if kind == "open" else k + 1
    if found and not found[-1] and len(found) > 1 and not any(token.kind in ("open", "tie") for token in tokens[-4:]):
        found.pop()
    return tuple(found)


def _joins(tokens: Sequence[Token], k: int) -> bool:
    """Whether the macro takes the letter after the blank: `\\v s`."""
    name = tokens[k].text
    after = skip_space(tokens, k + 1)
    if after == k + 1 or after >= len(tokens) or tokens[after].kind not in ("text", "macro"):
        return False
    return name in _ACCENTS or (name.isalpha() and _SYMBOLS.get(name, "").isalpha())


def _unwrapped(tokens: Sequence[Token]) -> Sequence[Token]:
    """A line that stands in one formatting macro, without it."""
    for _ in range(DEEPEST):
        start = next((k for k, token in enumerate(tokens) if token.kind not in ("space", "par")), len(tokens))
        end = next((k for k in range(len(tokens), start, -1) if tokens[k - 1].kind not in ("space", "par")), start)
        inner = tokens[start:end]
        if (
            len(inner) < 4
            or inner[0].kind != "macro"
            or inner[0].text not in _FORMATS - _FIRST_DROPPED
            or inner[1].kind != "open"
        ):
            return inner
        if group_end(inner, 1) != len(inner) or inner[-1].kind != "close" or not any(t.kind == "space" for t in inner):
            return inner
        tokens = inner[2:-1]
    return tokens


def _word(tokens: Sequence[Token], gloss: bool, capitals: bool) -> str:
    text = typographic(" ".join(_Text(gloss, capitals).of(tokens).split()))
    return unicodedata.normalize("NFC", text) if _accented_text(text) else text


def plain(text: str | Sequence[Token], *, gloss: bool = False) -> str:
    r"""The text that LaTeX would set; in glosses macros without arguments are grams.

    >>> plain(r"d\'{e}j\`a {\sc pst}"), plain(r"\Third{}.\F{}", gloss=True)
    ('déjà PST', '3.F')
    """
    said = _Text(gloss, False).of(tokenized([(1, text)])[:-1] if isinstance(text, str) else text)
    return unicodedata.normalize("NFC", said) if _accented_text(said) else said


def typographic(text: str) -> str:
    """TeX's quotes as characters; a run of three opens with the single one.

    >>> typographic("```Who?''' it's ``so''")
    "‘“Who?”’ it's “so”"
    """
    text = text.replace("```", "‘“").replace("'''", "”’").replace("``", "“").replace("''", "”")
    text = text.replace("´", "’") if "`" in text else text
    return text.replace("`", "‘")


def _accented_text(text: str) -> bool:
    return any(mark in text for mark in _ACCENTS.values())


class _Text:
    """Tokens to text: in glosses unknown macros are grams; with `capitals` what has no font of its own is a gram too."""

    def __init__(self, gloss: bool, capitals: bool) -> None:
        self.gloss, self.capitals = gloss, capitals

    def of(self, tokens: Sequence[Token], depth: int = 0) -> str:
        found: list[str] = []
        k, math = 0, False
        if depth > DEEPEST:
            return ""
        while k < len(tokens):
            token = tokens[k]
            if token.kind == "macro":
                said, k = self._macro(tokens, k, depth, math)
                if token.text in "()" and token.text:
                    math = token.text == "("
                found.append(said)
                continue
            if token.kind == "open":
                end = group_end(tokens, k)
                inner = tokens[k + 1 : end - 1 if tokens[end - 1].kind == "close" and end - 1 > k else end]
                found.append(self.of(inner, depth + 1))
                k = end
                continue
            if token.kind == "math":
                math = not math
            elif math and token.kind == "text" and re.search(r"[\^_]", token.text):
                said, k = self._scripts(tokens, k, depth)
                found.append(said)
                continue
            elif token.kind != "close":
                text = " " if token.kind in ("space", "tie", "par", "break") else token.text
                found.append(text.upper() if self.capitals else text)
            k += 1
        return "".join(found)

    def _scripts(self, tokens: Sequence[Token], k: int, depth: int) -> tuple[str, int]:
        """What `^` raises as letters that are raised, where there are such; what `_` lowers is an index and goes."""
        text = tokens[k].text
        mark = re.search(r"[\^_]", text)
        assert mark
        before, raised, rest = text[: mark.start()], mark[0] == "^", text[mark.end() :]
        if rest:
            return before + (_raised(rest[0]) if raised else "") + (
                rest[1:] if not re.search(r"[\^_]", rest[1:]) else ""
            ), k + 1
        options, found, end = arguments(tokens, k + 1)
        del options
        if not found:
            return before, min(k + 2, len(tokens)) if k + 1 < len(tokens) and tokens[k + 1].kind == "macro" else k + 1
        return before + (_raised(self.of(found[0], depth + 1), found[0]) if raised else ""), end

    def _macro(self, tokens: Sequence[Token], k: int, depth: int, math: bool) -> tuple[str, int]:
        """Text of a macro and its arguments, and where they end."""
        name = tokens[k].text
        k += 1
        follows = tokens[k] if k < len(tokens) else Token("par", "", 0)
        if name in _ACCENTS and (not name.isalpha() or follows.kind == "open" or (follows.kind == "space" and not self.gloss)):
            return self._accented(_ACCENTS[name], tokens, k, depth)
        if not name or not name[0].isalpha():
            shown = {" ": " ", "-": "", "/": "", ",": "", ";": "", ":": "", "!": "", "\n": " ", "@": "", "*": "", "(": "", ")": "",
                     "[": "", "]": "", "\t": " "}  # fmt: skip
            return shown.get(name, name), k
        bare = name.rstrip("*")
        if bare in _SYMBOLS and not (self.gloss and len(bare) == 1 and bare not in "oOlLij"):
            if follows.kind == "open" and k + 1 < len(tokens) and tokens[k + 1].kind == "close":
                return _SYMBOLS[bare], k + 2
            swallows = follows.kind == "space" and not self.gloss and (_SYMBOLS[bare].isalpha() or len(bare) < 3)
            return _SYMBOLS[bare], skip_space(tokens, k) if swallows else k
        if bare in ("sc", "scshape"):
            return self.of(tokens[skip_space(tokens, k) :], depth + 1).upper(), len(tokens)
        return self._with_arguments(name, bare, tokens, k, depth, math)

    def _with_arguments(self, name: str, bare: str, tokens: Sequence[Token], k: int, depth: int, math: bool) -> tuple[str, int]:
        options, found, end = arguments(tokens, k)
        if bare in _DROPPED or name in _DROPPED:
            return "", end
        if _CITES.match(bare):
            parts = [self.of(part, depth + 1) for part in (*found[:1], *options[-1:])]
            said = ": ".join(part for part in parts if part)
            return (said if _BARE_CITES.match(bare) else f"({said})"), end
        if bare in ("textsuperscript", "tss", "sups"):
            return (_raised(self.of(found[0], depth + 1), found[0]), end) if found else ("", k)
        if bare in ("textsubscript", "tsub", "subs", "textsubscr", "subM"):
            return "", end
        if bare in _BRACKETED:
            inner = "".join(self.of(part, depth + 1) for part in found[:1]) or "…"
            return f"[{inner}]", end
        if bare in _QUOTES:
            inner = "".join(self.of(part, depth + 1) for part in found[:1])
            return f"{_QUOTES[bare][0]}{inner}{_QUOTES[bare][1]}", end
        if any(found):
            return self._set(bare, found, depth), end
        after = end if found else k
        if bare in _FORMATS:
            return "", after
        if self.gloss:
            return _gram(bare), after
        return "", after

    def _set(self, bare: str, found: list[Sequence[Token]], depth: int) -> str:
        """What a macro makes of its arguments."""
        known = bare in _FORMATS
        if bare == "textipa":
            found = [tex_tipa.shown(part) for part in found]
        if bare in _FIRST_DROPPED:
            found = found[1:]
        inside = _Text(self.gloss, self.capitals and bare not in ("textnormal", "textrm", "textup"))
        said = "".join(inside.of(part, depth + 1) for part in found)
        if not known and (_CAPITALS.search(bare) or (self.gloss and _is_gram(said.strip()))):
            return said.upper()
        return said

    def _accented(self, mark: str, tokens: Sequence[Token], k: int, depth: int) -> tuple[str, int]:
        k = skip_space(tokens, k)
        if k >= len(tokens):
            return mark, k
        token = tokens[k]
        if token.kind == "open":
            end = group_end(tokens, k)
            base, rest, k = self.of(tokens[k:end], depth + 1), "", end
        elif token.kind == "macro":
            base, k = self._macro(tokens, k, depth + 1, False) if depth < DEEPEST else ("", k + 1)
            rest = ""
        elif token.kind == "text":
            base, rest, k = token.text[:1], token.text[1:], k + 1
        else:
            base, rest = "", ""
        base = {"ı": "i", "ȷ": "j"}.get(base, base)
        return unicodedata.normalize("NFC", base[:1] + mark + base[1:]) + (rest.upper() if self.capitals else rest), k


def _gram(name: str) -> str:
    """The abbreviation that a macro without arguments stands for.

    >>> _gram("Fsg"), _gram("Acc"), _gram("twoPl")
    ('1SG', 'ACC', '2PL')
    """
    person = _PERSON.fullmatch(name)
    if name not in _GRAMS and person:
        return _DIGITS[person[1].lower()] + person[2].upper()
    return _GRAMS.get(name, name.upper())


def _is_gram(text: str) -> bool:
    """Whether the argument of an unknown macro is an abbreviation of grammar, rather than a word that is set apart."""
    pieces = re.split(r"[-.:/=~>]|(?<=\d)(?=\D)", text.casefold())
    return " " not in text and any(piece in _ABBREVIATIONS for piece in pieces)


def _raised(text: str, tokens: Sequence[Token] = ()) -> str:
    """Raised letters and digits; a raised note of capitals or a macro is markup and goes."""
    if any(token.kind == "macro" and token.text.isalpha() for token in tokens) or len(text) > 3:
        return ""
    return "".join(char if char in "*?#%!" else _SUPERSCRIPTS.get(char, "") for char in text)
