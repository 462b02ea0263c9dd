"""Which language a translation is in.

Three things say it: the key or code that the file gives it (`# text_fr`, `# text[spa]`, `# english`, a writing system of FLEx), its script,
and its words. `translation_key` reads the first, `languages_of` weighs all three for the translations of one text:

| file | code | words look like | language |
|---|---|---|---|
| `# text_fr = Il dort.` | fr | French | fr: the code holds |
| `# text_en = Он спит.` | en | Russian | ru: no English is written in Cyrillic |
| `# translation = Él duerme.` | | Spanish | es: no code, so the words decide |
| `# translation = Ana.` | | nothing | the language that most translations of the text are in, else English |

All codes, names and spellings of languages stand in one table, `_TABLE`.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple, Protocol

from divproj.core.errors import Faults, FormatError, Where
from divproj.core.sentence import Sentence
from divproj.io.files import F_FILE, IGT_FILE, in_folder
from divproj.runtime.resources import folder
from divproj.text.language_id import CERTAIN, LANGUAGES, can_be, of_each, of_lines, of_text, script_of

ENOUGH_TRANSLATIONS, SAME_LANGUAGE = 20, 0.8
"""Translations, and the share of those decided, that speak against the language which the file names; of fewer all must."""
UNFAMILIAR_WORDS = 60
"""Words of translations, none of which is recognised, from which on too few frequent words of English speak against English."""
TELLING_GLOSSES = 4
"""Words in the glosses of a text from which on their language is believed; set by hand."""
CYRILLIC_GLOSSES = 0.1
"""Share of words in Cyrillic from which on glosses are not in a language with Latin letters; set by hand."""
BELIEVED_TRANSLATIONS = 3
"""Translations from which on their language is believed."""


UNKNOWN_LANGUAGE = "und"
"""Code of a translation whose language cannot be told (ISO 639: undetermined)."""
_TABLE = """
en English      eng engl stan1293 inglés ingles inglês anglais английский
de German       deu ger germ stan1295 deutsch alemán allemand немецкий
es Spanish      spa span esp stan1288 español espanol espagnol castellano испанский
fr French       fra fre fren franc stan1290 français francais francés французский
pt Portuguese   por port port1283 português portugues portugais portugués португальский
it Italian      ita ital1282 italiano
nl Dutch        nld dut dutc1256 nederlands
ru Russian      rus russ russ1263 русский ruso russe russo
id Indonesian   ind indo1316 bahasa_indonesia
zh Chinese      zho chi cmn mand1415 mandarin 中文
ja Japanese     jpn nucl1643 日本語
ko Korean       kor kore1280 한국어
ar Arabic       ara arb stan1318 العربية
hi Hindi        hin hind1269 हिन्दी
ne Nepali       nep npi east1436 नेपाली
tpi Tok_Pisin   tokp1240
ca Catalan      cat stan1289 català
da Danish       dan dani1285 dansk
sv Swedish      swe swed1254 svenska
pl Polish       pol poli1260 polski
fi Finnish      fin finn1318 suomi
tr Turkish      tur nucl1301 türkçe
sw Swahili      swa swh swah1253 kiswahili
ro Romanian     ron rum roma1327 română
hu Hungarian    hun hung1274 magyar
uk Ukrainian    ukr ukra1253 українська
bg Bulgarian    bul bulg1262 български
el Greek        ell gre mode1248 ελληνικά
he Hebrew       heb hebr1245 עברית
th Thai         tha thai1261
ka Georgian     kat geo nucl1302
hy Armenian     hye arm nucl1235
fa Persian      fas per pes west2369 farsi
"""
NAMES = {code: name.replace("_", " ") for code, name, *_ in map(str.split, _TABLE.strip().splitlines())}
"""English names of languages, by code."""
_CODES = {
    word.replace("_", " ").casefold(): code
    for code, *words in map(str.split, _TABLE.strip().splitlines())
    for word in (code, *words)
}
"""Codes by everything a language is called."""
_NOT_LANGUAGES = frozenset(
    [
        "ipa",
        "raw",
        "seg",
        "mor",
        "ort",
        "lat",
        "org",
        "src",
        "lit",
        "orig",
        "original",
        "orth",
        "ortho",
        "morf",
        "morph",
        "morphs",
        "gloss",
        "glosses",
        "phon",
        "phonetic",
        "roman",
        "from",
        "name",
    ]
)
"""What stands where a code would, in keys of other things than translations."""
_BARE = frozenset(["en", "eng", "fr", "fra", "fre", "es", "spa", "pt", "por", "ru", "rus", "de", "deu", "ger"])
"""Codes that are keys of translations without another word; `id` and `no` are not."""
_KEY = re.compile(
    r"(?P<kind>text|translation|translated[ _-]text|free[ _-]translation|(?:text_)?phrase-gls)"
    r"(?:[ _.:-](?P<code>[^\W\d_]+)(?:[-_](?:[a-z]{2}|latn|cyrl|arab|han[st]|\d{3}))?|\[(?P<tag>[\w-]+)\])?",
    re.IGNORECASE,
)
_NAMED = re.compile(r"(?P<name>[^\W\d_]+)(?:[ _-](?:translation|text))?", re.IGNORECASE)


def lang_code(name: str) -> str:
    """Return the short code of a language that people translate into; other names stay as they are.

    >>> lang_code("eng"), lang_code("en-US"), lang_code("bi"), lang_code("Español")
    ('en', 'en', 'bi', 'es')
    """
    low = name.strip().casefold()
    base = low.partition("-")[0] if re.fullmatch(r"[a-z]{2,3}-.*", low) else low
    return _CODES.get(base, base if base != low or len(low) < 4 else name.strip())


def names_language(name: str) -> bool:
    """Return whether a name is that of a language of translations, and of no file or corpus folder here.

    >>> [names_language(name) for name in ("es", "Spanish", "fra", "corpora/es", "deu-eng", "text.txt")]
    [True, True, True, False, False, False]
    """
    corpus = Path(name).is_file() or any(in_folder(Path(name), file) for file in (F_FILE, IGT_FILE))
    return lang_code(name) in NAMES and "-" not in name and not corpus


def translation_key(key: str, value: str = "") -> str | None:
    """Return the language that the key of a comment names; '' for a translation of no stated language, None for no translation.

    >>> [translation_key(key) for key in ("text_fr", "text[spa]", "text_port", "english", "translated_text", "translation_es")]
    ['fr', 'es', 'pt', 'en', '', 'es']
    >>> [translation_key(key) for key in ("text", "text_ipa", "text_en_from", "speaker", "text[gloss]")]
    [None, None, None, None, None]

    `text_id` is Indonesian only where its value has several words: in many files it numbers the texts.
    """
    if match := _KEY.fullmatch(key):
        kind, tag, code = match["kind"].casefold(), match["tag"], (match["code"] or "").casefold()
        if tag:
            return None if tag.casefold() in _NOT_LANGUAGES else lang_code(tag)
        if not code:
            return None if kind in ("text", "phrase-gls", "text_phrase-gls") else ""
        if code in _CODES:
            number = (kind, code) == ("text", "id") and (len(value.split()) < 2 or key[4] != "_")
            return None if number else _CODES[code]
        unlisted = kind.endswith("gls") or not re.fullmatch("[a-z]{2,3}", code) or code in _NOT_LANGUAGES
        return None if unlisted else code
    if (match := _NAMED.fullmatch(key)) and (name := match["name"].casefold()) in _CODES:
        return _CODES[name] if name in _BARE or len(name) > 3 or name != key.casefold() else None
    return None


def languages_of(translations: Sequence[tuple[str, str]], default: str = "") -> list[str]:
    """Return the language of each translation of a text, given as (code, text); the code is '' where none is stated.

    A code holds unless the script contradicts it, or the translations under it are in another language all through. Translations
    without a code are recognised together, so that short ones follow the others; `default` is the language of the text they
    are a part of. Without any hint they are English, in Cyrillic Russian; `und` where that cannot be either.

    >>> languages_of([("fr", "Oui."), ("en", "Она ушла домой."), ("", "The man went home with his dog."), ("", "Yes.")])
    ['fr', 'ru', 'en', 'en']
    """
    by_code: dict[str, list[str]] = {}
    for code, text in translations:
        by_code.setdefault(code, []).append(text)
    renamed = {code: _language_all_through(code, texts) for code, texts in by_code.items()}
    codes = ["" if code == UNKNOWN_LANGUAGE else renamed[code] for code, _ in translations]
    texts = [text for _, text in translations]
    guesses = [
        k
        for k, (code, text) in enumerate(zip(codes, texts, strict=True))
        if text.strip() and (not code or not can_be(code, text))
    ]
    recognised = of_each(texts[k] for k in guesses)
    for k, guess in zip(guesses, recognised, strict=True):
        if guess.code or script_of(texts[k]) != "LATIN":  # a transliteration of what the code says stays that
            codes[k] = guess.code
    undecided = [k for k in guesses if not codes[k]]
    common = _majority([codes[k] for k in guesses]) or default or _majority([code for code in codes if code])
    for k in undecided:
        codes[k] = _likely(texts[k], common) or UNKNOWN_LANGUAGE
    if (
        (strangers := [k for k in undecided if codes[k] == "en"])
        and not common
        and _is_unfamiliar([texts[k] for k in strangers])
    ):
        for k in strangers:
            codes[k] = UNKNOWN_LANGUAGE
    return codes


def _majority(codes: Sequence[str]) -> str:
    """The language of at least half of the translations; '' for none."""
    counts = Counter(code for code in codes if code)
    code, count = counts.most_common(1)[0] if counts else ("", 0)
    return code if 2 * count >= len(codes) else ""


def _likely(text: str, common: str) -> str:
    """The language of a line that its words do not tell; '' if its script says that it is none of those known."""
    return next((code for code in (common, "en", "ru") if code and can_be(code, text)), "")


def _is_unfamiliar(texts: Iterable[str]) -> bool:
    """Whether many words of running text have too few frequent words of English to be English."""
    lines = [text for text in texts if len(text.split()) > 2]
    return sum(len(line.split()) for line in lines) >= UNFAMILIAR_WORDS and not of_lines(lines, ("en",)).code


def _language_all_through(code: str, texts: Sequence[str]) -> str:
    """Return the language that translations under a code are in: another one only if nearly all of many are, or clearly all of a few."""
    if len(texts) < BELIEVED_TRANSLATIONS or code not in NAMES:
        return code
    whole = of_lines(texts)
    if whole.code in ("", code):
        return code
    alone = [guess.code for guess in map(of_text, texts) if guess.code]
    if len(texts) >= ENOUGH_TRANSLATIONS:
        agree = alone.count(whole.code) >= SAME_LANGUAGE * len(alone) and len(alone) >= ENOUGH_TRANSLATIONS // 2
    else:  # the code must be of a language that would have been recognised
        agree = code in LANGUAGES and whole.score >= CERTAIN and set(alone) == {whole.code}
        agree = agree and len(alone) >= max(BELIEVED_TRANSLATIONS, len(texts) / 2)
    return whole.code if agree else code


def correct_codes(rows: Sequence[list[tuple[str, str]]], where: Where, faults: Faults) -> None:
    """Rename the language of translations that a file states wrongly all through, and say so."""
    for stated in dict.fromkeys(code for row in rows for code, _ in row if code):
        whole = _language_all_through(stated, [text for row in rows for code, text in row if code == stated])
        if whole != stated:
            problem = f"the translations are said to be in '{stated}' but are in '{whole}'"
            faults.file(FormatError(problem, where, f"read as '{whole}'"))
            for row in rows:
                row[:] = [(whole if code == stated else code, text) for code, text in row]


def translations_of(igt: Sentence) -> tuple[tuple[str, str], ...]:
    """Return all translations of a sentence as (code, text); the code is '' where none is stated."""
    if igt.translations or not igt.translation:
        return igt.translations
    pairs = (line[1:].partition("=") for line in (igt.rows.comments if igt.rows else ()))
    keys = (key.strip() for key, _, value in pairs if value.strip() == igt.translation)
    return (
        (next(filter(None, map(translation_key, keys)), ""), igt.translation),
    )  # the code of an only English one is not listed


def text_language(instances: Iterable[Sentence | None]) -> str:
    """Return the language that most translations are in; '' when there are too few to tell."""
    texts = [(code, text) for igt in instances if igt is not None for code, text in translations_of(igt)[:1]]
    return _majority(languages_of(texts)) if len(texts) >= BELIEVED_TRANSLATIONS else ""


class Glossed(Protocol):
    """A sentence that may have glosses."""

    @property
    def glosses(self) -> tuple[str, ...]:
        """One for each word, or none."""


def gloss_language(sentences: Iterable[Glossed]) -> str:
    """Return the language of the words in the glosses; '' if it cannot be told. Words in Cyrillic are Russian unless they show another language.

    >>> gloss_language([Sentence(("a", "b"), glosses=(gloss, "comer-PSD")) for gloss in ("perro-PL", "el.hombre", "mujer")])
    'es'
    >>> gloss_language([Sentence(("сара",), glosses=("3sg.abs-1sg.erg-голова-pst.fin",))])
    'ru'
    """
    lines = [_LEXICAL.findall(" ".join(igt.glosses)) for igt in sentences if igt.glosses]
    words = [word for line in lines for word in line if not word.isupper()]
    if sum(script_of(word) == "CYRILLIC" for word in words) > CYRILLIC_GLOSSES * len(words):  # grams may be in Latin letters
        lines = [[word for word in line if script_of(word) == "CYRILLIC"] for line in lines]
        return of_lines(map(" ".join, lines)).code or "ru"
    return of_lines(map(" ".join, lines)).code if len(words) >= TELLING_GLOSSES else ""


_LEXICAL = re.compile(r"(?<![^\W_])[^\W\d_]{2,}(?![^\W_])")


def with_codes(instances: Sequence[Sentence], default: str = "") -> list[Sentence]:
    """Return the instances with the language of translations that had no code, where it is not English.

    >>> lines = "A casa é grande e bonita.", "Eu não sei quem é a mulher dele.", "Você vai para a casa da sua mãe?"
    >>> [igt.translations[0][0] for igt in with_codes([Sentence(("x",), translation=line) for line in lines])]
    ['pt', 'pt', 'pt']
    """
    places = [k for k, igt in enumerate(instances) if igt.translation and not igt.translations]
    coded = list(instances)
    if len(places) < BELIEVED_TRANSLATIONS and not default:
        return coded
    for k, code in zip(places, languages_of([("", instances[k].translation) for k in places], default), strict=True):
        if code not in ("en", UNKNOWN_LANGUAGE):
            coded[k] = replace(coded[k], translations=((code, coded[k].translation),))
    return coded


def language_name(code: str) -> str:
    """
    >>> language_name("fr"), language_name("qu"), language_name("und")
    ('French', "'qu'", 'a language that was not recognised')
    """
    return NAMES.get(code, "a language that was not recognised" if code == UNKNOWN_LANGUAGE else f"'{code}'")


def parsed_languages(counts: Mapping[str, int]) -> str:
    """Return in words which languages translations were parsed as, from sentences by code; '' where all are English.

    >>> parsed_languages({"en": 3, "es": 171}), parsed_languages({"en": 3})
    ('translations parsed as Spanish (171), English (3)', '')
    """
    names = language_counts(counts)
    return f"translations parsed as {names}" if names else ""


def language_counts(counts: Mapping[str, int]) -> str:
    """Return names of languages with the sentences in each, the most frequent first; '' where all are English.

    >>> language_counts({"en": 3, "es": 171})
    'Spanish (171), English (3)'
    """
    if not counts.keys() - {"en"}:
        return ""
    rows = sorted(counts.items(), key=lambda row: (-row[1], row[0]))
    return ", ".join(f"{language_name(code)} ({count:,})" for code, count in rows)


class LanguageCodes(NamedTuple):
    """The codes of a language: that of UD (ISO 639-1, else ISO 639-3), ISO 639-3 and Glottocode, and its name; '' where not known."""

    code: str = ""
    iso639_3: str = ""
    glottocode: str = ""
    name: str = ""


@lru_cache(maxsize=1)
def language_table() -> tuple[LanguageCodes, ...]:
    """Return the languages of `rules/languages.tsv`."""
    text = (folder("rules") / "languages.tsv").read_text(encoding="utf-8")
    rows = [line.split("\t") for line in text.splitlines() if line and not line.startswith("#")]
    return tuple(LanguageCodes(*row) for row in rows[1:])


def find_language(text: str) -> LanguageCodes:
    """Return the codes of a language by its name or one of its codes; of one that is not in the table what the text itself says.

    >>> find_language("Turkish"), find_language("tur").glottocode, find_language("North_Sami").code
    (LanguageCodes(code='tr', iso639_3='tur', glottocode='nucl1301', name='Turkish'), 'nucl1301', 'sme')
    >>> find_language("qqq"), find_language("Brithenig")
    (LanguageCodes(code='qqq', iso639_3='qqq', glottocode='', name=''), LanguageCodes(code='', iso639_3='', glottocode='', name='Brithenig'))
    """
    wanted = text.replace("_", " ").strip()
    for row in language_table():
        if wanted in row[:3] or wanted.lower() == row.name.lower():
            return row
    if GLOTTOCODE.fullmatch(wanted):
        return LanguageCodes(glottocode=wanted)
    if ISO_CODE.fullmatch(wanted):
        return LanguageCodes(wanted, wanted if len(wanted) == 3 else "")
    known = lang_code(wanted)
    return find_language(known) if known in NAMES and known != wanted else LanguageCodes(name=wanted)


GLOTTOCODE, ISO_CODE = re.compile(r"[a-z0-9]{4}\d{4}"), re.compile("[a-z]{2,3}")
