"""Related words: English inflection and irregular forms, derivation, common synonyms, similar spelling; words across languages.

For English there are rules and lists in this module; other languages use NLTK's Snowball stemmers, loaded when first needed.
`english_words` says what a common word of another language is in English (`rules/words.tsv`).
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable
from functools import lru_cache

from divproj.runtime.resources import folder
from divproj.text.tokens import normal_form

_VERBS = """
be am is are was were been being 'm 're ; have has had having 've ; do does did done doing ; go goes went gone going ;
say says said ; make made ; take took taken ; come came ; see saw seen ; know knew known ; get got gotten ; give gave given ;
find found ; think thought ; tell told ; become became ; show showed shown ; leave left ; feel felt ; put ; bring brought ;
begin began begun ; keep kept ; hold held ; write wrote written ; stand stood ; hear heard ; let ; mean meant ; set ; meet met ;
run ran ; pay paid ; sit sat ; speak spoke spoken ; lie lay lain lying ; lead led ; read ; grow grew grown ; lose lost ;
fall fell fallen ; send sent ; build built ; understand understood ; draw drew drawn ; break broke broken ; spend spent ;
cut ; rise rose risen ; drive drove driven ; buy bought ; wear wore worn ; choose chose chosen ; eat ate eaten ;
drink drank drunk ; sing sang sung ; swim swam swum ; sleep slept ; teach taught ; catch caught ; fight fought ;
seek sought ; sell sold ; win won ; throw threw thrown ; fly flew flown flies ; forget forgot forgotten ; forgive forgave forgiven ;
forbid forbade forbidden ; freeze froze frozen ; hide hid hidden ; hit ; hurt ; shut ; cost ; bite bit bitten ; blow blew blown ;
bind bound ; bleed bled ; breed bred ; burn burnt ; burst ; cling clung ; creep crept ; deal dealt ; dig dug ; dream dreamt ;
dwell dwelt ; feed fed ; flee fled ; fling flung ; grind ground ; hang hung ; kneel knelt ; knit ; lay laid ; lean leant ;
leap leapt ; learn learnt ; lend lent ; light lit ; mow mown ; prove proven ; ride rode ridden ; ring rang rung ; saw sawn ;
sew sewn ; shake shook shaken ; shave shaven ; shed ; shine shone ; shoot shot ; shrink shrank shrunk ; sink sank sunk ;
slay slew slain ; slide slid ; smell smelt ; sow sown ; spell spelt ; spill spilt ; spin spun ; spit spat ; split ; spread ;
spring sprang sprung ; steal stole stolen ; stick stuck ; sting stung ; stink stank stunk ; strike struck stricken ;
strive strove striven ; swear swore sworn ; sweep swept ; swell swollen ; swing swung ; tear tore torn ; tread trod trodden ;
wake woke woken ; awake awoke awoken ; weave wove woven ; weep wept ; wind wound ; wring wrung ; withdraw withdrew withdrawn ;
bend bent ; beat beaten ; bear bore borne born ; arise arose arisen ; overcome overcame ; undergo underwent undergone ;
mistake mistook mistaken ; lend lent ; die died dies dying ; tie tied ties tying ; can could ca ; will would 'll wo ; shall should ; may might ;
dare durst ; must ; rid ; quit ; thrust ; cast ; forecast ; broadcast ; bid bade bidden ; behold beheld ; beget begot begotten
"""
_NOUNS = """
child children ; man men ; woman women ; person people persons ; foot feet ; tooth teeth ; goose geese ; mouse mice ; louse lice ;
ox oxen ; wife wives ; knife knives ; life lives ; leaf leaves ; half halves ; wolf wolves ; loaf loaves ; thief thieves ; calf calves ;
shelf shelves ; self selves ; sheep ; fish fishes ; deer ; die dice ; datum data ; phenomenon phenomena ; criterion criteria ;
brother brethren ; penny pence pennies ; crisis crises ; cactus cacti ; policeman policemen ; fisherman fishermen ; medium media
"""
_OTHERS = """
good better best well ; bad worse worst badly ; far farther farthest further furthest ; little less least ; much more most many ;
old elder eldest ; a an ; not n't ; i me my mine myself ; you your yours yourself yourselves thou thee thy ye ; he him his himself ;
she her hers herself ; it its itself ; we us our ours ourselves ; they them their theirs themselves ; who whom whose ;
this these ; that those ; one 1 ; two 2 ; three 3 ; four 4 ; five 5 ; six 6 ; seven 7 ; eight 8 ; nine 9 ; ten 10 ; eleven 11 ;
twelve 12 ; twenty 20 ; thirty 30 ; hundred 100 ; thousand 1000 ; ok okay ; till until ; toward towards ; mr mister ; cannot can not
"""
_SYNONYMS = """
father dad daddy papa ; mother mum mom mama ; brother sibling ; sister sibling ; boy lad ; girl lass ; child kid ; baby infant ;
man guy fellow ; man husband ; woman wife ; woman lady ; person human ; people folk ; friend companion ; enemy foe ; king ruler ;
teacher instructor professor ; student pupil ; farmer peasant ; foreigner stranger ; doctor physician ; god deity lord ; boss chief ;
big large great ; small little tiny ; tall high ; fast quick rapid swift ; quickly fast ; slow slowly ; angry mad furious ; sick ill ;
sad unhappy ; glad happy pleased ; beautiful pretty lovely handsome ; clever smart intelligent wise ; stupid foolish dumb ; rich wealthy ;
strong powerful ; cold cool ; hot warm ; hard difficult ; easy simple ; tired weary ; correct right ; wrong false ; afraid fear scared ;
begin start ; end finish stop ; finish complete ; speak talk ; say tell ; speak say ; reply answer respond ; ask request ; ask question ;
wish want desire ; like love please ; buy purchase ; get receive obtain ; get become ; throw toss ; see look watch ; hear listen ; shut close ;
let allow permit ; may allow ; can able ; must need ; have own possess ; need require ; help aid assist ; try attempt ; find discover ;
seem appear ; show display ; build construct ; break destroy smash ; cut chop slice ; tear rip ; hit strike beat ; cry weep ; laugh smile ;
shout yell scream ; flee escape ; jump leap hop ; kill slay murder ; die perish ; fall drop ; fix repair mend ; make do ; make build create ;
carry bring ; carry take ; hold keep ; put place ; put set ; put lay ; leave depart ; arrive reach ; arrive come ; go walk ; go travel ; go leave ;
return come ; live dwell reside ; live stay ; stay remain ; sleep rest ; teach instruct ; learn study ; think believe suppose ; know understand ;
remember recall ; cook prepare ; eat dine ; call name ; call shout ; call phone ; be exist ; be become ; turn become ; hurt injure wound ; paint color ;
lift raise ; wash clean ; send post ; choose select pick ; gather collect ; hunt chase ; marry wed ; hide conceal ; push shove ; pull drag ; look seem ;
home house ; town city ; road street way path ; car automobile ; bike bicycle ; airplane plane ; ship boat ; forest woods ; hill mountain ; stone rock ;
sea ocean ; river stream ; garden yard ; corn maize ; money cash ; job work ; food meal ; clothes clothing ; clothes dress ; gift present ; letter note ;
picture photo painting image ; story tale ; word speech ; language tongue ; war battle ; hen chicken ; cow cattle ; pig swine ; rabbit hare ;
night evening ; morning dawn ; all every ; all everyone everybody ; everyone everybody ; each one ; each every ; other another ; someone somebody ;
anyone anybody ; someone anyone one ; nobody none ; something anything ; nothing anything ; many much lot ; several some few ; often frequently ;
seldom rarely ; always ever ; also too ; again more ; only just ; almost nearly ; maybe perhaps ; very really quite ; very much ; now today ; yes yeah ;
hello hi ; up upward upwards ; down downward downwards ; still yet ; suddenly abruptly ; if whether ; because since ; but however ; when while ; 's of ; no not
"""


def _groups(text: str) -> list[list[str]]:
    return [group.split() for group in text.replace("\n", " ").split(";") if group.strip()]


def _irregular() -> dict[str, frozenset[str]]:
    lemmas_by_form: dict[str, set[str]] = {}
    for first, *forms in _groups(_VERBS) + _groups(_NOUNS) + _groups(_OTHERS):
        for form in (first, *forms):
            lemmas_by_form.setdefault(form, set()).add(first)
    return {form: frozenset(lemmas) for form, lemmas in lemmas_by_form.items()}


_IRREGULAR = _irregular()
_KEPT = """
evening morning nothing something anything everything thing during wedding ceiling darling spring string this his was is as its us
yes always perhaps besides news series species bus gas plus thus hundred red bed need seed weed speed indeed sacred naked wicked
"""
_ENDINGS = """
ly ness ment tion ation ition sion ion er or est r st ful less able ible al ial ic ical ive ous ious ity ty ism ist ship hood y en
ance ence ant ent age ish ward wards dom ure e ing ed d s es ies ied ier iest ily ian an n ry ery
"""
_UNINFLECTED = frozenset(_KEPT.split())
"""Words whose ending is no inflection."""
_SUFFIXES = frozenset(_ENDINGS.split()) | {""}
_VOWELS = frozenset("aeiouy")


def _synonyms() -> dict[str, frozenset[str]]:
    synonyms_by_word: dict[str, set[str]] = {}
    for group in _groups(_SYNONYMS):
        for word in group:
            synonyms_by_word.setdefault(word, set()).update(group)
    return {word: frozenset(group - {word}) for word, group in synonyms_by_word.items()}


_SYNONYM = _synonyms()


@lru_cache(maxsize=100_000)
def lemmas(word: str) -> frozenset[str]:
    """Words that an English form may be a form of; the form itself is one.

    >>> sorted(lemmas("saw")), sorted(lemmas("stopped")), "go" in lemmas("went")
    (['saw', 'see'], ['stop', 'stopp', 'stoppe', 'stopped'], True)
    """
    candidates = {word} | _IRREGULAR.get(word, frozenset())
    if len(word) > 3 and word not in _UNINFLECTED and word.isalpha():
        candidates.update(stem for stem in _regular(word) if len(stem) > 1 and _VOWELS & set(stem))
    return frozenset(candidates)


def _regular(word: str) -> list[str]:
    """Stems left by -s, -ed and -ing, whether or not they are words."""
    if word.endswith("s"):
        if word.endswith(("ss", "us", "is")):
            return []
        stems = [word[:-1]]
        if word.endswith("ies"):
            stems.append(word[:-3] + "y")
        elif word.endswith(("ses", "shes", "ches", "xes", "zes", "oes")):
            stems.append(word[:-2])
        return stems
    if word.endswith("ied"):
        return [word[:-3] + "y"]
    for ending in ("ed", "ing"):
        if word.endswith(ending):
            stem = word[: -len(ending)]
            stems = [stem, stem + "e"]
            if len(stem) > 2 and stem[-1] == stem[-2]:
                stems.append(stem[:-1])
            return stems
    return []


def irregular(word: str) -> str:
    """The word that an irregular English form is a form of, '' for other words.

    >>> irregular("went"), irregular("children"), irregular("dogs")
    ('go', 'child', '')
    """
    return min(_IRREGULAR.get(word, frozenset()) - {word}, default=word if word in _IRREGULAR else "")


def synonyms(a: str, b: str) -> bool:
    """Whether two words are commonly used for one another in glosses and translations.

    >>> synonyms("dad", "father"), synonyms("big", "houses")
    (True, False)
    """
    others = lemmas(b)
    return any(not others.isdisjoint(_SYNONYM[lemma]) for lemma in lemmas(a) if lemma in _SYNONYM)


def share_stem(a: str, b: str) -> bool:
    """Whether two words share a stem of at least four letters and differ by endings alone.

    >>> share_stem("arrive", "arrival"), share_stem("swim", "swimmer"), share_stem("stare", "start")
    (True, True, False)
    """
    same = _common_prefix(a, b)
    if same < 4:
        return False
    rests = (a[same:], b[same:])
    doubled = a[same - 1]
    return all(rest in _SUFFIXES or (rest[:1] == doubled and rest[1:] in _SUFFIXES) for rest in rests)


def _common_prefix(a: str, b: str) -> int:
    """Length of the common beginning."""
    for k, (x, y) in enumerate(zip(a, b, strict=False)):
        if x != y:
            return k
    return min(len(a), len(b))


def distance(a: str, b: str, limit: int) -> int:
    """Levenshtein distance, or anything above `limit` when it is above.

    >>> distance("kitten", "sitting", 3), distance("a", "bcd", 1) > 1
    (3, True)
    """
    if abs(len(a) - len(b)) > limit:
        return limit + 1
    row = list(range(len(b) + 1))
    for i, x in enumerate(a, 1):
        last, row[0] = row[0], i
        for j, y in enumerate(b, 1):
            last, row[j] = row[j], min(last + (x != y), row[j] + 1, row[j - 1] + 1)
        if min(row) > limit:
            return limit + 1
    return row[-1]


def misspelt(a: str, b: str, *, name: bool = False) -> bool:
    """Whether two spellings differ by so little that they must be the same word; names may differ when shorter.

    >>> misspelt("proffessor", "professor"), misspelt("horse", "house"), misspelt("amina", "aminah", name=True)
    (True, False, True)
    """
    short = min(len(a), len(b))
    limit = 2 if short >= 9 else 1 if short >= (4 if name else 7) else 0
    return bool(limit) and a[0] == b[0] and distance(a, b, limit) <= limit


SHORTEST_STEM, LONGEST_REST = 4, 0.4
"""Letters that words of one stem must share at least, and share of the longer word that may differ; set by hand,
beside two texts with French glosses and one with Russian ones."""


def share_beginning(a: str, b: str) -> bool:
    """Whether two words of any language begin alike for so long that they have one stem; accents do not matter.

    >>> share_beginning("préparer", "prepara"), share_beginning("учитель", "учительница"), share_beginning("porter", "porche")
    (True, True, False)
    """
    a, b = bare_letters(a), bare_letters(b)
    same = _common_prefix(a, b)
    return same >= SHORTEST_STEM and max(len(a), len(b)) - same <= LONGEST_REST * max(len(a), len(b))


@lru_cache(maxsize=100_000)
def bare_letters(word: str) -> str:
    """The word without accents; *й* and *ё* lose theirs, too.

    >>> bare_letters("été"), bare_letters("ёлка")
    ('ete', 'елка')
    """
    if word.isascii():
        return word
    return "".join(c for c in normal_form("NFD", word) if not unicodedata.combining(c))


@lru_cache(maxsize=200_000)
def relation(a: str, b: str, *, name: bool = False, language: str = "en") -> str:
    """How two words that are not forms of one another are related, '' when they are not.

    >>> relation("loud", "loudly"), relation("dad", "father"), relation("dog", "cat")
    ('derived', 'synonym', '')
    """
    if language != "en":
        if share_beginning(a, b):
            return "derived"
        return "spelling" if misspelt(bare_letters(a), bare_letters(b), name=name) else ""
    if share_stem(a, b):
        return "derived"
    if synonyms(a, b):
        return "synonym"
    return "spelling" if misspelt(a, b, name=name) else ""


_SNOWBALL = {
    "ar": "arabic", "da": "danish", "nl": "dutch", "fi": "finnish", "fr": "french", "de": "german", "hu": "hungarian", "it": "italian",
    "no": "norwegian", "pt": "portuguese", "ro": "romanian", "ru": "russian", "es": "spanish", "sv": "swedish",
}  # fmt: skip


@lru_cache(maxsize=32)
def stemmer(language: str) -> Callable[[str], frozenset[str]]:
    """What gives a word of this language and its stems; for a language without a stemmer, the word alone.

    >>> sorted(stemmer("es")("cantaban"))
    ['cant', 'cantaban']
    """
    if language == "en":
        return lemmas
    stem: Callable[[str], str] = str
    if language in _SNOWBALL:
        from nltk.stem.snowball import SnowballStemmer

        stem = SnowballStemmer(_SNOWBALL[language]).stem
    return lru_cache(maxsize=100_000)(lambda word: frozenset((word, stem(word))))


@lru_cache(maxsize=1)
def _dictionary() -> dict[str, dict[str, tuple[str, ...]]]:
    """English words by language and word."""
    rows = (folder("rules") / "words.tsv").read_text(encoding="utf-8").splitlines()
    _, *codes = next(row for row in rows if not row.startswith("#")).split("\t")
    table: dict[str, dict[str, tuple[str, ...]]] = {code: {} for code in codes}
    for row in rows:
        if not row.startswith("#"):
            english, *cells = row.split("\t")
            for code, cell in zip(codes, cells, strict=True):
                for word in cell.split():
                    table[code][word] = (*table[code].get(word, ()), english)
    return table


def english_words(word: str, language: str) -> tuple[str, ...]:
    """Return what a word of another language may be in English, for its commonest words; () for others.

    >>> english_words("chien", "fr"), english_words("dog", "en"), english_words("blorp", "fr")
    (('dog',), ('dog',), ())
    """
    low = word.casefold()
    return (low,) if language == "en" else _dictionary().get(language, {}).get(low, ())


@lru_cache(maxsize=50_000)
def senses(word: str, language: str) -> frozenset[str]:
    """Return the English words, and the words that these are forms of, by which words of two languages are compared.

    >>> "eat" in senses("mangé", "fr") & senses("ate", "en")
    True
    """
    return frozenset(lemma for english in english_words(word, language) for lemma in lemmas(english))
