"""Asks for a module of PyGPU in each way that Python has, and prints what they say."""

import importlib
import sys

import PyGPU

NAME = sys.argv[1]
WAYS = (
    lambda: getattr(PyGPU, NAME),
    lambda: importlib.import_module(f"PyGPU.{NAME}"),
    lambda: exec(f"from PyGPU import {NAME}"),
)
for ask in WAYS:
    try:
        ask()
    except (AttributeError, ModuleNotFoundError) as error:
        print(type(error).__name__, error)
    else:
        print("is here")
