"""Docstrings: composed from what the model and the rules say, never from a vendor's text."""

from __future__ import annotations

from generator.plan.docs.function import doc
from generator.plan.docs.history import history

__all__ = ["doc", "history"]
