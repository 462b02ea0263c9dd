"""A review in a real browser, end to end: hands, keys, undo, learning, a killed server; and words that try to be code."""

from __future__ import annotations

import json
import signal
from collections.abc import Callable, Iterator
from dataclasses import replace
from operator import eq
from pathlib import Path
from typing import Any

import pytest
from reviewfiles import HOSTILE, MARKS, TEXT, Client, Command, correct, projected, reviewed, serving, session_of
from shared import need

from divproj import Corpus, Faults
from divproj.io.trees import conllu
from divproj.projection.direct import ProjectionInput
from divproj.projection.glossed.s6 import S6
from divproj.projection.pipeline import annotate, corrections
from divproj.projection.prepare import Preparation, prepare_text
from divproj.review.learning import AdaptingLearner, ProjectionInputs, TypeQuestions
from divproj.review.server import Review, Server
from divproj.runtime.resources import folder

New = Callable[[], Any]
NOW = "review.here.now"


@pytest.fixture
def review(tmp_path: Path) -> Review:
    return reviewed(tmp_path)


@pytest.fixture
def server(review: Review) -> Iterator[Server]:
    with serving(review) as made:
        yield made


@pytest.fixture
def page(new_page: New, server: Server) -> Any:
    return opened(new_page(), server.url)


def opened(page: Any, url: str) -> Any:
    page.open(url)
    page.wait("document.querySelector('.tree .word')")
    return page


def troubles(page: Any) -> list[str]:
    """Complaints, but for requests to the server and its refusals of edits."""
    mine = ("request: http://127.0.0.1:", "Failed to load resource: the server responded with a status of 409")
    return [text for text in page.troubles() if not text.startswith(mine)]


def heads(page: Any) -> list[int]:
    return page.js(f"{NOW}.heads")  # type: ignore[no-any-return]


def done(page: Any, version: int) -> None:
    """Until the page shows the sentence in this version."""
    page.wait(f"{NOW}.version === {version}")


def text_of(page: Any, selector: str) -> str:
    return page.js(f"document.querySelector({json.dumps(selector)}).textContent")  # type: ignore[no-any-return]


def drag(page: Any, start: str, end: str, *, drop: bool = True) -> None:
    """Press on one element, move by way of the middle, and let go on another."""

    def at(selector: str) -> tuple[float, float]:
        found = page.js(
            f"(() => {{ const e = document.querySelector({json.dumps(selector)});"
            "const b = (e.querySelector('.box, text') || e).getBoundingClientRect();"
            "return [b.x + b.width / 2, b.y + b.height / 2]; })()"
        )
        return found[0], found[1]

    (x, y), (x2, y2) = at(start), at(end)
    page.call("Input.dispatchMouseEvent", type="mouseMoved", x=x, y=y)
    page.call("Input.dispatchMouseEvent", type="mousePressed", button="left", clickCount=1, x=x, y=y)
    for share in (0.3, 0.7, 1.0):
        page.call("Input.dispatchMouseEvent", type="mouseMoved", button="left", x=x + share * (x2 - x), y=y + share * (y2 - y))
    if drop:
        page.call("Input.dispatchMouseEvent", type="mouseReleased", button="left", clickCount=1, x=x2, y=y2)


def word(k: int) -> str:
    return f'.tree .word[data-word="{k}"]'


def test_what_is_seen(page: Any):
    assert page.js("[...document.querySelectorAll('#list .id')].map(x => x.textContent)") == ["a1", "a2", "a4", "a3"]
    assert text_of(page, "#list .chip") == "64 %"
    assert text_of(page, "#count") == "1 of 4 sentences gold"
    assert text_of(page, "#free") == "‘I saw the dog .’"
    assert "only correction is possible" in text_of(page, "#saved")
    assert page.js("[...document.querySelectorAll('.tree .gloss')].map(x => x.textContent)") == ["1SG", "PFV", "see", "dog.DEF"]
    assert page.js("review.here.word") == 4  # the least sure
    assert page.js("document.activeElement.dataset.word") == "4"
    assert page.js("getComputedStyle(document.querySelector('.tree .word:focus .box')).stroke") != "none"
    assert page.js("document.querySelector('.edge[data-child=\"4\"]').matches('.weak')")
    assert text_of(page, "#why") == "guess: not the head that the translation suggests, or it suggests none · 30 % sure"
    assert troubles(page) == []


def test_an_arc_is_dragged_to_a_new_head(page: Any, review: Review):
    drag(page, '.edge[data-child="4"]', word(3))
    done(page, 1)
    assert heads(page) == [3, 3, 0, 3]
    assert text_of(page, "#told") == "karen (4) is now attached to ga (3)"
    assert page.js("document.querySelector('.edge[data-child=\"4\"]').matches('.hand')")
    drag(page, word(2), ".tree .zone")  # to the top: the root
    done(page, 2)
    assert heads(page) == [3, 0, 2, 3]
    assert list(review.session.states[0].heads) == [3, 0, 2, 3]
    drag(page, word(1), word(4), drop=False)
    assert page.js("document.querySelectorAll('.rubber').length") == 1
    assert page.js(f"document.querySelector('{word(4)}').matches('.target')")
    page.press("Escape")
    page.call("Input.dispatchMouseEvent", type="mouseReleased", button="left", clickCount=1, x=5, y=5)
    assert page.js("document.querySelectorAll('.rubber, .dragging, .target').length") == 0
    assert heads(page) == [3, 0, 2, 3]
    assert troubles(page) == []


def test_a_cycle_is_mended_by_a_swap(page: Any):
    drag(page, word(3), word(1))
    page.wait("!document.querySelector('#ask').hidden")
    assert text_of(page, "#asked").startswith("that would make a cycle: ni (1) is below ga (3)")
    assert page.js("document.activeElement.id") == "yes"
    page.press("Escape")
    assert page.js("document.querySelector('#ask').hidden")
    assert page.js("document.activeElement.dataset.word") == "3"
    drag(page, word(3), word(1))
    page.wait("!document.querySelector('#ask').hidden")
    page.press("Enter")
    done(page, 1)
    assert heads(page) == [0, 3, 1, 1]
    page.wait("document.activeElement.matches('.tree .word')")
    assert troubles(page) == []


def test_everything_by_keyboard(page: Any, review: Review):
    assert page.js("document.activeElement.dataset.word") == "4"
    page.press("h", "3", "Enter")
    done(page, 1)
    assert heads(page) == [3, 3, 0, 3]
    page.press("Home", "Enter", "ArrowRight", "ArrowRight", "ArrowRight")
    assert text_of(page, "#hint").startswith("Head of ni: arrow keys or a number")
    page.press("Escape")
    assert text_of(page, "#hint") == ""
    assert page.js("review.here.word") == 1
    page.press("ArrowUp")
    assert page.js("review.here.word") == 3
    page.press("ArrowDown", "ArrowRight", "r")
    done(page, 2)
    assert heads(page) == [3, 0, 2, 3]
    page.press("End", "l")
    assert page.js("document.activeElement.id") == "relation"
    page.call("Input.insertText", text="iobj")
    page.press("Enter")
    done(page, 3)
    assert page.js(f"{NOW}.rels[3]") == "iobj"
    page.wait("document.activeElement.dataset.word === '4'")
    page.press("l", "Escape")
    assert page.js("document.activeElement.dataset.word") == "4"
    page.press("h", "r")  # root while choosing
    done(page, 4)
    page.press("g")
    page.wait("!document.querySelector('#ask').hidden")  # what UD forbids is said before
    assert text_of(page, "#asked").startswith("UD does not allow this: ")
    page.press("Enter")
    done(page, 5)
    assert page.js("document.querySelector('#gold').getAttribute('aria-pressed')") == "true"
    for version in range(6, 11):
        page.press("u")
        done(page, version)
    assert review.session.render() == TEXT.encode()
    page.press("u")
    page.wait("document.querySelector('#told').textContent === 'there is nothing to undo'")
    page.press("U")
    done(page, 11)
    assert heads(page) == [3, 3, 0, 3]
    page.press("n")
    page.wait(f"{NOW}.id === 'a2'")
    page.press("p", "p")
    page.wait(f"{NOW}.id === 'a1' && document.querySelector('#told').textContent === 'This is the first sentence.'")
    page.press("o", "o")  # past the order of most to gain
    assert page.js("[...document.querySelectorAll('#list .id')].map(x => x.textContent)") == ["a1", "a2", "a3", "a4"]
    page.press("G")
    page.wait(f"{NOW}.id === 'a2'")
    assert text_of(page, "#count") == "2 of 4 sentences gold"
    assert "★ gold" in text_of(page, "#list button")
    page.press("u")  # goes back to where it was done
    page.wait(f"{NOW}.id === 'a1' && !{NOW}.gold")
    page.press("s")
    page.wait("document.querySelector('#told').textContent.startsWith('written: ')")
    assert review.output.read_bytes() == review.session.render()
    page.press("?")
    assert page.js("document.querySelector('#helpbox').open")
    page.press("g", "Escape")
    assert not page.js("document.querySelector('#helpbox').open")
    assert not page.js(f"{NOW}.gold")
    page.press("Home", "w")  # 1 is the surest but for the word that was corrected
    assert page.js("review.here.word") == 4
    page.press("w")
    assert page.js("review.here.word") == 2
    page.press("L")
    page.wait("document.querySelector('#told').textContent.startsWith('only correction is possible')")
    assert troubles(page) == []


COLUMNS = {
    "upos": ("t", "PROPN"),
    "xpos": ("x", "Np"),
    "lemma": ("m", "kare"),
    "feats": ("f", "Number=Sing"),
    "gloss": ("e", "hound"),
    "note": ("k", "sic"),
}


@pytest.mark.parametrize("by", ["keyboard", "mouse"])
def test_every_column(page: Any, review: Review, by: str):
    for version, (name, (key, value)) in enumerate(COLUMNS.items(), 1):
        if by == "keyboard":
            page.press(key)
            assert page.js("document.activeElement.id") == name
        else:
            page.point(f"#{name}", click=True)
            page.js("document.activeElement.select()")
        page.call("Input.insertText", text=value)
        page.press("Enter") if by == "keyboard" else page.point("#set", click=True)
        done(page, version)
        assert page.js(f"{NOW}.columns.{name}[3]") == value
    assert "you set XPOS, features, lemma, part of speech" in text_of(page, "#why")
    line = b"4\tkaren\tkare\tPROPN\tNp\tNumber=Sing\t1\tobj\t_\tGloss=hound|SpaceAfter=No|Proj=guess|ProjConf=0.30|Note=sic\n"
    assert line in review.session.render()
    page.point("#offered-feats button", click=True)  # a feature that is offered is put in, and taken out
    assert page.js("document.querySelector('#feats').value") == ""
    page.press("f")
    page.call("Input.insertText", text="case=nom")
    page.press("Enter")
    page.wait("document.querySelector('#told').textContent.includes('a feature is written as Case=Nom')")
    for version in range(7, 13):
        page.point("#undo", click=True)
        done(page, version)
    assert review.session.render() == TEXT.encode()
    assert troubles(page) == []


def ask(page: Any, by: str, key: str, button: str, answer: str) -> None:
    """Give an answer to what a key, or a button, asks."""
    page.press(key) if by == "keyboard" else page.point(button, click=True)
    page.wait("document.activeElement.id === 'answer'")
    page.js("document.activeElement.select()")
    page.call("Input.insertText", text=answer) if answer else page.press("Backspace")
    if not answer:
        page.js("document.activeElement.value = ''")
    page.press("Enter") if by == "keyboard" else page.point("#prompt button", click=True)


@pytest.mark.parametrize("by", ["keyboard", "mouse"])
def test_words_tokens_and_sentences(page: Any, review: Review, by: str):
    ask(page, by, "v", "#splitword", "kar|en")
    done(page, 1)
    assert page.js(f"{NOW}.forms") == ["ni", "na", "ga", "kar", "en"]
    ask(page, by, "M", "#token", "5 karen")
    done(page, 2)
    assert page.js(f"{NOW}.tokens") == [[2, 3, "naga"], [4, 5, "karen"]]
    assert text_of(page, "#token") == "Multiword token karen"
    ask(page, by, "M", "#token", "")
    done(page, 3)
    ask(page, by, "j", "#joinwords", "karen")
    done(page, 4)
    assert page.js(f"{NOW}.forms") == ["ni", "na", "ga", "karen"]
    page.press("V") if by == "keyboard" else page.point("#splitsentence", click=True)
    page.wait("document.querySelector('#count').textContent === '1 of 5 sentences gold'")
    assert page.js(f"{NOW}.forms") == ["ni", "na", "ga"]
    page.press("J") if by == "keyboard" else page.point("#joinsentences", click=True)
    page.wait("document.querySelector('#count').textContent === '1 of 4 sentences gold'")
    assert page.js(f"{NOW}.forms") == ["ni", "na", "ga", "karen"]
    for count in (5, 4):
        page.press("u") if by == "keyboard" else page.point("#undo", click=True)
        page.wait(f"document.querySelector('#count').textContent === '1 of {count} sentences gold'")
    for k in range(4):
        assert review.session.history, k
        before = page.js(f"{NOW}.version")
        page.press("u")
        page.wait(f"{NOW}.version !== {before}")
    assert review.session.render() == TEXT.encode()
    page.press("v", "Escape")
    assert page.js("document.querySelector('#prompt').hidden && document.activeElement.matches('.word')")
    page.press("Home", "V")
    page.wait("document.querySelector('#told').textContent.startsWith('A sentence is split before')")
    assert troubles(page) == []


@pytest.mark.parametrize("by", ["keyboard", "mouse"])
def test_state_translation_note_and_another_analysis(page: Any, review: Review, by: str):
    fields = (("K", "#sentencenote", "ask Umma"), ("T", "#texts input", "I saw a dog ."), ("A", "#annotator", "Ana"))
    if by == "mouse":
        page.point("#about summary", click=True)
    for version, (key, field, value) in enumerate(fields, 1):
        page.press(key) if by == "keyboard" else page.point(field, click=True)
        assert page.js(f"document.activeElement === document.querySelector('{field}')")
        page.js("document.activeElement.select()")
        page.call("Input.insertText", text=value)
        page.press("Enter") if by == "keyboard" else page.point("#setabout", click=True)
        done(page, version)
    page.press("a")
    assert page.js("document.activeElement.id") == "state"
    page.js("document.activeElement.value = 'second'")
    page.point("#setabout", click=True)
    page.wait(f"{NOW}.state === 'second'")
    comments = review.session.sentence(0).comments
    assert comments[2] == "# text_en = I saw a dog ."
    assert {"# note = ask Umma", "# state = second", "# annotator = Ana"} <= {*comments}
    page.press("q") if by == "keyboard" else page.point("#keep", click=True)
    page.wait(f"{NOW}.beside.length === 1")
    page.js("document.querySelector('.tree .word[data-word=\"4\"]').focus()")
    page.press("End", "h", "3", "Enter")
    page.wait(f"{NOW}.beside[0] === '1 other head'")
    page.js("document.querySelector('#beside button').focus()")
    page.press("Enter") if by == "keyboard" else page.point("#beside button", click=True)
    page.wait(f"{NOW}.heads[3] === 1")
    page.js("document.querySelectorAll('#beside button')[1].click()")
    page.wait(f"{NOW}.beside.length === 0")
    assert troubles(page) == []


@pytest.mark.parametrize("by", ["keyboard", "mouse"])
def test_search_and_replace(page: Any, review: Review, by: str):
    page.press("/") if by == "keyboard" else page.point("#replace", click=True)
    assert page.js("document.activeElement.id") == "query"
    page.call("Input.insertText", text="upos=NOUN")
    page.js("document.querySelector('#changesto').focus()")
    page.call("Input.insertText", text="Case=")
    page.press("Enter") if by == "keyboard" else page.point("#preview", click=True)
    page.wait("document.querySelector('#replacetold').textContent === '2 words · 0 sentences would change'")
    assert page.js("document.querySelector('#doreplace').disabled")
    page.call("Input.insertText", text="Nom & upos=PROPN") if by == "keyboard" else page.js(
        "document.querySelector('#changesto').value = 'Case=Nom & upos=PROPN'"
    )
    page.press("Enter") if by == "keyboard" else page.point("#preview", click=True)
    page.wait("document.querySelector('#replacetold').textContent === '2 words · 2 sentences would change'")
    assert page.js("document.querySelectorAll('#replacements del').length") == 4
    assert review.session.render() == TEXT.encode()
    page.js("document.querySelector('#doreplace').focus()")
    page.press("Enter") if by == "keyboard" else page.point("#doreplace", click=True)
    page.wait("!document.querySelector('#replacebox').open")
    assert review.session.render().count(b"\tPROPN\t_\tCase=Nom\t") == 2
    page.press("u")
    page.wait("document.querySelector('#told').textContent.startsWith('undone: Case=Nom & upos=PROPN where upos=NOUN')")
    assert review.session.render() == TEXT.encode()
    page.press("/")
    page.js("document.querySelector('#query').value = 'upos='")
    page.press("Enter")
    page.wait("document.querySelector('#replacetold').textContent.includes('upos=')")
    page.press("Escape")
    assert troubles(page) == []


def test_what_ud_forbids_is_said_at_the_sentence(page: Any, review: Review):
    assert text_of(page, "#findings") == "# text is not what the words and SpaceAfter make up"
    review.session.set_relation(0, 1, "aux")
    page.press("n")
    page.wait(f"{NOW}.id === 'a2'")
    page.press("p")
    page.wait(f"{NOW}.id === 'a1'")
    assert "'aux' does not go with PRON" in text_of(page, "#findings")
    page.press("F8")
    assert page.js("review.here.word") == 1
    page.press("End")
    page.point("#findings button", click=True)
    assert page.js("review.here.word") == 1
    page.press("g")
    page.wait("!document.querySelector('#ask').hidden")
    assert text_of(page, "#asked")[:200].startswith("UD does not allow this: ni (1) 'aux' does not go with PRON; ")
    page.press("Escape")
    assert not review.session.states[0].gold
    assert troubles(page) == []


def test_tab_reaches_everything(page: Any):
    page.js("document.querySelector('.skip').focus()")
    seen = []
    for _ in range(60):
        page.press("Tab")
        seen.append(
            page.js("document.activeElement.id || document.activeElement.tagName + (document.activeElement.dataset.n ?? '')")
        )
        ring = "getComputedStyle(document.activeElement.querySelector('.box') || document.activeElement)"
        around = "getComputedStyle(document.activeElement.closest('label') || document.body)"
        assert page.js(f"[{ring}.outlineStyle, {around}.outlineStyle].includes('solid') || {ring}.strokeWidth === '2px'"), seen
    for name in (
        "learn",
        "help",
        "nogold",
        "BUTTON0",
        "BUTTON3",
        "previous",
        "next",
        "gold",
        "head",
        "relation",
        "upos",
        "xpos",
        "lemma",
        "gloss",
        "feats",
        "note",
        "set",
        "root",
        "splitword",
        "splitsentence",
        "token",
        "joinsentences",
        "SUMMARY",
        "g",
    ):
        assert name in seen, seen


def test_buttons_fields_and_the_list(page: Any):
    page.point('#list button[data-n="1"]', click=True)
    page.wait(f"{NOW}.id === 'a2'")
    assert page.js("document.querySelector('[aria-current=true]').dataset.n") == "1"
    page.point(word(1), click=True)
    page.js("document.querySelector('#head').value = 3")
    page.js("document.querySelector('#relation').value = 'obj'")
    page.point("#set", click=True)
    done(page, 1)
    assert (heads(page), page.js(f"{NOW}.rels[0]")) == ([3, 3, 0], "obj")
    page.point("#gold", click=True)
    done(page, 2)
    page.point("#nogold", click=True)
    assert page.js("[...document.querySelectorAll('#list .id')].map(x => x.textContent)") == ["a1", "a2", "a4"]  # it is open
    page.point("#undo", click=True)
    done(page, 3)
    page.point("#redo", click=True)
    done(page, 4)
    page.point("#next", click=True)
    page.wait(f"{NOW}.id === 'a4'")
    assert "2 words have no head" in text_of(page, "#place")
    page.point("#gold", click=True)
    page.wait("document.querySelector('#told').textContent === 'not gold yet: 2 words have no head'")
    page.point("#help", click=True)
    assert page.js("document.querySelector('#helpbox').open")
    assert troubles(page) == []


def test_a_long_list_stands_in_the_page_in_part(new_page: New, tmp_path: Path):
    row = "1\tto\t_\t_\t_\t_\t0\troot\t_\t_\n\n"
    with serving(reviewed(tmp_path, "".join(f"# sent_id = s{k}\n{row}" for k in range(1000)))) as server:
        page = opened(new_page(), server.url)
        places = "[...document.querySelectorAll('#list [data-n]')].map(x => Number(x.dataset.n))"
        assert page.js(places) == list(range(100))
        page.point("#list .more", click=True)
        assert page.js(places) == list(range(300))
        page.js("document.querySelector('#list [data-n=\"299\"]').click()")
        page.wait(f"{NOW}.n === 299")
        page.press("n")
        page.wait(f"{NOW}.n === 300")
        assert page.js(places) == list(range(200, 400))
        assert page.js("document.querySelector('[aria-current=true]').dataset.n") == "300"
        assert text_of(page, "#place") == "301 of 1000"
        assert troubles(page) == []


def test_on_paper_and_on_a_small_screen(page: Any):
    """Printed, the tree stands alone; on a telephone nothing is cut off."""
    page.resize(360)
    assert page.js("document.documentElement.scrollWidth <= innerWidth")
    page.resize(1100)
    page.call("Emulation.setEmulatedMedia", media="print")
    hidden = "['#side', '#word', '.actions', '#gold'].filter(name => document.querySelector(name).checkVisibility())"
    assert page.js(hidden) == []
    assert page.js("document.querySelector('.tree').checkVisibility()")
    page.call("Emulation.setEmulatedMedia", media="")


def test_two_tabs(page: Any, new_page: New, server: Server):
    other = opened(new_page(), server.url)
    other.press("h", "3", "Enter")
    done(other, 1)
    page.press("r")  # it has not seen that
    page.wait("document.querySelector('#told').textContent.startsWith('the sentence was changed elsewhere')")
    assert heads(page) == [3, 3, 0, 3]
    page.press("r")
    done(page, 2)


def test_killed_and_taken_up_again(new_page: New, tmp_path: Path):
    trees = tmp_path / "trees.conllu"
    trees.write_text(TEXT, encoding="utf-8")
    command = Command(trees)
    page = opened(new_page(), command.url)
    page.press("h", "3", "Enter")
    done(page, 1)
    page.press("g")
    done(page, 2)
    command.end(signal.SIGKILL)
    page.press("r")
    page.wait("!document.querySelector('#lost').hidden")
    assert "Every change that was acknowledged is on disk" in text_of(page, "#lost")
    assert heads(page) == [3, 3, 0, 3]
    again = Command(trees)
    assert again.url, again.end()
    try:
        other = opened(new_page(), again.url)
        other.point('#list button[data-n="0"]', click=True)
        other.wait(f"{NOW}.id === 'a1' && {NOW}.gold")
        assert heads(other) == [3, 3, 0, 3]
        other.press("u", "u")
        other.wait(f"!{NOW}.gold && {NOW}.heads[3] === 1")
    finally:
        code, _ = again.end()
    assert code == 0
    assert (tmp_path / "trees.reviewed.conllu").read_text(encoding="utf-8") == TEXT


def test_learning_and_what_it_changed(new_page: New, tmp_path: Path):
    pairs = list(Corpus.at(folder("corpora") / "hin-eng"))
    session, bitexts = projected(pairs)
    review = Review(
        session, tmp_path / "o.conllu", learner=AdaptingLearner(), sentences=ProjectionInputs(bitexts), name="the review"
    )
    with serving(review) as server:
        page = opened(new_page(), server.url)
        assert page.js("document.querySelector('#pairpic .link') !== null")
        page.press("L")
        page.wait("document.querySelector('#jobtold').textContent.startsWith('there is nothing to learn from yet')")
        correct(session, pairs, range(12))
        page.js("document.querySelector('#learn').click()")
        try:
            page.wait("document.querySelector('#changebox').open", 180)
        except TimeoutError:
            raise AssertionError(str(review.job.status if review.job else None)) from None
        count = page.js("document.querySelectorAll('#changes li').length")
        assert count == len(session.differing()) > 1
        assert page.js("document.querySelector('#curve svg') !== null")
        page.js("document.querySelector('#changes .refuse').click()")
        page.wait(f"document.querySelectorAll('#changes li').length === {count - 1}")
        assert len(session.differing()) == count - 1
        page.js("document.querySelector('#closechanges').click()")
        page.press("u")
        page.wait("document.querySelector('#told').textContent === 'undone: the tree before learning is back'")
        page.press("u")
        page.wait("document.querySelector('#told').textContent === 'undone: the review learned from 12 sentences'")
        assert troubles(page) == []


def test_hostile_text_stays_text(new_page: New, tmp_path: Path):
    review = reviewed(tmp_path, HOSTILE)
    with serving(review) as server:
        page = opened(new_page(), server.url)
        assert text_of(page, "#name") == MARKS[0]
        assert text_of(page, "#text") == MARKS[1]
        assert MARKS[2] in text_of(page, "#free")
        page.press("h", "2", "Enter")
        page.wait("!document.querySelector('#ask').hidden")
        page.press("Enter")
        done(page, 1)
        page.press("n")
        page.wait(f"{NOW}.n === 1")
        assert page.js("document.querySelectorAll('script').length") == 1
        assert page.js("document.querySelectorAll('img, iframe, [onload], [onerror]').length") == 0
        assert troubles(page) == []


def test_another_page_gets_nothing(page: Any, new_page: New, server: Server, tmp_path: Path, review: Review):
    evil = tmp_path / "evil.html"
    evil.write_text("<!doctype html><title>evil</title>")
    other = new_page()
    other.open(evil.as_uri())
    token = Client(server.url).token
    for options in ("{mode: 'cors'}", f"{{headers: {{'X-Review-Token': '{token}'}}}}"):
        code = f"fetch('{server.origin}/api/document', {options}).then(() => 'read', () => 'refused')"
        assert other.js(code) == "refused"
    post = f"fetch('{server.origin}/api/undo', {{method: 'POST', mode: 'no-cors', body: '{{}}'}})"
    review.session.set_gold(0, True)
    assert other.js(f"{post}.then(() => 'read', () => 'refused')") == "refused"
    assert review.session.states[0].gold  # nothing was undone
    frame = f"new Promise(done => {{ const f = document.createElement('iframe'); f.src = '{server.url}'; f.onload = () => {{"
    frame += (
        "let seen = 'blocked'; try { seen = f.contentDocument ? f.contentDocument.title : 'blocked' } catch {} done(seen) };"
    )
    assert other.js(frame + "document.body.append(f); })") == "blocked"


def test_one_gold_sentence_of_odin_german_makes_no_tree_worse(new_page: New, tmp_path: Path):
    """Shipped rules in use, one three-word sentence marked gold, learning: what a new user did."""
    source = need("odin/ger/igt.txt")
    bare = [
        tuple("".join(c for c in f if c not in "-=~").lower() for f in row.forms) for row in _rows(source.with_name("f.conllu"))
    ]
    gold = dict(zip(bare, (row.usable_tree()[0].heads for row in _rows(source.with_name("f.conllu"))), strict=True))
    pairs = [pair for pair in prepare_text(Corpus(source), Preparation("en"), Faults(strict=False)) if pair.f_rows]
    run = corrections("deu").model.project
    made = [annotate(pair.f_rows, run(ProjectionInput.of(pair)), "s2+") for pair in pairs]  # type: ignore[arg-type]
    session = session_of("".join(conllu.dumps(replace(row, end="\n\n")) for row in made))
    bitexts = {n: ProjectionInput.of(pair) for n, pair in enumerate(pairs)}
    review = Review(
        session, tmp_path / "o.conllu", learner=AdaptingLearner(), sentences=ProjectionInputs(bitexts), name="the review"
    )
    before = [state.heads for state in session.states]
    n = next(n for n, state in enumerate(session.states) if len(state.heads) == 3)
    session.set_gold(n, True)
    with serving(review) as server:
        page = opened(new_page(), server.url)
        page.js("document.querySelector('#learn').click()")
        page.wait("document.querySelector('#jobtold').textContent.includes('cannot be checked')")
        page.js("document.querySelector('#choose').click()")
        page.wait("!document.querySelector('#reason').hidden")
        assert text_of(page, "#reason").startswith("To correct next: ")
        assert "treebanks of other languages, and checked on 1 gold sentence)" in text_of(page, "#known")
        assert troubles(page) == []
    review.close()
    for old, state, pair in zip(before, session.states, pairs, strict=True):
        right = gold.get(tuple("".join(c for c in f if c not in "-=~").lower() for f in pair.f.forms))
        if right and len(right) == len(old):
            assert sum(map(eq, state.heads, right)) >= sum(map(eq, old, right))


def _rows(path: Path) -> list[Any]:
    return [row for row in conllu.load(path, Faults(strict=False)) if row is not None]


def test_a_file_leads_to_the_page(new_page: New, server: Server, tmp_path: Path):
    """`--open` gives the browser a file, whose name may stand in a list of processes."""
    page = new_page()
    with server.leading_file(tmp_path) as path:
        page.call("Page.navigate", url=path.as_uri())  # which the browser leaves at once
        page.wait(f"location.origin === '{server.origin}' && document.querySelector('.tree .word')")


@pytest.fixture
def glossed(tmp_path: Path) -> Iterator[Server]:
    """A review of six sentences of the tutorial's text, with what words at once and links need."""
    pairs = [
        pair
        for pair in prepare_text(Corpus(folder("tutorial") / "turkish.txt"), Preparation(), Faults(strict=False))
        if pair.f_rows
    ][:6]
    inputs = {n: ProjectionInput.of(pair) for n, pair in enumerate(pairs)}
    system = S6()
    state = system.adapt(inputs.values())
    rows = (annotate(pair.f_rows, system.project(inputs[n], state), "s6") for n, pair in enumerate(pairs) if pair.f_rows)
    session, given = session_of("".join(map(conllu.dumps, rows))), ProjectionInputs(inputs)
    questions = TypeQuestions(session, given, tmp_path / "turkish.types.tsv")
    review = Review(session, tmp_path / "trees.reviewed.conllu", sentences=given, types=questions)
    with serving(review) as server:
        yield server
    review.close()


@pytest.mark.parametrize("by", ["keyboard", "mouse"])
def test_words_at_once(new_page: New, glossed: Server, tmp_path: Path, by: str):
    page, session = opened(new_page(), glossed.url), glossed.review.session
    before = session.render()
    assert not page.js("document.querySelector('#first').hidden")  # offered first
    page.press("y") if by == "keyboard" else page.point("#firsttypes", click=True)
    page.wait("document.querySelectorAll('#typerows tr').length")
    assert page.js("document.activeElement.getAttribute('aria-label')").startswith("Tag of ")
    key = page.js("document.querySelector('#typerows tr').dataset.key")
    page.call("Input.insertText", text="interj")
    if by == "keyboard":
        page.press("Enter")  # goes on
        assert page.js("document.activeElement.closest('tr') === document.querySelectorAll('#typerows tr')[1]")
        page.press("Tab", "Tab")
    page.js("document.querySelector('#applytypes').focus()")
    page.press("Enter") if by == "keyboard" else page.point("#applytypes", click=True)
    page.wait("document.querySelector('#typesbusy').textContent.includes('1 word type answered')")
    assert session.answers == {key: ["interj", ""]}
    page.press("Escape") if by == "keyboard" else page.point("#closetypes", click=True)
    page.wait("!document.querySelector('#typesbox').open")
    assert page.js("document.querySelector('#first').hidden")
    assert b"\tINTJ\t" in session.render()
    page.press("u") if by == "keyboard" else page.point("#undo", click=True)
    page.wait("document.querySelector('#told').textContent.startsWith('undone: 1 word type answered')")
    assert session.render() == before
    assert troubles(page) == []


def test_key_right_after_a_box(page: Any):
    """A box that is closed keeps the focus until the next frame; a key that comes before it is for the page."""
    page.press("r")
    done(page, 1)
    page.press("/")
    page.wait("document.activeElement.id === 'query'")
    page.js(
        "document.querySelector('#replacebox').close();"
        "document.querySelector('#query').dispatchEvent(new KeyboardEvent('keydown', {key: 'u', bubbles: true}))"
    )
    done(page, 2)
    assert text_of(page, "#told").startswith("undone: ")
    page.wait("document.activeElement.matches('.tree .word')")


def test_links_are_changed(new_page: New, glossed: Server):
    page, session = opened(new_page(), glossed.url), glossed.review.session
    n = page.js(f"{NOW}.n")
    before = page.js(f"{NOW}.links.length")
    page.press("i")
    assert page.js("document.activeElement.closest('#links') !== null")
    linked = page.js("document.activeElement.getAttribute('aria-pressed')") == "true"
    page.press("Enter")
    done(page, 1)
    assert page.js(f"{NOW}.links.length") == before + (-1 if linked else 1)
    assert session.sentence(n).comment("align_en") is not None
    page.point("#links button:last-child", click=True)
    done(page, 2)
    page.press("u", "u")
    done(page, 4)
    assert page.js(f"{NOW}.links.length") == before
    assert troubles(page) == []
