"""Small figures of accuracy: a learning curve with its errors, and how confidence compares with what is right."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from divproj.data.wording import plural
from divproj.drawing.measure import escape

WIDE, HIGH, LEFT, LOW = 320, 186, 42, 42
"""Pixels: of the figure, and of the space for numbers at its left and below it."""

CurvePoint = tuple[float, float, float]
"""Gold sentences, share of right heads, standard error."""
Bin = tuple[float, float, int]
"""Mean confidence, share of right heads, words."""


def learning_svg(points: Sequence[CurvePoint]) -> str:
    """Heads right (percent) against gold sentences learned from; bars are two standard errors."""
    most = max(1.0, *(x for x, _, _ in points))
    low = max(0.0, min(y - 2 * e for _, y, e in points) - 0.03)
    high = min(1.0, max(y + 2 * e for _, y, e in points) + 0.03)
    low, high = _rounded(low, high)
    told = ", ".join(f"{100 * y:.0f} % after {x:.0f}" for x, y, _ in points)

    def at(x: float, y: float) -> tuple[float, float]:
        return LEFT + 8 + (WIDE - LEFT - 20) * x / most, 8 + (HIGH - LOW - 16) * (high - y) / max(high - low, 1e-9)

    parts = [_frame("curve", f"Learning curve, heads right by gold sentences: {told}")]
    parts += _levels(low, high, lambda y: at(0, y)[1])
    line = " ".join(f"{x:.1f},{y:.1f}" for x, y in (at(x, y) for x, y, _ in points))
    parts.append(f'<polyline class="line" points="{line}"/>')
    for x, y, e in points:
        px, py = at(x, y)
        top, end = at(x, min(1.0, y + 2 * e))[1], at(x, max(0.0, y - 2 * e))[1]
        parts.append(f'<path class="error" d="M{px:.1f} {top:.1f}V{end:.1f}"/><circle cx="{px:.1f}" cy="{py:.1f}" r="3.5">')
        parts.append(f"<title>{plural(round(x), 'gold sentence')}: {100 * y:.1f} % ± {200 * e:.1f}</title></circle>")
        parts.append(f'<text x="{px:.1f}" y="{HIGH - 24}">{x:.0f}</text>')
    parts.append(_below("gold sentences learned from; heads right in others", WIDE - 6))
    return "".join((*parts, "</svg>"))


def reliability_svg(bins: Sequence[Bin], error: float | None) -> str:
    """Right heads against confidence; on the diagonal a confidence means what it says."""
    side = HIGH - LOW - 16
    most = max((words for _, _, words in bins), default=1)

    def at(x: float, y: float) -> tuple[float, float]:
        return LEFT + 8 + side * 1.4 * x, 8 + side * (1 - y)

    told = ", ".join(f"{100 * c:.0f} % sure: {100 * y:.0f} % right ({plural(n, 'word')})" for c, y, n in bins)
    parts = [_frame("reliability", f"Confidence and what is right: {told}")]
    (x0, y0), (x1, y1) = at(0, 0), at(1, 1)
    parts += _levels(0.0, 1.0, lambda y: at(0, y)[1], x1)
    parts.append(f'<path class="diagonal" d="M{x0:.1f} {y0:.1f}L{x1:.1f} {y1:.1f}"/>')
    for confidence, right, words in bins:
        x, y = at(confidence, right)
        radius = 2.5 + 5 * (words / most) ** 0.5
        parts.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{radius:.1f}"><title>{100 * confidence:.0f} % sure: ')
        parts.append(f"{100 * right:.1f} % right, {plural(words, 'word')}</title></circle>")
    for k in (0, 50, 100):
        parts.append(f'<text x="{at(k / 100, 0)[0]:.1f}" y="{HIGH - 24}">{k} %</text>')
    parts.append(_below("confidence; at the left, heads right", x1))
    return "".join((*parts, "</svg>"))


def _frame(kind: str, told: str) -> str:
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" class="figure {kind}" viewBox="0 0 {WIDE} {HIGH}" width="{WIDE}" height="{HIGH}" role="img" '
        f'aria-label="{escape(told)}"><title>{escape(told)}</title>'
    )


def _rounded(low: float, high: float) -> tuple[float, float]:
    """Whole tens of percent around a range.

    >>> _rounded(0.52, 0.71)
    (0.5, 0.8)
    """
    return int(low * 10 + 1e-9) / 10, min(10, -int(-high * 10 // 1)) / 10


def _below(told: str, right: float) -> str:
    """What the axes are."""
    return f'<text x="{(LEFT + right) / 2:.1f}" y="{HIGH - 6}">{told}</text>'


def _levels(low: float, high: float, y_of: Callable[[float], float], right: float = WIDE - 6) -> Iterator[str]:
    """Lines at round shares: five at most."""
    for tens in _round_levels(low, high):
        y = y_of(tens / 10)
        yield f'<path class="level" d="M{LEFT} {y:.1f}H{right:.1f}"/><text class="side" x="{LEFT - 5}" y="{y + 4:.1f}">{10 * tens} %</text>'


def _round_levels(low: float, high: float) -> list[int]:
    """Tens of percent.

    >>> _round_levels(0.1, 1.0), _round_levels(0.5, 0.8), _round_levels(0.0, 1.0)
    ([2, 4, 6, 8, 10], [5, 6, 7, 8], [0, 5, 10])
    """
    first, last = round(low * 10), round(high * 10)
    every = next(k for k in (1, 2, 5) if (last - first) / k < 5)
    return [k for k in range(first, last + 1) if k % every == 0]
