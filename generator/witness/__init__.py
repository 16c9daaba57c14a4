"""Compares each API's model and decisions with other sources that know the API."""
