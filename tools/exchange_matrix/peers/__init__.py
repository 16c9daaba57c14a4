"""One file a peer; each has a class `Peer`."""
