"""Words at once: answers for word types in a review, what they change, and the table that they are kept in."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from reviewfiles import Client, serving, session_of

from divproj import Corpus, Faults
from divproj.io.trees import conllu
from divproj.projection.direct import ProjectionInput
from divproj.projection.glossed.s6 import S6
from divproj.projection.glossed.word_types import WordTypes
from divproj.projection.pipeline import annotate
from divproj.projection.prepare import Preparation, prepare_text
from divproj.review.document import Document, Journal
from divproj.review.edits import EditError
from divproj.review.learning import ProjectionInputs, TypeQuestions
from divproj.review.server import Review
from divproj.review.session import Session

TUTORIAL = Path(__file__).parents[3] / "tutorial" / "turkish.txt"
Text = tuple[str, dict[int, ProjectionInput]]


@pytest.fixture(scope="module")
def text() -> Text:
    """Twelve sentences of the tutorial's text, as s6 projects them, and what projection sees of them."""
    pairs = [pair for pair in prepare_text(Corpus(TUTORIAL), Preparation(), Faults(strict=False)) if pair.f_rows][:12]
    inputs = {n: ProjectionInput.of(pair) for n, pair in enumerate(pairs)}
    system = S6()
    state = system.adapt(inputs.values())
    rows = [annotate(pair.f_rows, system.project(inputs[n], state), "s6") for n, pair in enumerate(pairs) if pair.f_rows]
    return "".join(conllu.dumps(row) for row in rows), inputs


@pytest.fixture
def questions(text: Text, tmp_path: Path) -> Iterator[TypeQuestions]:
    session = Session(Document(text[0].encode()), Journal(tmp_path / "j", {"sha256": "x"}))
    yield TypeQuestions(session, ProjectionInputs(text[1]), tmp_path / "turkish.types.tsv")
    session.journal.close()  # type: ignore[union-attr]


def uses(session: Session, gloss: str) -> list[tuple[int, int]]:
    return [(n, k) for n in session.places for k, other in enumerate(session.sentence(n).glosses) if other == gloss]


def test_all_uses_follow_and_undo_is_one_step(questions: TypeQuestions, text: Text, tmp_path: Path):
    session = questions.session
    before = session.render()
    row = max(questions.list(), key=lambda row: (row.count, row.key))
    places = uses(session, row.gloss)
    assert len(places) == row.count > 1
    tag = "ADV" if row.guess != "ADV" else "NOUN"
    gold, kept = places[0][0], places[1][0]
    session.set_gold(gold, True)
    session.set_cells(kept, places[1][1] + 1, {"upos": "X"})
    touched = session.render()
    change = questions.give({row.key: (tag, "")})
    assert change.message == f"1 word type answered ({row.key.strip()})"
    for n, k in places:
        expected = row.guess if n == gold else "X" if (n, k) == places[1] else tag
        assert session.sentence(n).column(3)[k] == expected
    assert session.states[gold].gold
    assert questions.write()
    assert WordTypes.load(questions.path).answers[row.key].tags == (tag,)
    session.journal.close()  # type: ignore[union-attr]
    again = Session(Document(text[0].encode()), Journal(tmp_path / "j", {"sha256": "x"}))
    assert (again.render(), again.answers) == (session.render(), {row.key: [tag, ""]})
    restarted = TypeQuestions(again, ProjectionInputs(text[1]), questions.path, WordTypes.load(questions.path))
    again.undo()
    assert again.render() == touched
    assert row.key not in restarted.answers().answers  # the table of the first time has it, and yet it is taken back
    again.undo()
    again.undo()
    assert again.render() == before
    again.journal.close()  # type: ignore[union-attr]


def test_what_cannot_be_answered(questions: TypeQuestions, tmp_path: Path):
    with pytest.raises(EditError, match="'nonsense' is no tag"):
        questions.give({"x": ("nonsense", "")})
    other = session_of("# projection = s1-r coverage=1 links=1\n1\ta\t_\t_\t_\t_\t0\troot\t_\t_\n")
    assert TypeQuestions(other, ProjectionInputs(), tmp_path / "t").problem == "words at once need glosses"
    given = ProjectionInputs(questions.inputs.all())
    assert TypeQuestions(other, given, tmp_path / "t").problem == "words at once need trees of s6, these are of s1-r"
    assert not TypeQuestions(other, given, tmp_path / "t").write()


def test_the_page_asks_for_words_and_takes_answers(questions: TypeQuestions, tmp_path: Path):
    review = Review(questions.session, tmp_path / "trees.reviewed.conllu", types=questions)
    with serving(review) as server:
        client = Client(server.url)
        assert client.get("/api/document")[1]["types"] == {"possible": True, "answers": 0}
        status, data = client.get("/api/types")
        assert status == 200
        row = max(data["types"], key=lambda row: (row["count"], row["key"]))
        assert {"gloss", "forms", "guess", "doubt", "example"} <= {*row}
        tag = "ADV" if row["guess"] != "ADV" else "NOUN"
        status, data = client.post("/api/types/answers", {"answers": {row["key"]: [tag, ""]}})
        assert status == 200
        assert data["changed"] > 0
        assert next(other for other in data["types"] if other["key"] == row["key"])["tag"] == tag
        choice = client.get("/api/next")[1]
        assert choice["n"] is not None
        assert client.post("/api/types/answers", {"answers": {"x": ["no such tag", ""]}})[0] == 409
        assert client.post("/api/types/answers", {"answers": {"x": "NOUN"}})[0] == 400
    review.close()
    assert WordTypes.load(questions.path).answers[row["key"]].tags == (tag,)
