"""Programs of others on the host runtime."""
