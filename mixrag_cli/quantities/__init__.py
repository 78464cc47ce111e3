"""Numbers, units, dates and periods as people write them, in cells and in running text."""
