"""`proj find`: search trees with a small query language."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from divproj.io.files import F_FILE, in_folder, locate
from proj_cli import common, options
from proj_cli.common import talk

if TYPE_CHECKING:
    from divproj.core.errors import Faults
    from divproj.core.sentence import Rows
    from divproj.search import Match, Query, Replacement

LANGUAGE = "Query language"


@options.command
def find(
    *,
    query: Annotated[str, typer.Argument(metavar="QUERY", help="The condition on a word, in quotation marks.")],
    files: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[FILE]...", help="CoNLL-U, a corpus folder or a sample corpus; - is standard input.", show_default=False
        ),
    ] = None,
    count: Annotated[
        bool, typer.Option("--count", help="Print only the number of matching words and sentences.", rich_help_panel="Output")
    ] = False,
    by: Annotated[
        str | None,
        typer.Option(
            "--by", metavar="PATH", help="Count the matches by this attribute, for example head.upos.", rich_help_panel="Output"
        ),
    ] = None,
    conllu: Annotated[
        bool, typer.Option("--conllu", help="Write the matching sentences as CoNLL-U.", rich_help_panel="Output")
    ] = False,
    json: Annotated[bool, typer.Option("--json", help="Write one JSON object per match.", rich_help_panel="Output")] = False,
    changes: Annotated[
        str | None,
        typer.Option(
            "--set",
            metavar="COLUMN=VALUE",
            help="Change the matching words: shown only; with -o FILE, or --conllu, the whole file is written with the changes.",
        ),
    ] = None,
    output: Annotated[
        str,
        typer.Option(
            "-o", "--output", metavar="FILE", help="Write to this file; - is standard output.", rich_help_panel="Output"
        ),
    ] = "-",
    limit: Annotated[
        int,
        typer.Option("--limit", min=0, metavar="N", help="Stop after N sentences; 0 means no limit.", rich_help_panel="Output"),
    ] = 0,
    strict: options.Strict = False,
) -> None:
    """Search trees for words that meet a condition.

    Example: proj find 'upos=NOUN & head.upos=VERB & rel=obj' trees.conllu

    Example: proj find 'upos=ADP' hin-eng --by head.upos

    Example: proj find 'upos=ADP & rel=det' trees.conllu --set 'upos=DET & feats.PronType=Art' -o better.conllu

    A query tests one word: form, lemma, upos, xpos, feats.KEY, rel, gloss, misc.KEY, id, distance, side, children, depth,
    conf, sent_id, text, length, comment.KEY, with = != ~ < <= > >=. Other words are reached by head, child, ancestor, descendant, sibling,
    next, prev: head.upos=VERB, child(upos=ADP & rel=case). Join tests with & | ! and brackets; /…/ is a regular expression.
    """
    from divproj.search import find as search
    from divproj.search import parse
    from divproj.search.query import parse_path

    wanted = parse(query)
    path = parse_path(by) if by else None
    if sum((count, by is not None, conllu, json)) > 1:
        raise typer.BadParameter("give one of --count, --by, --conllu, --json")
    if not files:
        raise typer.BadParameter("give a CoNLL-U file, a corpus folder or the name of a sample corpus")
    faults = common.faults_for(strict)
    if changes is not None:
        if count or by or json or limit:
            raise typer.BadParameter("--set goes with -o and --conllu only")
        _replace(wanted, changes, files, output, whole=conllu or output != "-", faults=faults)
        return
    words = sentences = 0
    tally: Counter[str] = Counter()
    from divproj.io.files import writing

    with writing(output) as out:
        for match in search(talk.progress(_sentences(files, faults), "searching sentence"), wanted, faults):
            sentences, words = sentences + 1, words + len(match.words)
            if path:
                from divproj.search import SentenceView

                view = SentenceView(match.sentence)
                tally.update(value or "_" for k in match.words for value in view.values(k, path))
            elif conllu:
                from divproj.io.trees.conllu import dumps

                out.write(dumps(match.sentence).rstrip("\n") + "\n\n")
            elif json:
                out.write(_json(match))
            elif not count:
                out.writelines(_lines(match))
            if limit and sentences >= limit:
                break
        if count:
            out.write(f"{words}\t{sentences}\n")
        for value, times in sorted(tally.items(), key=lambda item: (-item[1], item[0])):
            out.write(f"{times}\t{value}\n")
    talk.summary(faults)
    if not count:
        talk.say(f"{words} word{'s' * (words != 1)} in {sentences} sentence{'s' * (sentences != 1)}")


def _replace(wanted: Query, changes: str, files: list[str], output: str, *, whole: bool, faults: Faults) -> None:
    """Show what changes; with `whole`, write the file with the changes, and sentences that cannot be read as they are."""
    from divproj.core.errors import FormatError
    from divproj.io.files import name_of, reading, writing
    from divproj.io.trees import conllu
    from divproj.search import parse_changes, replace_all

    if whole and len(files) > 1:
        raise typer.BadParameter("--set writes one file: give one, or leave out -o to see what would change")
    edits = options.usage("--set: ", parse_changes, changes)
    words = sentences = left = 0
    with writing(output) as out:
        for name in files:
            path = _file(name)
            with reading(path) as stream:
                for line, block, end in talk.progress(conllu.blocks(stream, name_of(path)), "searching sentence"):
                    try:
                        sentence = conllu.parse(block, name_of(path), line, end)
                    except FormatError as error:
                        faults.sentence(error)
                        out.write((block.decode("utf-8", "replace") + end) if whole else "")
                        continue
                    for change in replace_all([sentence], wanted, edits, faults):
                        sentence = change.after
                        if change.problem:
                            left += 1
                            talk.caution(f"{change.before.sent_id or change.before.where}: left as it is: {change.problem}")
                        elif change.differs:
                            sentences += 1
                            shown = list(_changes(change))
                            words += len({word for word, _ in shown})
                            if not whole:
                                out.writelines(common.harmless(text).replace("\n", " ") + "\n" for _, text in shown)
                    if whole:
                        out.write(conllu.dumps(sentence))
    talk.summary(faults)
    done = f"written to {output}" if whole else "nothing is written without -o FILE"
    more = f"; {left} sentence{'s' * (left != 1)} left as they are" if left else ""
    talk.say(f"{words} word{'s' * (words != 1)} changed in {sentences} sentence{'s' * (sentences != 1)}{more}: {done}")


def _changes(change: Replacement) -> Iterator[tuple[int, str]]:
    """Each cell that changes: its word, and a line that shows it before and after."""
    before, after = change.before, change.after
    name = before.sent_id or str(before.where)
    for k, column in enumerate(("ID", "FORM", "LEMMA", "UPOS", "XPOS", "FEATS", "HEAD", "DEPREL", "DEPS", "MISC")):
        for word, (old, new) in enumerate(zip(before.column(k), after.column(k), strict=True), 1):
            if old != new:
                yield word, f"{name}\t{word}\t{before.forms[word - 1]}\t{column}\t{old}\t→\t{new}"


def _file(name: str) -> str | Path:
    """The CoNLL-U file that an argument names: itself, or that of F in a corpus folder."""
    path = locate(name)
    return (in_folder(path, F_FILE) or path / F_FILE) if path.is_dir() else name


def _sentences(files: list[str], faults: Faults) -> Iterator[Rows]:
    from divproj.io.trees import conllu

    for name in files:
        yield from (sentence for sentence in conllu.load(_file(name), faults) if sentence is not None)


def _lines(match: Match) -> Iterator[str]:
    """`tur-01  3  Dedem köyde [yaşıyor]`: where, which word, the sentence around it."""
    from divproj.core.sentence import misc_value

    sentence = match.sentence
    forms, name = sentence.forms, sentence.sent_id or str(sentence.where)
    for k in match.words:
        shown = " ".join(f"[{form}]" if j == k else form for j, form in enumerate(forms, 1))
        head, rel = sentence.column(6)[k - 1], sentence.column(7)[k - 1]
        up = forms[int(head) - 1] if head.isdecimal() and 0 < int(head) <= len(forms) else "root" if head == "0" else "_"
        gloss = misc_value(sentence.column(9)[k - 1], "Gloss")
        yield (
            common.harmless(f"{name}\t{k}\t{forms[k - 1]}{f' ‘{gloss}’' * bool(gloss)} ←{rel}─ {up}\t{shown}").replace(
                "\n", " "
            )
            + "\n"
        )


def _json(match: Match) -> str:
    import json

    sentence = match.sentence
    record = {
        "sent_id": sentence.sent_id,
        "file": sentence.where.path,
        "line": sentence.where.line,
        "words": list(match.words),
        "forms": [sentence.forms[k - 1] for k in match.words],
        "text": sentence.comment("text") or " ".join(sentence.forms),
    }
    return json.dumps(record, ensure_ascii=False) + "\n"
