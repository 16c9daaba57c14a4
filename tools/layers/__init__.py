"""The parts of tools/check_layers.py: circles, Python imports, what C++ asks Python for."""
