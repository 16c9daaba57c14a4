"""From decisions to plans, which the templates print: all logic of the output, none of its text."""
