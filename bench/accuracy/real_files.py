"""Linguists' files: examples, translations, words and glosses against indexes and readers that do not know ours.

    python bench/accuracy/real_files.py [--data igt-real igt-real2] [--sample 200 --each 9 --seed 7]

For each file: examples and translations found of those in its folder's `INDEX.tsv`, translations with a macro, a tail or in another language
than the rest, and letters of the source lines that are not in the words. Words and glosses of ELAN, FLEx, TextGrid and tables (as .csv, and the same
rows as .xlsx) are compared with what `elan_words`, `flex_words`, `textgrid_words` and `table_words` read with the standard library alone.
`--sample` prints translations at random, `--each` as many from every file, to be read by eye; what was seen is in `bench/notes`.
"""

from __future__ import annotations

import argparse
import csv
import json
import random
import re
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from xml.etree import ElementTree

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
sys.path.append(str(Path(__file__).resolve().parents[2] / "tests"))
from bench.common import DATA, Table, need

from divproj.core.errors import Faults, ProjError
from divproj.core.options import ReaderOptions
from divproj.core.sentence import Sentence
from divproj.io.interlinear import formats, words
from divproj.text import language_id

MACRO = re.compile(r"\\[A-Za-z]|[{}$]|``|</?(?:sup|sub|i|b)>")
TAIL = re.compile(r"[’”'\"»]\s+(?:\(|\[|[A-Z][a-z]+:)|\((?:[A-Z][\w-]+,? )?\d{4}|^[‘“«][^’”»]*$")
LEAST = 0.95
"""Share of examples below which a file is named at the end."""
Row = tuple[tuple[str, str], ...]
"""Words of a sentence, each with the letters of its gloss."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, nargs="+", default=[DATA / "igt-real", DATA / "igt-real2"])
    parser.add_argument("--sample", type=int, default=0)
    parser.add_argument("--each", type=int, default=0, help="translations at random from every file")
    parser.add_argument("--seed", type=int, default=7)
    options = parser.parse_args()
    columns = ("file", "examples", "of", "translations", "of these", "words", "of them", "glosses", "of all", "flagged", "lost letters per 1000", "languages")  # fmt: skip
    with Table(
        "real_files", "Examples, translations, words and glosses read, against indexes and readers of their own", *columns
    ) as table:
        every = read_all(table, options.data)
    chance = random.Random(options.seed)
    drawn = chance.sample(every, min(options.sample, len(every)))
    for name in dict.fromkeys(file for file, _, _ in every):
        some = [one for one in every if one[0] == name]
        drawn += chance.sample(some, min(options.each, len(some)))
    for file, code, text in drawn:
        print(f"{file}\t{code}\t{text}", file=sys.stderr)


def read_all(table: Table, folders: list[Path]) -> list[tuple[str, str, str]]:
    """Add a row for each file; return file, language and text of every translation."""
    every: list[tuple[str, str, str]] = []
    sums: Counter[str] = Counter()
    refused, below = [], []
    rows = [(folder, row) for folder in folders for row in _index(folder)]
    for data, row in rows:
        path, name = data / row["kind"] / row["file"], row["file"]
        wanted = int(row["examples"]), int(row["with_translation"])
        if row["file"] in COUNTED:
            wanted = COUNTED[row["file"]](path)
        try:
            instances, raw = _read(path), _read(path, as_written=True)
        except ProjError as error:
            refused.append(f"{name}: {error.message[:60]}")
            sums += Counter(refused=wanted[0])
            table.add(name, 0, wanted[0], 0, wanted[1], "", "", "", "", 0, "", "refused")
            continue
        examples = sum(int(dict(one.meta).get("parts", 1)) for one in instances)
        texts = [(code, text) for one in instances for code, text in one.translations or (("en", one.translation),) if text]
        translated = sum(bool(one.translation) for one in instances)
        faulty = sum(is_faulty(text, code, texts) for code, text in texts)
        lost, letters = _lost(instances, raw)
        languages = Counter(code for code, _ in texts)
        right, all_words, right_glosses, all_glosses = compare(path, row["kind"], raw)
        sums += Counter(
            examples=min(examples, wanted[0]), wanted=wanted[0], translated=min(translated, wanted[1]), translations=wanted[1],
            more=max(0, examples - wanted[0]), faulty=faulty, texts=len(texts), lost=lost, letters=letters, right=right, words=all_words,
            right_glosses=right_glosses, glosses=all_glosses,
        )  # fmt: skip
        if examples < LEAST * wanted[0] or translated < LEAST * wanted[1]:
            below.append(name)
        every += [(name, code, text) for code, text in texts]
        said = " ".join(f"{code}:{count}" for code, count in languages.most_common())
        compared = (right, all_words, right_glosses, all_glosses) if all_words else ("",) * 4
        table.add(
            name, examples, wanted[0], translated, wanted[1], *compared, faulty, f"{1000 * lost / max(1, letters):.2f}", said
        )
    for data, row in rows:
        if row["file"] in TABLES:
            _add_workbook(table, data / row["kind"] / row["file"], sums)
    read, translated = 100 * sums["examples"] / sums["wanted"], 100 * sums["translated"] / sums["translations"]
    table.note(
        f"examples {read:.2f} %, translations {translated:.2f} %, {sums['more']} examples more than the index; flagged {sums['faulty']:,} of {sums['texts']:,}"
    )
    table.note(
        f"words equal to the independent readers' {sums['right']:,} of {sums['words']:,}, glosses {sums['right_glosses']:,} of {sums['glosses']:,}"
    )
    table.note(f"letters of the source words that are in neither FORM nor `MSeg=`: {sums['lost']:,} of {sums['letters']:,}")
    table.note(f"below 95 %: {', '.join(below) or 'none'}; refused: {'; '.join(refused) or 'none'}")
    return every


def _index(folder: Path) -> list[dict[str, str]]:
    with need(folder / "INDEX.tsv").open(encoding="utf-8") as stream:
        return list(csv.DictReader(stream, delimiter="\t"))


def compare(path: Path, kind: str, instances: list[Sentence]) -> tuple[int, int, int, int]:
    """Words and glosses that are in the same sentence for us and for a reader of its own, and all of these."""
    if kind == "flex":
        theirs = Counter(flex_words(path))
    elif kind == "elan" and path.name in ELAN_TIERS:
        theirs = Counter(elan_words(path, *ELAN_TIERS[path.name]))
    elif kind == "textgrid":
        theirs = Counter(textgrid_words(path, SENTENCE_TIERS))
    elif path.name in TABLES:
        theirs = Counter(table_words(path, *TABLES[path.name]))
    else:
        return 0, 0, 0, 0
    return share(theirs, instances)


def share(theirs: Counter[Row], instances: list[Sentence]) -> tuple[int, int, int, int]:
    """Words and glosses of the rows that are among the instances, and all of these."""
    theirs = Counter(tuple((_key(word), gloss) for word, gloss in row) for row in theirs.elements())
    ours = Counter(tuple((_key(word), gloss) for word, gloss in _row(one)) for one in instances)
    shared = theirs & ours
    glossed = sum(len([1 for _, gloss in row if gloss]) * count for row, count in theirs.items())
    right_glosses = sum(len([1 for _, gloss in row if gloss]) * count for row, count in shared.items())
    bare = Counter(tuple(word for word, _ in row) for row in theirs.elements())
    shared_bare = bare & Counter(tuple(word for word, _ in row) for row in ours.elements())
    return (
        sum(len(row) * n for row, n in shared_bare.items()),
        sum(len(row) * n for row, n in bare.items()),
        right_glosses,
        glossed,
    )


def _row(igt: Sentence) -> Row:
    glosses = igt.glosses if len(igt.glosses) == len(igt.words) else ("",) * len(igt.words)
    return tuple((word, _letters(gloss)) for word, gloss in zip(igt.words, glosses, strict=True))


def _key(word: str) -> str:
    """Letters of a word: a line of text may write it with capitals and punctuation, a tier of words without."""
    return _letters(word).casefold() or word


def _letters(gloss: str) -> str:
    return "".join(char for char in gloss.replace("***", "") if char.isalnum())


def _plain(text: str | None) -> str:
    return " ".join((text or "").split())


def flex_words(path: Path) -> Iterator[Row]:
    """Words of each phrase of a FLEx export, with the letters of their glosses: of the morphemes, or else of the word."""
    for phrases in ElementTree.parse(path).getroot().iter("phrases"):
        for phrase in phrases:
            rows = []
            for word in phrase.iter("word"):
                if word is phrase:
                    continue
                items = [(item.get("type"), item.get("lang"), _plain(item.text)) for item in word.findall("item")]
                form = next((text for kind, _, text in items if kind in ("txt", "punct") and text), "")
                is_mark = not any(kind == "txt" and text for kind, _, text in items)
                morphs = [_preferred(morph, ("glsPrepend", "gls", "glsAppend")) for morph in word.iter("morph")]
                forms = [
                    text.strip("-=~") for morph in word.iter("morph") if (text := _first(morph, "txt") or _first(morph, "cf"))
                ]
                gloss = "".join(morphs) or _preferred(word, ("gls",))
                if form or forms:
                    rows.append((form or "".join(forms), "" if is_mark else _letters(gloss)))
            if rows:
                yield tuple((word, gloss) for word, gloss in rows)


def _first(node: ElementTree.Element, kind: str) -> str:
    return next((_plain(item.text) for item in node.findall("item") if item.get("type") == kind and _plain(item.text)), "")


def _preferred(node: ElementTree.Element, kinds: tuple[str, ...]) -> str:
    """Items of a node, in English where there are such."""
    texts = []
    for kind in kinds:
        items = [
            (item.get("lang"), _plain(item.text))
            for item in node.findall("item")
            if item.get("type") == kind and _plain(item.text)
        ]
        texts.append(next((text for lang, text in items if lang == "en"), items[0][1] if items else ""))
    return "".join(texts)


ELAN_TIERS: dict[str, tuple[str, str, str, str]] = {
    "gorwaa_test.eaf": ("A_phrase-txt-gow-Qaaa-x-Roma", "A_word-txt-gow-Qaaa-x-Roma", "A_morph-gls-en", ""),
    "wan_test.eaf": ("ref@", "mot@", "ge@", ""),
    "muyu_test.eaf": ("ref@", "wd@", "mb@", "# ## ZERO 0"),
    "eldpy_ref_tx_ft_wd_mb.eaf": ("ref@", "wd@", "mb@", "# ## ZERO 0"),
    "multicast_file-2.eaf": ("A_phrase-segnum-en", "A_word-txt-qaa-fonipa-x-eib", "A_morph-gls-en", ""),
    "mohawk_Teharenhsahkhwa.eaf": ("Kanien'kéha", "words", "morpheme gloss", ""),
    "san_Bull_holder.eaf": ("ref@", "mot@", "ge@", ""),
    "bashkir_KonITelega.eaf": ("ref@", "mot@", "ge@", ""),
    "bashkir_gaj_Istorija.eaf": ("ref@", "mot@", "ge@", ""),
    "komnzo_test.eaf": ("tx", "wd", "gl", ""),
    "eegimaa_Text13.eaf": ("ref@", "mot@", "ge@", ""),
    "yaminawa_test.eaf": ("MRR_phrase-txt-yaa", "MRR_word-txt-yaa", "MRR_morph-gls-es", ""),
    "lokono_IJAL_2.eaf": ("Orthographic represntation", "Word division-cp", "gloss", ""),
    "triqui_plumed_serpent.eaf": ("TRS-Ortho", "Tokenization-cp", "Tokenization-Gloss-cp", ""),
    "mixtec_phrases.eaf": ("Mixtec", "", "", ""),
    "mr_narracion.eaf": ("transcript_", "", "", ""),
    "fielddb_sample_elan.eaf": ("trs@", "", "", ""),
    "cofan_ll02_familial_history.eaf": ("palabra en a'ingae (ortografía nueva)", "", "", ""),
    "enenlhet_Miguel-Romero.eaf": ("Transcript|RH transcript", "", "", ""),
}
"""Tiers of sentences, words and glosses (those that begin so, where the name ends in @ or _), and words that are marks; '' where words are those of the line."""


def elan_words(path: Path, sentence: str, word: str, gloss: str, marks: str) -> Iterator[Row]:
    """Words of each sentence of an ELAN file, with the letters of their glosses, following references and shared time slots."""
    root = ElementTree.parse(path).getroot()
    tiers = {tier.get("TIER_ID", ""): [a[0] for a in tier.findall("ANNOTATION")] for tier in root.iter("TIER")}
    parents = {tier.get("TIER_ID", ""): tier.get("PARENT_REF", "") for tier in root.iter("TIER")}
    above = {a.get("ANNOTATION_ID"): a.get("ANNOTATION_REF") for some in tiers.values() for a in some}
    for name, some in tiers.items():  # a timed annotation belongs to the one above that its chain begins with
        starts = {a.get("TIME_SLOT_REF1"): a.get("ANNOTATION_ID") for a in tiers.get(parents.get(name) or "", [])}
        ends = {a.get("TIME_SLOT_REF2"): a for a in some if a.get("TIME_SLOT_REF2")}
        for a in some:
            at: ElementTree.Element | None = a
            seen = 0
            while at is not None and not above.get(a.get("ANNOTATION_ID")) and at.get("TIME_SLOT_REF1") and seen < 10_000:
                above[a.get("ANNOTATION_ID")] = starts.get(at.get("TIME_SLOT_REF1"))
                at, seen = ends.get(at.get("TIME_SLOT_REF1")), seen + 1

    def of(wanted: str) -> list[ElementTree.Element]:
        names = [n for one in wanted.split("|") for n in tiers if n == one or (one[-1:] in ("@", "_") and n.startswith(one))]
        return [a for name in names for a in tiers[name]] if wanted else []

    def up(a: str | None, tops: set[str | None]) -> str | None:
        seen = set()
        while a is not None and a not in tops and a not in seen:
            seen.add(a)
            a = above.get(a)
        return a

    sentences = {a.get("ANNOTATION_ID"): a for a in of(sentence)}
    if not word:
        for a in sentences.values():
            lines = [_plain(line) for line in (a.findtext("ANNOTATION_VALUE") or "").splitlines() if _plain(line)]
            two = len(lines) == 2
            whole = lines[0] if two else " ".join(lines)
            if whole:
                even = two and len(lines[0].split()) == len(lines[1].split())
                glosses = lines[1].split() if even else [""] * len(whole.split())
                yield tuple((w, _letters(g)) for w, g in zip(whole.split(), glosses, strict=True))
        return
    values = {a.get("ANNOTATION_ID"): _plain(a.findtext("ANNOTATION_VALUE")) for a in of(word)}
    texts: dict[str | None, str] = {}
    for a in _in_order(of(gloss)):
        home = up(a.get("ANNOTATION_ID"), set(values))
        texts[home] = texts.get(home, "") + _letters(_plain(a.findtext("ANNOTATION_VALUE")))
    by_sentence: dict[str | None, list[tuple[str, str]]] = {}
    for a in _in_order(of(word)):
        value = values[a.get("ANNOTATION_ID")]
        if value and value not in marks.split():
            home = up(a.get("ANNOTATION_ID"), set(sentences))
            row, meaning = by_sentence.setdefault(home, []), texts.get(a.get("ANNOTATION_ID"), "")
            beside = row[-1][0] if row and any(map(str.isalnum, row[-1][0])) else ""
            if beside and any(map(str.isalnum, value)) and (value[0] in "=-" or beside[-1] in "=-"):  # a clitic
                row[-1] = (row[-1][0] + value, row[-1][1] + meaning)
            else:
                row.append((value, meaning))
    yield from (tuple(row) for row in by_sentence.values())


def _in_order(annotations: list[ElementTree.Element]) -> list[ElementTree.Element]:
    """Annotations with those of one parent in the order that PREVIOUS_ANNOTATION says."""
    groups: dict[str | None, list[ElementTree.Element]] = {}
    for a in annotations:
        groups.setdefault(a.get("ANNOTATION_REF") or "", []).append(a)
    ordered: list[ElementTree.Element] = []
    for group in groups.values():
        after = {a.get("PREVIOUS_ANNOTATION"): a for a in group if a.get("PREVIOUS_ANNOTATION")}
        chain: list[ElementTree.Element] = []
        for first in (a for a in group if not a.get("PREVIOUS_ANNOTATION")):
            at: ElementTree.Element | None = first
            while at is not None and at not in chain:
                chain.append(at)
                at = after.get(at.get("ANNOTATION_ID"))
        ordered += [*chain, *(a for a in group if a not in chain)]
    return ordered


def _count_textgrid(path: Path) -> tuple[int, int]:
    return sum(1 for _ in textgrid_words(path, SENTENCE_TIERS)), sum(1 for _ in textgrid_words(path, ("eng",)))


def _count_table(path: Path) -> tuple[int, int]:
    with path.open(encoding="utf-8", newline="") as stream:
        rows = {(row["filename"], row["sentence_id"]): bool(_plain(row["translation"])) for row in csv.DictReader(stream)}
    return len(rows), sum(rows.values())


def _count_eopas(path: Path) -> tuple[int, int]:
    """Phrases with words: `[silence]` and `[?]` are none."""
    texts = [_plain(node.findtext("transcription")) for node in ElementTree.parse(path).getroot().iter("phrase")]
    return sum(any(map(str.isalnum, re.sub(r"\[[^\[\]]*\]", "", text))) for text in texts), 0


def _count_latex(path: Path) -> tuple[int, int]:
    """Examples, and those with a translation before the next begins."""
    openers = re.split(r"\\gll+\b", path.read_text(encoding="utf-8"))[1:]
    return len(openers), sum("\\glt" in re.split(r"\\ex\b|\\z\b|\\begin\b", part)[0] for part in openers)


def _count_lingview(path: Path) -> tuple[int, int]:
    texts = [_plain(sentence.get("text")) for sentence in json.loads(path.read_text(encoding="utf-8"))["sentences"]]
    return sum(any(map(str.isalnum, text)) for text in texts), 0


def _count_wikitext(path: Path) -> tuple[int, int]:
    count = len(re.findall(r"\{\{\s*(?:fs )?interlinear\s*\|", path.read_text(encoding="utf-8"), re.IGNORECASE))
    return count, count


COUNTED: dict[str, Callable[[Path], tuple[int, int]]] = {
    "fielddb_sample_elan.TextGrid": _count_textgrid,
    "abaza_oral.csv": _count_table,
    "eopas2.xml": _count_eopas,
    "lingview_story.json": _count_lingview,
    "Has_Hlai_grammar.wikitext.txt": _count_wikitext,
    "lsp241_ch3-5.tex": _count_latex,
}
"""Files of which the index counts something else, counted here: the TextGrid has the beginning of the .eaf; rows of the table are words; phrases of
silence and sentences without text have no words; `{{fs interlinear}}` is an example, too; a translation of lsp241 has no example."""
SENTENCE_TIERS = ("trs",)
"""Names before `@` of the tiers of the TextGrid that have the sentences."""
TABLES = {"abaza_oral.csv": ("word_forms", "gloss")}
"""Columns of words and of glosses."""


def textgrid_words(path: Path, tiers: Sequence[str]) -> Iterator[Row]:
    """Words of each interval of these tiers of a TextGrid, with the letters of the glosses, where these are its last line."""
    for tier in re.split(r"item ?\[\d+\]:", path.read_text(encoding="utf-8"))[1:]:
        name = re.search(r'name = "([^"]*)"', tier)
        if name and name[1].partition("@")[0] in tiers:
            for text in re.findall(r'text = "((?:[^"]|"")*)"', tier):
                lines = [line.split() for line in text.replace('""', '"').splitlines() if line.strip()]
                if lines:
                    even = len(lines) > 1 and len(lines[0]) == len(lines[-1])
                    glosses = lines[-1] if even else [""] * len(lines[0])
                    yield tuple((word, _letters(gloss)) for word, gloss in zip(lines[0], glosses, strict=True))


def table_words(path: Path, word: str, gloss: str) -> Iterator[Row]:
    """Words of each sentence of a table with a word in each row, with the letters of their glosses."""
    with path.open(encoding="utf-8", newline="") as stream:
        groups: dict[tuple[str, str], list[tuple[str, str]]] = {}
        for row in csv.DictReader(stream):
            form, meaning = ("" if row[name] == "NA" else row[name] for name in (word, gloss))
            groups.setdefault((row["filename"], row["sentence_id"]), []).append((form, _letters(meaning)))
    yield from map(tuple, groups.values())


def _add_workbook(table: Table, path: Path, sums: Counter[str]) -> None:
    """Add a row for the same table as .xlsx, of which every word has to be what the .csv has."""
    from officefiles import xlsx

    with path.open(encoding="utf-8", newline="") as stream:
        book = xlsx({"S": list(csv.reader(stream))})
    instances = formats.load_bytes(book, None, Faults(strict=False), ReaderOptions(as_written=True), f"{path.stem}.xlsx")
    theirs = Counter(table_words(path, *TABLES[path.name]))
    right, all_words, right_glosses, all_glosses = share(theirs, instances)
    sums += Counter(right=right, words=all_words, right_glosses=right_glosses, glosses=all_glosses)
    table.add(f"{path.stem}.xlsx", len(instances), theirs.total(), sum(bool(x.translation) for x in instances), "", right, all_words, right_glosses, all_glosses, "", "", "")  # fmt: skip


def _read(path: Path, *, as_written: bool = False) -> list[Sentence]:
    return list(formats.load(path, None, Faults(strict=False), as_written=as_written))


def is_faulty(text: str, code: str, texts: list[tuple[str, str]]) -> bool:
    """A macro, a tail, or surely another language than it is said to be."""
    if MACRO.search(text) or TAIL.search(text):
        return True
    guess = language_id.of_text(text) if len(text.split()) > 5 else language_id.Guess("", 0.0)
    return bool(guess.code) and guess.score > 0.9999 and guess.code != code


def _lost(found: list[Sentence], raw: list[Sentence]) -> tuple[int, int]:
    """Letters of the words as the file has them that are not in the words as they are given, and how many there are."""
    lost = total = 0
    for one, whole in zip(found, raw, strict=True):
        source = Counter(char for char in words.clean("".join(whole.words)).casefold() if char.isalpha() and char not in "øØ")
        given = Counter(char for char in "".join((*one.words, *one.segments)).casefold() if char.isalpha())
        lost += (source - given).total()
        total += source.total()
    return lost, total


if __name__ == "__main__":
    main()
