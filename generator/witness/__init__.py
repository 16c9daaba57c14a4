"""Holding each API's model and plan against everything else that knows the API."""
