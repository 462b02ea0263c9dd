"""Which words are punctuation, function words, prepositions: by spelling in English, by tag elsewhere."""

from __future__ import annotations

import unicodedata


def _names(text: str) -> frozenset[str]:
    return frozenset(text.split())


PREPOSITIONS = _names("""about above across after against along amid among amongst around as at before behind below beneath beside besides between
    beyond by despite down during except for from in inside into like near of off on onto out outside over past per round since
    through throughout till to toward towards under underneath until unto up upon versus via with within without""")
STOP_WORDS = PREPOSITIONS | _names("""a an the this that these those some any no every each either neither another such both all i me my mine myself you your
    yours yourself he him his himself she her hers herself it its itself we us our ours ourselves they them their theirs
    themselves who whom whose which what there here be am is are was were been being 'm 're 's 've 'd 'll have has had having
    do does did doing will would shall should can could may might must ought and or but nor so yet if whether because although
    though while when where why how than then not n't too also very just only even still already again ever never s t""")
_KINDS = {
    "determiner": "a an the this that these those my your his her its our their some any no every each another such both all 's",
    "auxiliary": "be am is are was were been being 'm 're 's have has had having 've 'd do does did will would 'll shall should "
    "can could may might must",
    "conjunction": "and or but nor yet so however while whereas though although because since as if when whether that",
    "relative": "who whom whose which that what where when",
    "negation": "not n't no never neither nor",
    "degree": "just only even also too still again already very",
}
_KIND: dict[str, frozenset[str]] = {}
for _kind, _words in _KINDS.items():
    for _word in _words.split():
        _KIND[_word] = _KIND.get(_word, frozenset()) | {_kind}
_FUNCTION_TAGS = _names("""ADP AUX CCONJ DET PART PRON SCONJ PUNCT APPR APPRART APPO APZR ART KON KOKOM KOUS KOUI PDAT PDS PIAT PIDAT PIS PPER PPOSAT
    PPOSS PRELAT PRELS PRF PTKZU PTKNEG PWAT PWAV PWS VAFIN VAINF VAPP VAIMP VMFIN VMINF VMPP KN SN IE PN PS HP HD HS HA PR
    PRP PRP$ CC IN TO MD EX WDT WP WP$ WRB POS""")
_ADPOSITION_TAGS = _names("ADP APPR APPRART APPO APZR PR")
_READ = frozenset("% $ £ € ¥ & + = @ # ° §".split())  # noqa: SIM905
_MARKS = {"``": "quote", "''": "quote", "--": "dash", "...": "stop", "-lrb-": "open", "-rrb-": "close"}
_CLASSES = {"stop": ".!?…;:", "comma": ",", "quote": "\"'“”„‘’«»‹›`", "dash": "-–—", "open": "([{", "close": ")]}"}
_CLASS = {mark: name for name, marks in _CLASSES.items() for mark in marks}


def mark_class(form: str) -> str:
    """What kind of punctuation it is; '' for words and signs that are read as words, a mark's own spelling if it is of no kind.

    >>> mark_class("."), mark_class("“"), mark_class("--"), mark_class("'s"), mark_class("%"), mark_class("§§")
    ('stop', 'quote', 'dash', '', '', '§§')
    """
    lower = form.lower()
    if lower in _MARKS or lower in _CLASS:
        return _MARKS.get(lower) or _CLASS[lower]
    if not form or lower in _READ or not all(unicodedata.category(c)[0] in "PS" for c in form):
        return ""
    return _CLASS.get(form[0], form) if len(set(form)) == 1 else form


def is_stop(form: str, tag: str, language: str) -> bool:
    """
    >>> is_stop("the", "", "en"), is_stop("der", "ART", "de"), is_stop("us", "NNP", "en")
    (True, True, False)
    """
    if language == "en":
        return form in STOP_WORDS and tag not in ("NNP", "NNPS", "PROPN", "CD")
    return tag in _FUNCTION_TAGS


def same_kind(a: str, b: str) -> bool:
    """Whether two English function words can stand for one another: both determiners, both auxiliaries …

    >>> same_kind("a", "the"), same_kind("has", "was"), same_kind("the", "was")
    (True, True, False)
    """
    return not _KIND.get(a, frozenset()).isdisjoint(_KIND.get(b, frozenset()))


def is_preposition(form: str, tag: str, language: str) -> bool:
    return form in PREPOSITIONS if language == "en" else tag in _ADPOSITION_TAGS
