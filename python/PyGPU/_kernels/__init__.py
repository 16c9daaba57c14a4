"""Compiling, loading and launching the user's device code: the parts behind PyGPU.compiler."""
