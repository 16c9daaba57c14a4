"""What docstrings say, by the model and the rules, never a vendor's text."""

from __future__ import annotations

from generator.plan.doc import Doc
from generator.plan.docs.function import doc
from generator.plan.docs.history import history
from generator.plan.docs.maker import maker

__all__ = ["Doc", "doc", "history", "maker"]
