"""What carries the work: workers, compiled kernels, checkpoints, model files, shipped resources.

Knows nothing of sentences or trees.
"""
