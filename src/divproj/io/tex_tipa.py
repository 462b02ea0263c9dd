r"""The letters of TIPA: inside `\textipa{…}` capitals, digits and some marks are phonetic symbols."""

from __future__ import annotations

from collections.abc import Sequence

from divproj.io.tex_tokens import Token

_LETTERS = dict(zip('@ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789:;"', "əɑβɕðɛɸɣɦɪʝʁʎɱŋɔʔʕɾʃθʊʋɯχʏʒʉɨʌɜɥɐɒɤɵɘːˑˈ", strict=True))
_AFTER = {
    ":": dict(zip("tdnlszr", "ʈɖɳɭʂʐɽ", strict=True)),
    ";": dict(zip("BGHILNRYA", "ʙɢʜɪʟɴʀʏᴀ", strict=True)),
    "!": dict(zip("bdgjGo", "ɓɗɠʄʛʘ", strict=True)),
    "*": dict(zip("rwkt", "ɹʍʞʇ", strict=True)),
}
r"""Letters after `\:`, `\;`, `\!` and `\*`."""


def shown(tokens: Sequence[Token]) -> list[Token]:
    r"""The tokens in phonetic symbols; as they are when they hold other letters than ASCII already.

    >>> from divproj.io.tex_tokens import plain_text, tokenized
    >>> plain_text(shown(tokenized([(1, r'"N@S\:ta:')])[:-1]))
    'ˈŋəʃʈaː'
    """
    if not all(token.text.isascii() for token in tokens):
        return list(tokens)
    found: list[Token] = []
    table: dict[str, str] = {}
    for token in tokens:
        if token.kind == "macro" and token.text in _AFTER:
            table = _AFTER[token.text]
        elif token.kind == "text":
            first, rest = token.text[:1], token.text[1:]
            said = table.get(first, _LETTERS.get(first, first)) + "".join(_LETTERS.get(char, char) for char in rest)
            found.append(Token("text", said.replace("ˈˈ", "ˌ"), token.line))
            table = {}
        else:
            found.append(token)
    return found
