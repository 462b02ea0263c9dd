"""Pictures, plain lines and reports of tree pairs.

Values come in (`Pair`, `Altered`, `Analysis`), strings go out: `svg` draws, `text` prints, `html` writes a report.
"""
