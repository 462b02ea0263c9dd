"""Run the whole pipeline: a config in, a results folder with trees, scores and a report out.

The outputs of each stage are cached. A stage is repeated only if something that it depends on has changed, and an interrupted
stage leaves no partial output.
"""
