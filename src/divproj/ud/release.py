"""A treebank as UD publishes it: files with their names, parts by UD's rules of size, README, licence, and what is still missing.

    UD_Turkish-Village/
        tr_village-ud-test.conllu      and -train, -dev, where there is enough
        README.md  LICENSE.txt  CONTRIBUTING.md
        not-to-release/                report.txt, left-out.conllu, lists.tsv: for the maker, not for UD's users

`make_release` takes the sentences with the names of their documents and returns a `Release`: its files as texts, and what UD would
refuse. Sentences go in when a person has confirmed them (`# gold = yes`) and when the validator has nothing to say at levels 1 to 3; the
others are kept in `left-out.conllu`, each with the reason. Of what divproj wrote for itself nothing stays.

When a treebank is released again into the same folder, its README keeps every section that a person has written and all metadata that
are not given anew, and its sentences stay in the part in which they were.

The rules are those of "Repository and files" and "Treebank metadata" in UD's pages for contributors, as of release 2.17.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain, groupby
from pathlib import Path
from typing import NamedTuple
from unicodedata import normalize

from divproj.core.errors import Faults, ProjError, Where, plural
from divproj.core.options import ReleaseOptions
from divproj.core.sentence import Rows, is_gold
from divproj.io.files import Source, name_of, writing
from divproj.io.interlinear.languages import LanguageCodes, find_language, language_name, translation_key
from divproj.io.interlinear.rows import parse_comment
from divproj.io.trees import conllu
from divproj.ud.grammar import base, check_sentence
from divproj.ud.rows import surface_text, to_nfc, with_text

PARTS = ("train", "dev", "test")
LEAST_SENTENCES, LEAST_WORDS = 20, 100
"""What a treebank must have to be released."""
SMALL, LARGE, TEST_WORDS = 20_000, 110_000, 10_000
"""Words below which all is test data, words above which a tenth is, and the least size of test data otherwise."""
SAMPLE = (20, 50)
"""Sentences of the sample that may be set aside as training data of a small treebank."""
GENRES = frozenset(
    [
        "academic",
        "bible",
        "blog",
        "email",
        "fiction",
        "government",
        "grammar-examples",
        "learner-essays",
        "legal",
        "medical",
        "news",
        "nonfiction",
        "poetry",
        "reviews",
        "social",
        "spoken",
        "web",
        "wiki",
    ]
)
SOURCES = ("manual native", "converted from manual", "converted with corrections", "automatic", "automatic with corrections", "not available")  # fmt: skip
"""How UD says where an annotation comes from."""
CONTRIBUTING = ("here", "here source", "elsewhere", "to be adopted")
LICENSES = {
    "CC0 1.0": ("Creative Commons Zero 1.0 Universal Public Domain Dedication", "https://creativecommons.org/publicdomain/zero/1.0/"),
    **{
        f"CC {kind} 4.0": (f"Creative Commons {name} 4.0 International License", f"https://creativecommons.org/licenses/{kind.lower()}/4.0/")
        for kind, name in (("BY", "Attribution"), ("BY-SA", "Attribution-ShareAlike"), ("BY-NC", "Attribution-NonCommercial"), ("BY-NC-SA", "Attribution-NonCommercial-ShareAlike"))
    },
}  # fmt: skip
"""Licences by the name that UD gives them: what they are called, and where they are."""
SUMMARY_LENGTH = (40, 500)
"""Characters of the section Summary."""
METADATA = {
    "Data available since": "since", "License": "license", "Includes text": "", "Parallel": "parallel", "Genre": "genre", "Lemmas": "lemmas",
    "UPOS": "", "XPOS": "xpos", "Features": "features", "Relations": "", "Contributors": "contributors", "Contributing": "contributing",
    "Contact": "contact",
}  # fmt: skip
"""Lines of the machine-readable block, in their order, and the options that say what they hold."""
NOT_RELEASED = "not-to-release"
TO_WRITE = "(Write here"
"""Beginning of what stands where a person has to write."""
_OURS = re.compile(
    r"(?:words|tags|heads|rels|align)_\w+|projection|gold|state|annotator|language|lang|text-title|tags|heads|rels|segments|gloss"
)
"""Comments that divproj and its review write, and those that say nothing in a treebank of one language."""
_MACHINE = re.compile(r"(?:Proj|Parse)[A-Z]?\w*=.*|Empty=Yes")
"""Values of MISC that divproj writes for itself."""
_NEW = re.compile(r"#\s*new(doc|par)\b")
_METADATA_LINE = re.compile(r"(?m)^([A-Z][\w ]+): *(.*)$")


class LeftOut(NamedTuple):
    """A sentence that is not released, and why."""

    sentence: Rows
    reason: str


@dataclass(frozen=True)
class Release:
    """A treebank ready to be published: files by name, what UD would refuse, and what is worth a look."""

    name: str
    """Name of the folder, as UD names its repositories: `UD_Turkish-Village`."""
    files: dict[str, str]
    missing: list[str]
    """What UD would refuse; empty for a treebank that can be released."""
    remarks: list[str]
    parts: dict[str, list[Rows]] = field(repr=False)
    left_out: list[LeftOut] = field(repr=False)

    @property
    def sizes(self) -> dict[str, tuple[int, int]]:
        """Sentences and words by part."""
        return {part: (len(some), sum(len(s.forms) for s in some)) for part, some in self.parts.items()}

    def write(self, folder: Path) -> None:
        """Write all files; data of an earlier release that would stay beside them are refused."""
        stale = [path.name for path in folder.glob("*.conllu") if path.name not in self.files]
        if stale:
            remedy = "move it away, or release into another folder"
            raise ProjError(
                f"{', '.join(sorted(stale))} is of another release and would stay there", Where(str(folder)), remedy
            )
        (folder / NOT_RELEASED).mkdir(parents=True, exist_ok=True)
        for name, text in self.files.items():
            with writing(folder / name) as out:
                out.write(text)


def load_documents(files: Iterable[Source], faults: Faults) -> Iterator[tuple[str, Rows]]:
    """Yield the sentences of CoNLL-U files with the names of their documents: `# newdoc id`, the title of the text, or else the file's name."""
    for file in files:
        stem = Path(name_of(file)).name.removesuffix(".gz").removesuffix(".conllu").removesuffix(".reviewed")
        document, title, count = stem, "", 0
        for sentence in conllu.load(file, faults):
            if sentence is None:
                continue
            if any((match := _NEW.match(line)) and match[1] == "doc" for line in sentence.comments):
                count += 1
                document = sentence.comment("newdoc id") or f"{stem}-{count}"
            elif (named := sentence.comment("text-title") or title) != title:
                document = title = named
            yield document, sentence


def make_release(
    documents: Iterable[tuple[str, Rows]], how: ReleaseOptions, earlier: Mapping[str, str] | None = None
) -> Release:
    """Return the treebank that confirmed sentences make; `earlier` has the files of its last release, by name."""
    earlier = earlier or {}
    codes = _codes(how)
    name = folder_name(how)
    prefix = f"{codes.code}_{how.treebank.lower()}-ud"
    confirmed, left_out, drafts = _select(documents, how)
    before = _parts_before(earlier, prefix)
    parts, said = divide(confirmed, before, sample=how.sample)
    placed = {part: _with_boundaries(some) for part, some in parts.items() if some}
    everything = [sentence for _, sentence in confirmed]
    old = Readme.parse(earlier.get("README.md", ""))
    metadata = _metadata(everything, how, old, drafts)
    title = f"UD {codes.name} {how.treebank}"
    readme = _readme(title, codes, everything, placed, said, metadata, old)
    files = {f"{prefix}-{part}.conllu": "".join(s.to_conllu() for s in some) for part, some in placed.items()}
    files["README.md"] = readme
    files["CONTRIBUTING.md"] = earlier.get("CONTRIBUTING.md") or _contributing(metadata["Contributing"])
    same = metadata["License"] == old.metadata.get("License")
    if text := (same and earlier.get("LICENSE.txt")) or _license(metadata["License"], title):
        files["LICENSE.txt"] = text
    missing = [*_too_small(everything), *_incomplete(metadata, Readme.parse(readme), text)]
    remarks = [*said, *_remarks(everything, left_out, readme)]
    if old.sections:
        remarks.append("README.md: say in the section Changelog what is new")
    files[f"{NOT_RELEASED}/lists.tsv"] = lists(everything)
    files[f"{NOT_RELEASED}/left-out.conllu"] = "".join(
        replace(s, comments=(f"# left_out = {reason}", *s.comments), end="\n\n").to_conllu() for s, reason in left_out
    )
    files[f"{NOT_RELEASED}/report.txt"] = "\n".join(_report(title, placed, missing, remarks)) + "\n"
    return Release(name, files, missing, remarks, placed, left_out)


def folder_name(how: ReleaseOptions) -> str:
    """Return the name of the treebank's folder, as UD names its repositories.

    >>> folder_name(ReleaseOptions(language="sme", treebank="Village"))
    'UD_North_Sami-Village'
    """
    if not re.fullmatch("[A-Z][A-Za-z0-9]*", how.treebank):
        raise ProjError(f"`treebank={how.treebank}`: letters and digits expected, the first one a capital", remedy="Village")
    plain = normalize("NFKD", _codes(how).name).encode("ascii", "ignore").decode()
    return f"UD_{'_'.join(re.findall('[A-Za-z0-9]+', plain))}-{how.treebank}"


def earlier_files(folder: Path) -> dict[str, str]:
    """Return the files of a treebank that is in the folder already."""
    names = ("README.md", "LICENSE.txt", "CONTRIBUTING.md")
    paths = [folder / name for name in names if (folder / name).is_file()] + sorted(folder.glob("*-ud-*.conllu"))
    return {path.name: path.read_text(encoding="utf-8") for path in paths}


def _codes(how: ReleaseOptions) -> LanguageCodes:
    """The codes of the language, from the table or as given."""
    known = find_language(how.language)
    codes = LanguageCodes(
        how.code or known.code, how.iso639_3 or known.iso639_3, how.glottocode or known.glottocode, known.name
    )
    if not how.language:
        raise ProjError("`language=`: the name or code of the language expected", remedy="Turkish")
    if not codes.code or not codes.name:
        problem = f"`language={how.language}`: not in the table of languages"
        raise ProjError(problem, remedy="give its name, and its ISO 639 code as `set=code=…`")
    return codes


def state_of(sentence: Rows) -> str:
    """Return the state of a sentence in review: gold, or what `# state = …` says; draft where nobody has said anything.

    >>> state_of(Rows(("# gold = yes",), ((),) * 10)), state_of(Rows(("# state = second",), ((),) * 10)), state_of(Rows((), ((),) * 10))
    ('gold', 'second', 'draft')
    """
    return "gold" if any(map(is_gold, sentence.comments)) else sentence.comment("state") or "draft"


def _select(documents: Iterable[tuple[str, Rows]], how: ReleaseOptions) -> tuple[list[tuple[str, Rows]], list[LeftOut], int]:
    """Sentences that go into the treebank, ready for it, the others, and how many of the first nobody has checked."""
    states = {state.strip() for state in how.states.split(",")}
    confirmed: list[tuple[str, Rows]] = []
    left_out: list[LeftOut] = []
    ids: Counter[str] = Counter()
    drafts = 0
    paragraph: tuple[str, ...] = ()  # where one begins with a sentence that is left out, it begins with the next
    for document, sentence in documents:
        state = state_of(sentence)
        ready = clean(sentence)
        paragraph = tuple(line for line in ready.comments if (match := _NEW.match(line)) and match[1] == "par") or paragraph
        if "all" not in states and state not in states:
            left_out.append(LeftOut(sentence, f"not confirmed (state: {state})"))
        elif problems := [finding for finding in check_sentence(ready) if not finding.is_advice]:
            left_out.append(LeftOut(sentence, "; ".join(map(str, problems))))
        else:
            rest = (line for line in ready.comments if not _NEW.match(line))
            confirmed.append((document, _with_unique_id(replace(ready, comments=(*paragraph, *rest)), ids)))
            paragraph = ()
            drafts += sentence.is_draft
    return confirmed, left_out, drafts


def clean(sentence: Rows) -> Rows:
    """Return the sentence as a treebank has it: without what divproj wrote for itself, `sent_id` (no blanks, no slash) and `text` first, in Unicode NFC.

    >>> row = ("1", "Ja", "ja", "INTJ", "_", "_", "0", "root", "0:root", "Gloss=yes|Proj=guess|ProjConf=0.31")
    >>> print(clean(Rows(("# gold = yes",), tuple((cell,) for cell in row))).to_conllu().replace("\\t", " "), end="")
    # sent_id = s0
    # text = Ja
    1 Ja ja INTJ _ _ 0 root _ Gloss=yes
    <BLANKLINE>
    """
    comments = [line for line in sentence.comments if not (pair := parse_comment(line)) or not _OURS.fullmatch(pair[0])]
    misc = tuple(_strip(cell) for cell in sentence.columns[9])
    heads, deprels, deps = (sentence.columns[k] for k in (6, 7, 8))
    basic = all(cell == "_" or cell == f"{head}:{rel}" for head, rel, cell in zip(heads, deprels, deps, strict=True))
    columns = (*sentence.columns[:8], ("_",) * len(deps) if basic else deps, misc)
    whole = to_nfc(with_text(replace(sentence, comments=tuple(comments), columns=columns, end="\n\n")))
    name = re.sub(r"[\s/]+", "-", whole.comment("sent_id") or "")
    first = [f"# sent_id = {name}", f"# text = {whole.comment('text')}"]
    rest = [line for line in whole.comments if not (pair := parse_comment(line)) or pair[0] not in ("sent_id", "text")]
    new = [line for line in rest if _NEW.match(line)]
    return replace(whole, comments=(*new, *first, *(line for line in rest if line not in new)))


def _strip(cell: str) -> str:
    if "=" not in cell:
        return cell
    return "|".join(item for item in cell.split("|") if not _MACHINE.fullmatch(item)) or "_"


def _with_unique_id(sentence: Rows, ids: Counter[str]) -> Rows:
    """With a `sent_id` that no other sentence has."""
    name = wanted = sentence.comment("sent_id") or ""
    while ids[name]:
        ids[wanted] += 1
        name = f"{wanted}-{ids[wanted]}"
    ids[name] += 1
    comments = tuple(f"# sent_id = {name}" if (parse_comment(c) or ("",))[0] == "sent_id" else c for c in sentence.comments)
    return replace(sentence, comments=comments, where=replace(sentence.where, sent_id=name))


def _parts_before(earlier: Mapping[str, str], prefix: str) -> dict[str, str]:
    """The part of each sentence of the last release, by `sent_id`."""
    return {
        sentence.sent_id: part
        for part in PARTS
        for sentence in conllu.loads(earlier.get(f"{prefix}-{part}.conllu", ""), Faults(strict=False))
    }


Documents = list[tuple[str, Rows]]


def divide(
    documents: Documents, before: Mapping[str, str] | None = None, *, sample: bool = False
) -> tuple[dict[str, Documents], list[str]]:
    """Return the sentences of each part by UD's rules, and what there is to say of the division.

    Less than 20,000 words are all test data (but for a sample, where one is asked for). Up to 110,000 words the test data are 10,000 words
    and the development data a tenth of the rest; of more, both are a tenth of all. Documents stay whole where that is possible. Sentences
    that were released before stay in their part, unless the treebank only now is large enough to be divided.
    """
    before = before or {}
    words = [len(sentence.forms) for _, sentence in documents]
    total = sum(words)
    known = Counter(before[s.sent_id] for _, s in documents if s.sent_id in before)
    if known and (total < SMALL or known["dev"]):
        usual = "train" if known["dev"] else "test"
        parts = {part: [pair for pair in documents if before.get(pair[1].sent_id, usual) == part] for part in PARTS}
        count = len(documents) - known.total()
        return parts, [
            f"{plural(known.total(), 'sentence')} stay in the part of the last release; new ones ({count}) go to {usual}"
        ]
    if total < SMALL:
        set_aside = _sample(documents) if sample else 0
        return {"train": documents[:set_aside], "dev": [], "test": documents[set_aside:]}, []
    test = TEST_WORDS if total <= LARGE else total // 10
    dev = (total - test) // 10 if total <= LARGE else total // 10
    rest, said = list(documents), []
    parts = {}
    for part, size in (("test", test), ("dev", dev)):
        cut, broken = _cut(rest, size)
        parts[part], rest = rest[cut:], rest[:cut]
        if broken:
            said.append(f"the document {broken} is divided between {part} and the parts before it")
    return {"train": rest, "dev": parts["dev"], "test": parts["test"]}, said


def _sample(documents: Documents) -> int:
    """How many sentences from the first are set aside: whole documents where these are 20 to 50, else the least number."""
    low, high = SAMPLE
    if len(documents) < 2 * low:
        return 0
    ends = [k for k in range(low, min(high, len(documents) - 1) + 1) if documents[k][0] != documents[k - 1][0]]
    return ends[0] if ends else low


def _cut(documents: Documents, size: int) -> tuple[int, str]:
    """Where the last part begins, which has `size` words at least, and the document that this divides.

    The part begins with a document where that makes it at most half as large again as it must be.
    """
    words, at = 0, len(documents)
    while at and words < size:
        at -= 1
        words += len(documents[at][1].forms)
    start, whole = at, words
    while start and documents[start - 1][0] == documents[start][0]:
        start -= 1
        whole += len(documents[start][1].forms)
    if start == at:
        return at, ""
    return (start, "") if 2 * whole <= 3 * size and start else (at, documents[at][0])


def _with_boundaries(sentences: Documents) -> list[Rows]:
    """Sentences with `# newdoc id` where a document begins, and `# newpar` on the first that is left of a paragraph."""
    placed: list[Rows] = []
    for name, some in groupby(sentences, key=lambda pair: pair[0]):
        for k, (_, sentence) in enumerate(some):
            marks = [line for line in sentence.comments if (match := _NEW.match(line)) and match[1] == "par"]
            document = ["# newdoc id = " + "_".join(name.split())] if not k else []
            rest = [line for line in sentence.comments if not _NEW.match(line)]
            if placed and (document or marks):
                placed[-1] = _with_blanks(placed[-1])
            placed.append(replace(sentence, comments=(*document, *marks, *rest)))
    if placed:
        placed[-1] = _with_blanks(placed[-1])
    return placed


def _with_blanks(sentence: Rows) -> Rows:
    """With a space after its last word, since a document or paragraph ends here."""
    misc = list(sentence.columns[9])
    ends = [row for row, name in enumerate(sentence.columns[0]) if "." not in name]
    for row in ends[-1:] + [
        row for row in ends if "-" in sentence.columns[0][row] and sentence.columns[0][row].endswith(f"-{len(sentence.forms)}")
    ]:
        misc[row] = "|".join(item for item in misc[row].split("|") if item != "SpaceAfter=No") or "_"
    return replace(sentence, columns=(*sentence.columns[:9], tuple(misc)))


class Readme(NamedTuple):
    """The sections of a README by their titles, in order, and its machine-readable metadata."""

    sections: dict[str, str]
    metadata: dict[str, str]

    @classmethod
    def parse(cls, text: str) -> Readme:
        """Return the parts of a README.

        >>> Readme.parse("# Summary\\n\\nShort.\\n\\n<pre>\\n=== Machine-readable metadata ===\\nGenre: news\\n===\\n</pre>\\n")
        Readme(sections={'Summary': 'Short.'}, metadata={'Genre': 'news'})
        """
        body, mark, block = text.partition("=== Machine-readable metadata")
        sections: dict[str, str] = {}
        for part in re.split(r"(?m)^# ", body.removesuffix("<pre>\n") if mark else body)[1:]:
            title, _, inside = part.partition("\n")
            sections[title.strip()] = inside.strip()
        return cls(sections, {name: value.strip() for name, value in _METADATA_LINE.findall(block) if name in METADATA})


def _metadata(sentences: Sequence[Rows], how: ReleaseOptions, old: Readme, drafts: int) -> dict[str, str]:
    """The machine-readable block: as given, as it was, or as the trees show."""
    by_hand = "automatic" if drafts else "manual native"
    filled = {k: any(cell != "_" for s in sentences for cell in s.column(k)) for k in (2, 4, 5)}
    shown = {
        "Includes text": "yes",
        "Parallel": "no",
        "Lemmas": "automatic with corrections" if filled[2] else "not available",
        "UPOS": by_hand,
        "XPOS": "manual native" if filled[4] else "not available",
        "Features": "automatic with corrections" if filled[5] else "not available",
        "Relations": by_hand,
        "Contributing": "here",
    }
    metadata = {}
    for name, setting in METADATA.items():
        given = str(getattr(how, setting)) if setting else ""
        if given and setting == "since":
            given = f"UD v{given.removeprefix('UD').strip().removeprefix('v')}"
        kept = "" if name in ("UPOS", "Relations") and drafts else old.metadata.get(name)
        metadata[name] = " ".join((given or kept or shown.get(name, "")).split())
    return metadata


def _too_small(sentences: Sequence[Rows]) -> Iterator[str]:
    words = sum(len(s.forms) for s in sentences)
    if len(sentences) < LEAST_SENTENCES or words < LEAST_WORDS:
        yield f"{plural(len(sentences), 'sentence')} and {plural(words, 'word')}: UD releases treebanks from {LEAST_SENTENCES} sentences and {LEAST_WORDS} words on"


def _incomplete(metadata: Mapping[str, str], readme: Readme, license_text: str) -> Iterator[str]:
    """What UD's check of the files and of the README would refuse."""
    if not re.fullmatch(r"UD v\d+\.\d+", metadata["Data available since"]):
        yield f"since: '{metadata['Data available since']}', the first release with this treebank expected (since=2.19)"
    if not metadata["License"]:
        yield f"license: none, one such as CC BY-SA 4.0 expected ({', '.join(LICENSES)} are known)"
    elif TO_WRITE in license_text:
        yield f"LICENSE.txt: the text of {metadata['License']} is missing"
    if unknown := sorted(set(metadata["Genre"].split()) - GENRES):
        yield f"genre: '{' '.join(unknown)}' is not in UD's list: {' '.join(sorted(GENRES))}"
    if not metadata["Genre"]:
        yield f"genre: none, some of UD's list expected: {' '.join(sorted(GENRES))}"
    names = [name.strip() for name in metadata["Contributors"].split(";")]
    if wrong := [name for name in names if name.count(",") != 1]:
        yield f"contributors: '{wrong[0]}', Last, First expected, with semicolons between people"
    if "@" not in metadata["Contact"]:
        yield f"contact: '{metadata['Contact']}', an e-mail address expected"
    for name in ("Lemmas", "UPOS", "XPOS", "Features", "Relations"):
        refused = ("automatic", "automatic with corrections", "not available") if name in ("UPOS", "Relations") else ()
        if metadata[name] not in SOURCES or metadata[name] in refused:
            why = ": nobody has checked some of the sentences" if refused and metadata[name] == "automatic" else ""
            yield f"{name}: '{metadata[name]}'{why}, one of {', '.join(x for x in SOURCES if x not in refused)} expected"
    if metadata["Contributing"] not in CONTRIBUTING:
        yield f"contributing: '{metadata['Contributing']}', one of {', '.join(CONTRIBUTING)} expected"
    length = len(readme.sections.get("Summary", ""))
    if not SUMMARY_LENGTH[0] <= length <= SUMMARY_LENGTH[1]:
        yield f"README.md: the section Summary has {length} characters, {SUMMARY_LENGTH[0]} to {SUMMARY_LENGTH[1]} expected"


def _remarks(sentences: Sequence[Rows], left_out: Sequence[LeftOut], readme: str) -> Iterator[str]:
    """What is worth a look before the treebank is handed in."""
    reasons: dict[str, list[Rows]] = defaultdict(list)
    for sentence, reason in left_out:
        reasons[reason if reason.startswith("not confirmed") else "what the UD validator would refuse"].append(sentence)
    for reason, some in sorted(reasons.items()):
        shown = ", ".join(s.sent_id or str(s.where) for s in some[:5]) + (" …" if len(some) > 5 else "")
        yield f"{plural(len(some), 'sentence')} left out, {reason}: {shown} ({NOT_RELEASED}/left-out.conllu)"
    tags = Counter(tag for s in sentences for tag in s.column(3))
    if tags["X"]:
        yield f"{plural(tags['X'], 'word')} tagged X"
    deprels = Counter(rel for s in sentences for rel in s.column(7))
    if deprels["dep"]:
        yield f"{plural(deprels['dep'], 'word')} with the relation dep, which UD keeps for what cannot be told"
    for column, name in ((2, "lemmas"), (5, "features")):
        cells = [cell for s in sentences for cell in s.column(column)]
        empty = cells.count("_")
        if empty < len(cells):
            if empty and column == 2:
                yield f"{plural(empty, 'word')} without a lemma"
        elif cells:
            yield f"no {name}: UD accepts this, and gives the treebank fewer stars"
    words = [pair for s in sentences for pair in zip(s.column(3), s.column(5), strict=True)]
    if bare := sum(tag in ("PRON", "DET") and "PronType=" not in feats for tag, feats in words):
        yield f"{plural(bare, 'pronoun')} or determiners without PronType (a warning of the validator)"
    if not any(translation_key(*pair) for s in sentences for c in s.comments if (pair := parse_comment(c))):
        yield "no translations (# text_en = …)"
    if any(cell != "_" for s in sentences for cell in s.columns[8]):
        yield "enhanced dependencies (DEPS) are handed on as they are, and not checked here"
    if texts := [text for text, count in Counter(surface_text(s) for s in sentences).items() if count > 1]:
        yield f"{plural(len(texts), 'text')} more than once, such as: {texts[0][:60]}"
    places = readme.count(TO_WRITE)
    if places:
        yield f"README.md has {plural(places, 'place')} that only you can fill in: look for “{TO_WRITE}”"
    yield f"to be registered with UD once (a page each): auxiliaries, features and subtypes of relations in {NOT_RELEASED}/lists.tsv"
    yield "a page on the language in UD's documentation (_xx/index.md, 2,500 characters or more), if the language is new there"


def lists(sentences: Iterable[Rows]) -> str:
    """Return what UD keeps lists of for each language, with counts and an example: features by tag, subtypes of relations, auxiliaries."""
    counts: Counter[tuple[str, str, str]] = Counter()
    examples: dict[tuple[str, str, str], str] = {}
    for sentence in sentences:
        columns = (sentence.column(k) for k in (1, 2, 3, 5, 7))
        for form, lemma, tag, feats, rel in zip(*columns, strict=True):
            keys = [("feature", item, tag) for item in feats.split("|") if item != "_"]
            keys += [("relation", rel, "")] if ":" in rel else []
            keys += [("auxiliary", lemma, rel)] if tag == "AUX" and base(rel) in ("aux", "cop") else []
            for key in keys:
                counts[key] += 1
                examples.setdefault(key, f"{form} ({sentence.sent_id})")
    rows = ["list\tvalue\twith\tcount\texample"]
    rows += ["\t".join((*key, str(counts[key]), examples[key])) for key in sorted(counts)]
    return "\n".join(rows) + "\n"


def count_tokens(sentences: Iterable[Rows]) -> tuple[int, int, int, int]:
    """Return sentences, tokens (multiword ones as one), words and multiword tokens, as UD counts them."""
    count = tokens = words = fused = 0
    for sentence in sentences:
        count += 1
        spans = [name.split("-") for name in sentence.columns[0] if "-" in name]
        words += len(sentence.forms)
        fused += len(spans)
        tokens += len(sentence.forms) - sum(int(high) - int(low) for low, high in spans)
    return count, tokens, words, fused


def _readme(
    title: str,
    codes: LanguageCodes,
    sentences: Sequence[Rows],
    parts: Mapping[str, Sequence[Rows]],
    said: Sequence[str],
    metadata: Mapping[str, str],
    old: Readme,
) -> str:
    """The text of README.md; sections that were there before stay, but for those that are counted anew."""
    count, _, words, _ = count_tokens(sentences)
    languages = sorted(
        {code for s in sentences for c in s.comments if (pair := parse_comment(c)) and (code := translation_key(*pair))}
    )
    translations = f" with translations into {_and(map(language_name, languages))}" if languages else ""
    documents = [c for some in parts.values() for s in some for c in s.comments if c.startswith("# newdoc")]
    glossed = any("Gloss=" in cell for s in sentences for cell in s.columns[9])
    numbers = f"{count:,} sentences ({words:,} words) of {'glossed ' if glossed else ''}text in {codes.name}{translations}"
    code_line = ", ".join(
        text
        for text in (codes.iso639_3 and f"ISO 639-3 {codes.iso639_3}", codes.glottocode and f"Glottocode {codes.glottocode}")
        if text
    )
    sections = {
        "Summary": f"{title} has {numbers}, annotated in Universal Dependencies and checked by hand.",
        "Introduction": f"{title} consists of {numbers}"
        + (f" ({code_line})" if code_line else "")
        + f", in {plural(len(set(documents)), 'document')}.\n\n{TO_WRITE} where the texts come from, who recorded, transcribed and glossed them, and how the "
        "trees were made and checked.)",
        "Acknowledgments": f"{TO_WRITE} whom to thank, and what to cite.)",
        "Changelog": f"* {metadata['Data available since'] or 'UD v…'}\n  * Initial release in Universal Dependencies.",
    }
    counted = {"Data split": _split_text(parts, said), "Statistics": _statistics(sentences, parts)}
    if codes.glottocode or codes.iso639_3:
        counted["Language"] = f"{codes.name}: {code_line}."
    order = ["Summary", "Introduction", "Language", "Data split", "Statistics"]
    order += [name for name in old.sections if name not in (*order, *sections)]
    order += ["Acknowledgments", "Changelog"]
    written = {name: text for name, text in old.sections.items() if text and not _is_ours(text, sections.get(name, ""))}
    texts = {**sections, **written, **counted}
    body = "\n\n".join(f"# {name}\n\n{texts[name]}" for name in order if texts.get(name))
    line = "=== Machine-readable metadata (DO NOT REMOVE!) ================================"
    block = "\n".join([line, *(f"{name}: {metadata[name]}" for name in METADATA), "=" * len(line)])
    return f"{body}\n\n<pre>\n{block}\n</pre>\n"


def _is_ours(text: str, new: str) -> bool:
    """Whether a section is as an earlier release wrote it: the new text, but for numbers."""
    return re.sub(r"[\d.,…]+", "", text) == re.sub(r"[\d.,…]+", "", new)


def _and(names: Iterable[str]) -> str:
    *most, last = names
    return f"{', '.join(most)} and {last}" if most else last


def _split_text(parts: Mapping[str, Sequence[Rows]], said: Sequence[str]) -> str:
    if set(parts) == {"test"}:
        rule = "The treebank is too small to be divided, so all of it is test data, as UD recommends. Use cross-validation to train on it."
    elif "dev" not in parts:
        rule = (
            "The treebank is too small to be divided; a few sentences are set aside as a sample (train), the rest is test data."
        )
    else:
        rule = "The text was divided in its order, at the ends of documents where possible: train, dev, test."
    return " ".join([rule, *(f"{line[0].upper()}{line[1:]}." for line in said if "divided" in line)])


def _statistics(sentences: Sequence[Rows], parts: Mapping[str, Sequence[Rows]]) -> str:
    """Tables of what there is: sizes of the parts, tags and relations."""
    rows = ["| part | sentences | tokens | words | multiword tokens |", "|---|---:|---:|---:|---:|"]
    for name, some in (*((part, parts[part]) for part in PARTS if part in parts), ("all", sentences)):
        rows.append(f"| {name} | " + " | ".join(f"{n:,}" for n in count_tokens(some)) + " |")
    for title, k in (("part of speech", 3), ("relation", 7)):
        counts = Counter(chain.from_iterable(s.column(k) for s in sentences))
        listed = ", ".join(f"{name} {n:,}" for name, n in sorted(counts.items(), key=lambda pair: (-pair[1], pair[0])))
        rows += ["", f"By {title}: {listed}."]
    names = sorted(
        {item.partition("=")[0] for s in sentences for cell in s.column(5) for item in cell.split("|") if item != "_"}
    )
    return "\n".join([*rows, *(["", f"Features: {', '.join(names)}."] if names else [])])


def _contributing(where: str) -> str:
    if where == "here":
        how = "Pull requests are welcome against the branch `dev`; never against `master`, which holds the last release of UD."
    else:
        how = "Please report errors as issues; pull requests would be overwritten, since the data are made elsewhere. Nothing is ever merged into `master` by hand: it holds the last release of UD."
    return f"# Contributing\n\n{how}\n\nUD's policy on branches: https://universaldependencies.org/contributing/repository_files.html#repository-branches\n"


def _license(name: str, title: str) -> str:
    if name not in LICENSES:
        return f"{title} is licensed under {name}.\n\n{TO_WRITE} the text of the licence, or where it is.)\n" if name else ""
    full, address = LICENSES[name]
    return f"{title}\n\nThis work is licensed under the {full} ({name}). To view a copy of this licence, visit\n\n{address}\n"


def _report(title: str, parts: Mapping[str, Sequence[Rows]], missing: Sequence[str], remarks: Sequence[str]) -> Iterator[str]:
    yield title
    for part in PARTS:
        if part in parts:
            count, _, words, _ = count_tokens(parts[part])
            yield f"{part}: {plural(count, 'sentence')}, {plural(words, 'word')}"
    if missing:
        yield from ("", "UD would refuse this release until these are mended:", *(f"- {line}" for line in missing))
    yield from ("", "Worth a look:", *(f"- {line}" for line in remarks))
