"""Objects over the runtime's calls: graphs, devices and memory pools."""
