"""Stubs for type checkers and editors, from the plan of each API."""

from __future__ import annotations

from generator.plan.stubs.module import StubModule, stub_module

__all__ = ["StubModule", "stub_module"]
