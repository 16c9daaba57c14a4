"""Puts the sources of the documentation's site together."""
