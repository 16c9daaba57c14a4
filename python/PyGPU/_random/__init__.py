"""Random numbers on the device: generators of the vendor's headers, and one without a header."""
