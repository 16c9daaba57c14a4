"""The reference in MyST markdown: the functions, structs and enumerations of every API."""
