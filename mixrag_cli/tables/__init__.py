"""Tables: from a grid of raw cells to header paths, values with units, and texts for search."""
