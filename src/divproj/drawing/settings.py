"""Confidences at which pictures and pages change how they show a word, a head or a pair; set by eye.

Sizes in pixels are in `layout`, beside the code that draws.
"""

from __future__ import annotations

UNSURE_PAIR = 0.5
"""Pairs less probable than this are drawn with a broken line."""
LOW_CONFIDENCE = 0.5
"""Words below this are counted among the figures."""
WEAK_HEAD, FAIR_HEAD = 0.5, 0.8
"""Confidences below which a head is called weak, and fair."""
SURE_EDGE = 0.95
"""Confidence from which on a picture does not print it."""
