"""Extract from tables: the cells, the pairs of header paths and the labels that a question means."""
