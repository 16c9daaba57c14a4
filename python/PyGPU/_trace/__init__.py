"""Recording calls: the files that hold them, their texts, and their summaries."""
