"""Which sentence to correct next: doubt that stands for more elsewhere, what gold does not have yet, little work; and why."""

from __future__ import annotations

from divproj.review.server import DoubtfulWord, rank


def words(text: str, sure: float, rel: str = "obj") -> list[DoubtfulWord]:
    return [DoubtfulWord(form, "NOUN", rel, "projected", sure) for form in text.split()]


def test_doubt_that_others_share_comes_first():
    free = {0: words("once only", 0.5, "nsubj"), 1: words("dog cat", 0.5), 2: words("dog sun", 0.5), 3: words("cat sun", 0.5)}
    assert rank(free, [])[-1].n == 0


def test_what_gold_sentences_have_teaches_less():
    free = {0: words("dog", 0.5), 1: words("dog", 0.5), 2: words("cat", 0.5, "nsubj"), 3: words("cat", 0.5, "nsubj")}
    assert rank(free, [words("dog dog", 1.0)])[0].n == 2
    assert rank(free, [words("cat cat", 1.0, "nsubj")])[0].n == 0


def test_the_same_lesson_for_less_work():
    long = [*words("dog cat", 0.5), *(DoubtfulWord(f"x{k}", "X", f"r{k}", "guess", 0.1) for k in range(8))]
    free = {0: long, 1: words("dog cat", 0.5), 2: words("dog cat", 0.5)}
    assert rank(free, [])[-1].n == 0


def test_it_says_why():
    free = {0: words("dog cat", 0.3), 1: words("dog", 0.3), 2: words("cat", 0.3)}
    why = {choice.n: choice.why for choice in rank(free, [])}
    assert "‘Peter’" in rank({0: words("Peter", 0.3), 1: words("peter", 0.3)}, [])[0].why  # as it is written there
    assert why[0].startswith("2 of 2 heads less than 50 % sure; no gold sentence has ‘")
    assert (
        rank({0: words("dog", 0.99), 1: words("dog", 0.99)}, [words("dog", 1.0)])[0].why
        == "its constructions are frequent in the rest"
    )
