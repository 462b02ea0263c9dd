"""From raw text to trees, scores and a report in one run: a config in, a results folder out.

Stages with cached outputs; what has not changed is not done again, and what was cut off leaves nothing half done.
"""
