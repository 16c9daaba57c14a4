"""Proves a model, and our own declarations, by compiling claims with the vendor's headers."""

from __future__ import annotations

from generator.abi.compiler import AbiError, Compiler, Failure
from generator.abi.prove import Declared, Proof, prove_declarations, prove_release

__all__ = [
    "AbiError",
    "Compiler",
    "Declared",
    "Failure",
    "Proof",
    "prove_declarations",
    "prove_release",
]
