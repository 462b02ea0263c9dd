"""Running text: sentences, words and stems of English and of what linguists write.

Strings come in; spans, tokens and stems go out. No files, no models.
"""
