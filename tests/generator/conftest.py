"""Settings of hypothesis for the generator's tests."""

from __future__ import annotations

from hypothesis import settings

# No deadline: tests run in parallel on busy machines, and no test here is about time.
settings.register_profile("generator", deadline=None, max_examples=40)
settings.load_profile("generator")
