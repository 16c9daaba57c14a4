"""Sources of kernels from what users write: an operation, its arguments and their types."""
