"""Files in and out, one module a format.

Each has `load`, `loads`, `dump` and `dumps` after `json`; `load` yields, so corpora stream.
Values of `data` and `forest` come out, and only they go in.
"""
