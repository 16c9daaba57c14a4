"""Docstrings, composed from the model and the rules, never from a vendor's text."""

from __future__ import annotations

from generator.plan.docs.function import doc, values
from generator.plan.docs.history import history
from generator.plan.docs.maker import maker

__all__ = ["doc", "history", "maker", "values"]
