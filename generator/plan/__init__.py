"""From decisions to what the templates print: all logic of the output, none of its text."""
