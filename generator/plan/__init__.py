"""From decisions to what the templates print: all logic of the output, and no text of it but types."""
