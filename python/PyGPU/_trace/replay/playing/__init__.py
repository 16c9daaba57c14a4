"""Making the calls of a trace with data again."""
