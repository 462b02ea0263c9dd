"""Read and write files, one module per format.

Each module has `load`, `loads`, `dump` and `dumps`, named as in `json`; `load` yields, so that large files are never in memory
as a whole. They return and accept values of `core` and `forest`.
"""
