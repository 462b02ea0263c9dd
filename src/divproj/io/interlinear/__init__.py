"""Interlinear text in and out, one module a format.

Files come in; sentences with words, glosses and translations come out, and trees go back into the files.
"""
