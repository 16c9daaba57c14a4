"""Decides what each parameter of each function is: input or output, memory, array, text, …"""

from generator.decide.decide import decide
from generator.decide.decision import Decision

__all__ = ["Decision", "decide"]
