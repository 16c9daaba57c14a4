"""The parts of tools/check_layers.py: circles, what C++ asks Python for."""
