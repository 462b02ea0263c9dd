r"""LaTeX to text, as far as linguistic examples need it.

    \newcommand{\Pl}{\textsc{pl}}  % the file's own macro
    d\'{e}j\`a {New York} dog-\Pl{}   ->   tokens with \Pl expanded   ->   words ('déjà', 'New York', 'dog-PL')

The first half makes tokens: macros, groups, breaks, blank lines; comments are removed and the file's own macros expanded. The
second half turns tokens into text: accents and symbols, small capitals as capitals, phonetic letters inside `\textipa{…}`.

This is not TeX: category codes never change and nothing is executed. It does what is needed to find examples, and to know which
braces, arguments and line ends belong to them.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

LONGEST = 2_000_000
"""Tokens after expansion; a file whose macros make more is read without expanding the rest."""
DEEPEST_MACRO = 20
"""Macros that call one another."""
_COMMENT = re.compile(r"(?<!\\)((?:\\\\)*)%.*$")
_ADDRESS = re.compile(r"\\(?:href|url|nolinkurl|path|hyperimage)\s*\{[^{}]*\}")
"""Addresses, in which a percent sign is one."""
_VERB = re.compile(r"\\verb\*?([^\w\s*])(.*?)\1")
_PIECE = re.compile(
    r"""(?P<linguex>\\(?:ex(?:i|r)?g?|[a-h]g?|z)\.(?=[^\d.]|\Z))
    |(?P<break>\\\\\*?(?:\[[-+\d.]*\s*[a-zA-Z\\]*\])?)
    |\\(?P<macro>[A-Za-z@]+\*?|[^\W\d_]|.|\Z)
    |(?P<open>\{)|(?P<close>\})|(?P<math>\$\$?)
    |(?P<tie>~)|(?P<slashes>//)|(?P<par>\n[ \t]*(?:\n[ \t]*)+)|(?P<space>[ \t\n\u00a0\u2003]+)
    |(?P<text>[\[\]]|/|[^\\{}$~\[\]/\s]+|.)""",
    re.VERBOSE | re.DOTALL,
)
_SKIPPED = ("comment", "verbatim", "lstlisting", "filecontents")
_DEFINES = {"newcommand", "renewcommand", "providecommand", "DeclareRobustCommand", "newcommand*", "renewcommand*",
            "providecommand*", "DeclareRobustCommand*", "def", "gdef", "edef", "NewDocumentCommand", "RenewDocumentCommand",
            "newleipzig", "DeclareMathOperator"}  # fmt: skip


class TexToken(NamedTuple):
    """A piece of LaTeX: `kind` is one of macro open close text tie math break slashes space par."""

    kind: str
    text: str
    line: int


class Definition(NamedTuple):
    """A macro that the file itself defines."""

    arguments: int
    default: tuple[TexToken, ...] | None
    body: tuple[TexToken, ...]


def tokenize(numbered: Iterable[tuple[int, str]]) -> list[TexToken]:
    """Tokens of numbered lines, without comments."""
    tokens: list[TexToken] = []
    pieces: list[str] = []
    starts: list[tuple[int, int]] = []
    at = 0
    for number, line in numbered:
        line = _VERB.sub("", line)
        if "%" in line:
            line = _ADDRESS.sub(lambda match: match[0].replace("%", ""), line)
        bare = _COMMENT.sub(r"\1", line)
        commented = len(bare) < len(line)
        if commented and not bare.strip():
            continue
        text = bare.lstrip() if pieces and not pieces[-1].endswith("\n") else bare
        text = text if commented else text.rstrip() + "\n"
        pieces.append(text)
        starts.append((at, number))
        at += len(text)
    source = "".join(pieces)
    here = 0
    for match in _PIECE.finditer(source):
        while here + 1 < len(starts) and starts[here + 1][0] <= match.start():
            here += 1
        kind = match.lastgroup or "text"
        text = match[kind]
        if kind == "linguex":
            kind, text = "macro", text[1:]
        elif kind == "break":
            text = "\\\\"
        tokens.append(TexToken(kind, text, starts[here][1]))
    return list(_visible_tokens(tokens))


_PARTS = frozenset(("chapter", "section", "subsection", "subsubsection", "chapter*", "section*", "subsection*", "part", "end"))
"""Macros over which no group goes on; `end` where it ends the document."""


def without_open_groups(tokens: Sequence[TexToken]) -> tuple[list[TexToken], list[int]]:
    r"""Tokens without the braces that are never closed, and the lines of these.

    >>> tokens, lines = without_open_groups(tokenize([(1, r"\textsc{pl"), (2, r"{a} b")]))
    >>> [token.text for token in tokens if token.kind != "space"], lines
    (['textsc', 'pl', '{', 'a', '}', 'b'], [1])
    """
    waiting: list[int] = []
    unclosed: set[int] = set()
    for k, token in enumerate(tokens):
        if token.kind == "open":
            waiting.append(k)
        elif token.kind == "close" and waiting:
            waiting.pop()
        elif token.kind == "macro" and token.text in _PARTS and token.text != "end":
            unclosed.update(waiting)
            waiting = []
    unclosed.update(waiting)
    return [token for k, token in enumerate(tokens) if k not in unclosed], [tokens[k].line for k in sorted(unclosed)]


def _visible_tokens(tokens: Sequence[TexToken]) -> Iterator[TexToken]:
    """Without comment and verbatim environments, without what `\\iffalse` hides, up to the end of the document."""
    k = 0
    while k < len(tokens):
        token = tokens[k]
        if token.kind == "macro" and token.text in ("begin", "end"):
            name, after = argument(tokens, k + 1)
            env = plain_text(name).rstrip("*")
            if token.text == "end" and env == "document":
                return
            if token.text == "begin" and env in _SKIPPED:
                k = _environment_end(tokens, after, env)
                continue
        elif token.kind == "macro" and token.text == "iffalse":
            while k < len(tokens) and not (tokens[k].kind == "macro" and tokens[k].text in ("fi", "else")):
                k += 1
            k += 1
            continue
        yield token
        k += 1


def _environment_end(tokens: Sequence[TexToken], k: int, env: str) -> int:
    while k < len(tokens):
        if tokens[k].kind == "macro" and tokens[k].text == "end":
            name, after = argument(tokens, k + 1)
            if plain_text(name).rstrip("*") == env:
                return after
        k += 1
    return k


def skip_space(tokens: Sequence[TexToken], k: int) -> int:
    while k < len(tokens) and tokens[k].kind == "space":
        k += 1
    return k


def group_end(tokens: Sequence[TexToken], k: int) -> int:
    """Index after the group that opens at `k`; the end of the tokens when it is not closed."""
    depth = 0
    for j in range(k, len(tokens)):
        kind = tokens[j].kind
        depth += (kind == "open") - (kind == "close")
        if not depth:
            return j + 1
    return len(tokens)


def argument(tokens: Sequence[TexToken], k: int) -> tuple[Sequence[TexToken], int]:
    """What stands in the group after blanks at `k`, or the one token there, and where it ends."""
    k = skip_space(tokens, k)
    if k >= len(tokens):
        return (), k
    if tokens[k].kind == "open":
        end = group_end(tokens, k)
        closed = end <= len(tokens) and tokens[end - 1].kind == "close"
        return tokens[k + 1 : end - 1 if closed else end], end
    if tokens[k].kind in ("close", "par"):
        return (), k
    return tokens[k : k + 1], k + 1


def optional(tokens: Sequence[TexToken], k: int) -> tuple[Sequence[TexToken] | None, int]:
    """What stands in square brackets at `k`, None when there are none, and where they end."""
    if k >= len(tokens) or tokens[k] != TexToken("text", "[", tokens[k].line):
        return None, k
    depth = 0
    for j in range(k + 1, min(len(tokens), k + 200)):
        token = tokens[j]
        depth += (token.kind == "open") - (token.kind == "close")
        if depth < 0 or token.kind == "par":
            return None, k
        if not depth and token.kind == "text" and token.text == "]":
            return tokens[k + 1 : j], j + 1
    return None, k


def arguments(tokens: Sequence[TexToken], k: int) -> tuple[list[Sequence[TexToken]], list[Sequence[TexToken]], int]:
    """Optional and other arguments that follow a macro directly."""
    options: list[Sequence[TexToken]] = []
    groups: list[Sequence[TexToken]] = []
    while k < len(tokens):
        if tokens[k].kind == "open":
            inner, k = argument(tokens, k)
            groups.append(inner)
            continue
        option, after = optional(tokens, k) if not groups else (None, k)
        if option is None:
            break
        options.append(option)
        k = after
    return options, groups, k


def plain_text(tokens: Iterable[TexToken]) -> str:
    """Characters of tokens as they stand, without macros."""
    return "".join(
        " " if token.kind in ("space", "tie", "par") else token.text if token.kind == "text" else "" for token in tokens
    )


def expand_macros(
    tokens: list[TexToken], kept: frozenset[str], others: Mapping[str, Definition] | None = None
) -> list[TexToken]:
    """The tokens with the macros that the file, or `others`, define replaced by what they stand for; those in `kept` stay."""
    definitions, body = definitions_of(tokens)
    definitions = {**(others or {}), **definitions}
    mine = {name: definition for name, definition in definitions.items() if name not in kept}
    if not mine:
        return body
    expander = _Expander(mine)
    expander.expand(body, 0)
    return expander.out


def definitions_of(tokens: list[TexToken]) -> tuple[dict[str, Definition], list[TexToken]]:
    """The macros that tokens define, and the other tokens."""
    definitions: dict[str, Definition] = {}
    rest: list[TexToken] = []
    k = 0
    while k < len(tokens):
        token = tokens[k]
        if token.kind == "macro" and token.text in _DEFINES:
            name, definition, after = _definition(tokens, k)
            if name and definition:
                definitions[name] = definition
                k = after
                continue
        rest.append(token)
        k += 1
    return definitions, rest


def _definition(tokens: list[TexToken], k: int) -> tuple[str, Definition | None, int]:
    way = tokens[k].text.rstrip("*")
    named, at = argument(tokens, k + 1)
    if way == "newleipzig":
        short, at = argument(tokens, at)
        _, after = argument(tokens, at)
        name = plain_text(named)
        return name[:1].upper() + name[1:], Definition(0, None, (TexToken("macro", "textsc", 0), TexToken("open", "{", 0), *short, TexToken("close", "}", 0))), after  # fmt: skip
    macro = next((token for token in named if token.kind == "macro"), None)
    if macro is None:
        return "", None, k
    count = 0
    default: tuple[TexToken, ...] | None = None
    if way.endswith("def"):
        while at < len(tokens) and tokens[at].kind == "text" and re.fullmatch(r"(?:#\d)+", tokens[at].text):
            count = max(count, *(int(x) for x in re.findall(r"\d", tokens[at].text)))
            at += 1
        if at >= len(tokens) or tokens[at].kind != "open":
            return "", None, k
    elif way.endswith("DocumentCommand"):
        spec, at = argument(tokens, at)
        letters = plain_text(spec)
        if set(letters) - set("mo +s"):
            return "", None, k
        count = letters.count("m") + letters.count("o")
        default = () if letters.strip().startswith("o") else None
    else:
        number, at = optional(tokens, skip_space(tokens, at))
        text = plain_text(number or ())
        count = int(text) if text.isdecimal() and len(text) == 1 else 0
        given, at = optional(tokens, at) if count else (None, at)
        default = tuple(given) if given is not None else None
    at = skip_space(tokens, at)
    if at >= len(tokens) or tokens[at].kind != "open":
        return "", None, k
    body, after = argument(tokens, at)
    return macro.text, Definition(count, default, tuple(body)), after


class _Expander:
    """Replaces macros by their bodies, in at most `LONGEST` steps."""

    def __init__(self, mine: dict[str, Definition]) -> None:
        self.mine, self.out, self.steps = mine, list[TexToken](), 0

    def expand(self, tokens: Sequence[TexToken], depth: int) -> None:
        k = 0
        while k < len(tokens):
            token = tokens[k]
            definition = self.mine.get(token.text) if token.kind == "macro" else None
            self.steps += 1
            if definition is None or depth > DEEPEST_MACRO or self.steps > LONGEST:
                self.out.append(token)
                k += 1
                continue
            given, k = _macro_arguments(tokens, k + 1, definition)
            filled = _substitute(definition.body, given, token.line)
            self.steps += len(filled)
            self.expand(filled, depth + 1)


def _macro_arguments(tokens: Sequence[TexToken], k: int, definition: Definition) -> tuple[list[Sequence[TexToken]], int]:
    given: list[Sequence[TexToken]] = []
    if definition.default is not None:
        option, k = optional(tokens, k)
        given.append(definition.default if option is None else option)
    while len(given) < definition.arguments:
        inner, after = argument(tokens, k)
        if after == k or (not inner and tokens[after - 1].kind != "close"):
            break
        given.append(inner)
        k = after
    if not definition.arguments and k + 1 < len(tokens) and tokens[k].kind == "open" and tokens[k + 1].kind == "close":
        k += 2
    return given, k


def _substitute(body: Sequence[TexToken], given: list[Sequence[TexToken]], line: int) -> list[TexToken]:
    """The body with `#1` and its like as the arguments."""
    tokens: list[TexToken] = []
    for token in body:
        if token.kind != "text" or "#" not in token.text:
            tokens.append(TexToken(token.kind, token.text, line))
            continue
        for piece in re.split(r"(#\d)", token.text):
            if re.fullmatch(r"#\d", piece):
                number = int(piece[1])
                tokens += given[number - 1] if 0 < number <= len(given) and len(tokens) < LONGEST else ()
            elif piece:
                tokens.append(TexToken("text", piece, line))
    return tokens


_LETTERS = dict(zip('@ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789:;"', "əɑβɕðɛɸɣɦɪʝʁʎɱŋɔʔʕɾʃθʊʋɯχʏʒʉɨʌɜɥɐɒɤɵɘːˑˈ", strict=True))
_AFTER = {
    ":": dict(zip("tdnlszr", "ʈɖɳɭʂʐɽ", strict=True)),
    ";": dict(zip("BGHILNRYA", "ʙɢʜɪʟɴʀʏᴀ", strict=True)),
    "!": dict(zip("bdgjGo", "ɓɗɠʄʛʘ", strict=True)),
    "*": dict(zip("rwkt", "ɹʍʞʇ", strict=True)),
}
r"""Letters after `\:`, `\;`, `\!` and `\*`."""


def tipa_to_ipa(tokens: Sequence[TexToken]) -> list[TexToken]:
    r"""The tokens in phonetic symbols; as they are when they hold other letters than ASCII already.

    >>> from divproj.io.interlinear.tex import plain_text, tokenize
    >>> plain_text(tipa_to_ipa(tokenize([(1, r'"N@S\:ta:')])[:-1]))
    'ˈŋəʃʈaː'
    """
    if not all(token.text.isascii() for token in tokens):
        return list(tokens)
    ipa_tokens: list[TexToken] = []
    table: dict[str, str] = {}
    for token in tokens:
        if token.kind == "macro" and token.text in _AFTER:
            table = _AFTER[token.text]
        elif token.kind == "text":
            first, rest = token.text[:1], token.text[1:]
            said = table.get(first, _LETTERS.get(first, first)) + "".join(_LETTERS.get(char, char) for char in rest)
            ipa_tokens.append(TexToken("text", said.replace("ˈˈ", "ˌ"), token.line))
            table = {}
        else:
            ipa_tokens.append(token)
    return ipa_tokens


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
    "lbrace": "{", "rbrace": "}", "dag": "†", "vert": "|", "mid": "|", "slash": "/", "bs": "\\", "BS": "\\", "textvisiblespace": " ",
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
DEEPEST_GROUP = 50


def words(line: str | Sequence[TexToken], *, gloss: bool) -> tuple[str, ...]:
    r"""Words of a line: braces hold together what blanks would part; a placeholder (`~`, `{}`) is an empty word.

    >>> words(r"1\textsc{pl} {New York} go-\Pst{}", gloss=True)
    ('1PL', 'New York', 'go-PST')
    """
    tokens = _unwrap(tokenize([(1, line)]) if isinstance(line, str) else line)
    capitals = gloss and any(token.kind == "macro" and token.text in ("textnormal", "textrm", "normalfont") for token in tokens)
    line_words: list[str] = []
    at, k, math = 0, 0, False
    while k <= len(tokens):
        kind = tokens[k].kind if k < len(tokens) else "space"
        if kind in ("space", "par") and not math:
            if k > at:
                line_words.append(_word(tokens[at:k], gloss, capitals))
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
    if (
        line_words
        and not line_words[-1]
        and len(line_words) > 1
        and not any(token.kind in ("open", "tie") for token in tokens[-4:])
    ):
        line_words.pop()
    return tuple(line_words)


def _joins(tokens: Sequence[TexToken], k: int) -> bool:
    """Whether the macro takes the letter after the blank: `\\v s`."""
    name = tokens[k].text
    after = skip_space(tokens, k + 1)
    if after == k + 1 or after >= len(tokens) or tokens[after].kind not in ("text", "macro"):
        return False
    return name in _ACCENTS or (name.isalpha() and _SYMBOLS.get(name, "").isalpha())


def _unwrap(tokens: Sequence[TexToken]) -> Sequence[TexToken]:
    """A line that stands in one formatting macro, without it."""
    for _ in range(DEEPEST_GROUP):
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


def _word(tokens: Sequence[TexToken], gloss: bool, capitals: bool) -> str:
    text = typographic(" ".join(_Text(gloss, capitals).of(tokens).split()))
    return unicodedata.normalize("NFC", text) if _has_accent(text) else text


def plain(text: str | Sequence[TexToken], *, gloss: bool = False) -> str:
    r"""The text that LaTeX would set; in glosses macros without arguments are grams.

    >>> plain(r"d\'{e}j\`a {\sc pst}"), plain(r"\Third{}.\F{}", gloss=True)
    ('déjà PST', '3.F')
    """
    said = _Text(gloss, False).of(tokenize([(1, text)])[:-1] if isinstance(text, str) else text)
    return unicodedata.normalize("NFC", said) if _has_accent(said) else said


def typographic(text: str) -> str:
    """TeX's quotes as characters; a run of three opens with the single one.

    >>> typographic("```Who?''' it's ``so''")
    "‘“Who?”’ it's “so”"
    """
    text = text.replace("```", "‘“").replace("'''", "”’").replace("``", "“").replace("''", "”")
    text = text.replace("´", "’") if "`" in text else text
    return text.replace("`", "‘")


def _has_accent(text: str) -> bool:
    return any(mark in text for mark in _ACCENTS.values())


class _Text:
    """Tokens to text: in glosses unknown macros are grams; with `capitals` what has no font of its own is a gram too."""

    def __init__(self, gloss: bool, capitals: bool) -> None:
        self.gloss, self.capitals = gloss, capitals

    def of(self, tokens: Sequence[TexToken], depth: int = 0) -> str:
        pieces: list[str] = []
        k, math = 0, False
        if depth > DEEPEST_GROUP:
            return ""
        while k < len(tokens):
            token = tokens[k]
            if token.kind == "macro":
                said, k = self._macro(tokens, k, depth, math)
                if token.text in "()" and token.text:
                    math = token.text == "("
                pieces.append(said)
                continue
            if token.kind == "open":
                end = group_end(tokens, k)
                inner = tokens[k + 1 : end - 1 if tokens[end - 1].kind == "close" and end - 1 > k else end]
                pieces.append(self.of(inner, depth + 1))
                k = end
                continue
            if token.kind == "math":
                math = not math
            elif math and token.kind == "text" and re.search(r"[\^_]", token.text):
                said, k = self._scripts(tokens, k, depth)
                pieces.append(said)
                continue
            elif token.kind != "close":
                text = " " if token.kind in ("space", "tie", "par", "break") else token.text
                pieces.append(text.upper() if self.capitals else text)
            k += 1
        return "".join(pieces)

    def _scripts(self, tokens: Sequence[TexToken], k: int, depth: int) -> tuple[str, int]:
        """What `^` raises as letters that are raised, where there are such; what `_` lowers is an index and goes."""
        text = tokens[k].text
        mark = re.search(r"[\^_]", text)
        assert mark
        before, raised, rest = text[: mark.start()], mark[0] == "^", text[mark.end() :]
        if rest:
            return before + (_superscript(rest[0]) if raised else "") + (
                rest[1:] if not re.search(r"[\^_]", rest[1:]) else ""
            ), k + 1
        options, groups, end = arguments(tokens, k + 1)
        del options
        if not groups:
            return before, min(k + 2, len(tokens)) if k + 1 < len(tokens) and tokens[k + 1].kind == "macro" else k + 1
        return before + (_superscript(self.of(groups[0], depth + 1), groups[0]) if raised else ""), end

    def _macro(self, tokens: Sequence[TexToken], k: int, depth: int, math: bool) -> tuple[str, int]:
        """Text of a macro and its arguments, and where they end."""
        name = tokens[k].text
        k += 1
        follows = tokens[k] if k < len(tokens) else TexToken("par", "", 0)
        if name in _ACCENTS and (not name.isalpha() or follows.kind == "open" or (follows.kind == "space" and not self.gloss)):
            return self._accent(_ACCENTS[name], tokens, k, depth)
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

    def _with_arguments(
        self, name: str, bare: str, tokens: Sequence[TexToken], k: int, depth: int, math: bool
    ) -> tuple[str, int]:
        options, groups, end = arguments(tokens, k)
        if bare in _DROPPED or name in _DROPPED:
            return "", end
        if _CITES.match(bare):
            parts = [self.of(part, depth + 1) for part in (*groups[:1], *options[-1:])]
            said = ": ".join(part for part in parts if part)
            return (said if _BARE_CITES.match(bare) else f"({said})"), end
        if bare in ("textsuperscript", "tss", "sups"):
            return (_superscript(self.of(groups[0], depth + 1), groups[0]), end) if groups else ("", k)
        if bare in ("textsubscript", "tsub", "subs", "textsubscr", "subM"):
            return "", end
        if bare in _BRACKETED:
            inner = "".join(self.of(part, depth + 1) for part in groups[:1]) or "…"
            return f"[{inner}]", end
        if bare in _QUOTES:
            inner = "".join(self.of(part, depth + 1) for part in groups[:1])
            return f"{_QUOTES[bare][0]}{inner}{_QUOTES[bare][1]}", end
        if any(groups):
            return self._set(bare, groups, depth), end
        after = end if groups else k
        if bare in _FORMATS:
            return "", after
        if self.gloss and _stands_for_gram(tokens, k - 1, bare):
            return _gram(bare), after
        return "", after

    def _set(self, bare: str, groups: list[Sequence[TexToken]], depth: int) -> str:
        """What a macro makes of its arguments."""
        known = bare in _FORMATS
        if bare == "textipa":
            groups = [tipa_to_ipa(part) for part in groups]
        if bare in _FIRST_DROPPED:
            groups = groups[1:]
        inside = _Text(self.gloss, self.capitals and bare not in ("textnormal", "textrm", "textup"))
        said = "".join(inside.of(part, depth + 1) for part in groups)
        if not known and (_CAPITALS.search(bare) or (self.gloss and _is_gram(said.strip()))):
            return said.upper()
        return said

    def _accent(self, mark: str, tokens: Sequence[TexToken], k: int, depth: int) -> tuple[str, int]:
        k = skip_space(tokens, k)
        if k >= len(tokens):
            return mark, k
        token = tokens[k]
        if token.kind == "open":
            end = group_end(tokens, k)
            base, rest, k = self.of(tokens[k:end], depth + 1), "", end
        elif token.kind == "macro":
            base, k = self._macro(tokens, k, depth + 1, False) if depth < DEEPEST_GROUP else ("", k + 1)
            rest = ""
        elif token.kind == "text":
            base, rest, k = token.text[:1], token.text[1:], k + 1
        else:
            base, rest = "", ""
        base = {"ı": "i", "ȷ": "j"}.get(base, base)
        return unicodedata.normalize("NFC", base[:1] + mark + base[1:]) + (rest.upper() if self.capitals else rest), k


def _stands_for_gram(tokens: Sequence[TexToken], k: int, name: str) -> bool:
    """Whether a macro without arguments, which nobody defines, is a gram: by its name, or since it is a morpheme's whole gloss.

    `\\Acc` and `\\nom` are grams by their names, `\\lig` in `two-\\lig` by its place; `\\db` in `{\\db}that` is markup.
    """
    if (name[0].isupper() and name[1:].islower()) or _is_gram(name) or _PERSON.fullmatch(name) or name in _GRAMS:
        return True
    before = tokens[k - 1] if k else None
    after = tokens[k + 1] if k + 1 < len(tokens) else None
    if after is not None and after.kind == "open" and k + 2 < len(tokens) and tokens[k + 2].kind == "close":
        after = tokens[k + 3] if k + 3 < len(tokens) else None
    starts = before is None or before.kind != "text" or before.text[-1] in _BOUNDARIES
    ends = after is None or after.kind != "text" or after.text[0] in _BOUNDARIES
    return starts and ends and (before is not None or after is not None or len(name) > 2)


_BOUNDARIES = "-=.:~/<>()[]"


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


def _superscript(text: str, tokens: Sequence[TexToken] = ()) -> str:
    """Raised letters and digits; a raised note of capitals or a macro is markup and goes."""
    if any(token.kind == "macro" and token.text.isalpha() for token in tokens) or len(text) > 3:
        return ""
    return "".join(char if char in "*?#%!" else _SUPERSCRIPTS.get(char, "") for char in text)
