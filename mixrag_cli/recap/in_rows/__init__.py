"""Extract from the rows of records: conditions on them, and sums, means, counts and extremes over them."""
