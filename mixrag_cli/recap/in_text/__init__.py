"""Extract from running text: sentences, the numbers in them, named lines and change logs."""
