"""A neural parser without a framework: arrays in, scores out, in numpy alone.

Words become rows of small tables (`words`), a BiLSTM reads them and scores tags, edges and relations (`network`); weights come
in one byte each and are checked when they are read (`storage`). `parser` has the interfaces of the linear tagger and parser, so
that a `parsing.language.Language` can have either. The network is trained by the program in `train/parser`.
"""
