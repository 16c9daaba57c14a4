"""A file for each peer, with a class `Peer`."""
