"""Infrastructure: workers, compiled kernels, checkpoints, model files, shipped resources.

It does not depend on sentences or trees.
"""
