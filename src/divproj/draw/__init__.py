"""Pictures, plain lines and reports of tree pairs.

Values come in (`TreePair`, `Altered`, `Analysis`), strings go out: `svg` draws, `text` prints, `html` writes a report.
"""
