"""The host runtime's controls: registered kernels, faults, reports."""
