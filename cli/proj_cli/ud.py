"""`proj check --ud`: what the UD validator would say of a CoNLL-U file."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable

from divproj.data.errors import Faults
from divproj.data.wording import plural
from divproj.evaluation.ud_check import check_text
from divproj.io import conllu


def check_ud(file: str, say: Callable[[str], None], faults: Faults, *, as_json: bool) -> Counter[int]:
    """Say the findings of every sentence, then their sums; findings by level."""
    levels: Counter[int] = Counter()
    words = count = 0
    for sentence, found in check_text(s for s in conllu.load(file, faults) if s is not None):
        count += 1
        words += len(sentence.forms)
        levels.update(finding.level for finding in found)
        for finding in found:
            if as_json:
                say(json.dumps({"sent_id": sentence.sent_id, **finding.as_json()}, ensure_ascii=False))
            else:
                say(f"{sentence.sent_id or f'line {sentence.where.line}'}: {finding}")
    share = 100 * levels[3] / max(words, 1)
    if as_json:
        say(json.dumps({"sentences": count, "words": words, "level 2": levels[2], "level 3": levels[3]}))
    else:
        say(
            f"{plural(count, 'sentence')}, {plural(words, 'word')}: {plural(levels[2], 'finding')} at level 2, {levels[3]} at level 3 ({share:.1f} in 100 words)"
        )
    return levels
