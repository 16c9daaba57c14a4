"""Assembles the sources of the documentation site."""
