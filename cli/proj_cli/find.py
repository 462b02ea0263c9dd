"""`proj find`: search trees with a small query language."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated

import typer

from divproj.io.files import F_FILE
from proj_cli import common, options
from proj_cli.common import talk

if TYPE_CHECKING:
    from divproj.core.errors import Faults
    from divproj.core.sentence import Rows
    from divproj.search import Match

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
    talk.say(f"{words} word{'s' * (words != 1)} in {sentences} sentence{'s' * (sentences != 1)}")


def _sentences(files: list[str], faults: Faults) -> Iterator[Rows]:
    from divproj.io.files import in_folder, locate
    from divproj.io.trees import conllu

    for name in files:
        path = locate(name)
        source = (in_folder(path, F_FILE) or path / F_FILE) if path.is_dir() else name
        yield from (sentence for sentence in conllu.load(source, faults) if sentence is not None)


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
