"""Extract from the rows of records: conditions on them, and sums, means, counts, extremes and groups over them."""
