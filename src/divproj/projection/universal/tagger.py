"""The gloss tagger: UPOS of a word of any language from its gloss, its links and its neighbours, never from its form."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from divproj.projection.universal.facts import CASES, TENSES, VERBAL, Usage, Word

SIZE = 1 << 15
_GROUPS = {
    "tense": "T", "aspect": "T", "mood": "T", "modal": "T", "auxiliary": "T", "voice": "v", "causative": "v", "verbal": "V", "infinitive": "V",
    "person": "P", "pronoun": "P", "agreement": "a", "case": "C", "core": "C", "genitive": "G", "linker": "L", "article": "D",
    "demonstrative": "D", "gender": "g", "number": "n", "negation": "N", "clause": "S", "relative": "S", "conjunction": "J", "topic": "t",
    "particle": "t", "question": "q", "copula": "B", "classifier": "c", "quantifier": "Q",
}  # fmt: skip
"""Features that are told apart."""


def tagger_features(words: Sequence[Word], usage: Mapping[str, Usage]) -> NDArray[np.int32]:
    """[word, feature] numbers for all words of a sentence."""
    n = len(words)
    rows = [_own(w, usage.get(w.form.lower()), first=k == 0) for k, w in enumerate(words)]
    brief = [_brief(w) for w in words]
    around = ["<<", "<", *brief, ">", ">>"]
    longest = max((len(w.form) for w in words), default=1)
    for k in range(n):
        a, b, own, c, d = around[k : k + 5]
        grams = words[k].gloss.grams[:1] or words[k].gloss.words[:1] or ("",)
        rows[k] += [
            f"p1={b}", f"n1={c}", f"p2={a}{b}", f"n2={c}{d}", f"pn={b}|{c}", f"own={own}|{b}", f"own={own}|>{c}",
            f"g={grams[0]}|{b}", f"g={grams[0]}|>{c}", f"size={min(4, n)}|{own}", f"at={min(3, k)}|{min(3, n - 1 - k)}|{own}",
            f"len={8 * len(words[k].form) // longest}|{own[:3]}",
        ]  # fmt: skip
    return _numbers(rows)


def _numbers(rows: list[list[str]]) -> NDArray[np.int32]:
    width = max(map(len, rows), default=0)
    made = np.zeros((len(rows), width), np.int32)
    for k, row in enumerate(rows):
        made[k, : len(row)] = [1 + crc32(name.encode()) % (SIZE - 1) for name in row]  # `number`, without its call
    return made


def _brief(w: Word) -> str:
    """What neighbours see of a word."""
    if w.mark:
        return "PUNCT"
    shape = w.gloss.shape
    return f"{shape}{w.lexical or w.e_tag}{w.gloss.role}"


def _own(w: Word, usage: Usage | None, *, first: bool) -> list[str]:
    gloss = w.gloss
    shape = gloss.shape
    stem = w.stem
    role = gloss.role
    hidden = {"person"} if role == "aux" else set()
    kinds = "+".join(sorted(set(gloss.kinds) - hidden))
    case, tense, verbal = gloss.first(CASES), gloss.first(TENSES), gloss.first(VERBAL)
    person = gloss.persons[0] if gloss.persons and not hidden else ""
    title = w.form[:1].isupper() and w.form[1:].islower() and not first
    groups = "".join(sorted({_GROUPS.get(kind, "o") for kind in gloss.kinds if kind not in hidden}))
    used = usage or Usage(0, "", 0, 0, 0)
    lexical = f"{w.lexical}{w.doubt}"
    found = [
        f"mark={w.mark}",
        f"shape={shape}",
        f"stem={stem}" if stem else f"bare={'.'.join(gloss.grams)}{role}",
        f"stem={stem}|{w.e_tag}",
        f"lex={w.lexical}",
        f"lex={lexical}",
        f"lex={lexical}|{shape}",
        f"role={role}|{shape}",
        f"role={role}|{used.share}",
        f"role={role}|{w.e_tag}",
        f"role={role}|{used.first}{used.last}",
        f"e={w.e_tag}|{w.link}",
        f"e={w.e_tag}|{w.e_rel}",
        f"e={w.e_tag}|{lexical}",
        f"e={w.e_tag}|{lexical}|{shape}",
        f"kinds={kinds}|{shape}",
        f"kinds={kinds}|{w.lexical}",
        f"kinds={kinds}|{w.e_tag}",
        f"case={case}|{w.lexical}",
        f"tense={tense}|{w.lexical}",
        f"tam={bool(tense)}{bool(case)}{bool(person)}|{lexical}|{w.e_tag}",
        f"verbal={verbal}|{w.lexical}|{shape}",
        f"person={person}|{shape}",
        f"person={bool(person)}|{shape}|{w.e_tag}",
        f"title={title}|{w.e_tag}|{w.lexical}",
        f"title={title}|{shape}|{bool(stem and w.lexical)}",
        f"same={stem == w.form.lower()}|{w.e_tag}|{title}",
        f"used={used.share}|{shape}",
        f"used={used.share}|{w.lexical}|{used.linked}",
        f"usual={used.e_tag}|{used.linked}|{w.lexical}",
        f"usual={used.e_tag}|{w.e_tag}|{shape}",
        f"ends={used.first}{used.last}|{shape}|{kinds if shape == 'G' else w.lexical}",
        f"groups={groups}|{shape}",
        f"groups={groups}|{w.lexical}",
        f"groups={groups}|{shape}|{w.e_tag}",
        f"groups={groups}|{used.share}|{used.first}{used.last}",
        f"hyphen={w.form[:1] in '-='}{w.form[-1:] in '-='}|{shape}",
    ]
    found += [f"part={word}" for word in gloss.words[:3]] if len(gloss.words) > 1 else []
    shown = [gram for gram, kind in zip(gloss.grams, gloss.kinds, strict=True) if kind not in hidden]
    found += [name for gram in shown[:4] for name in (f"gram={gram}|{shape}", f"gram={gram}|{w.lexical}")]
    if len(gloss.words) > 1:
        found.append(f"many={len(gloss.words)}|{w.lexical}|{w.e_tag}")
    return found
