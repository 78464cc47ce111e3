"""Programs that make the files the product ships; none of them is in the wheel."""
