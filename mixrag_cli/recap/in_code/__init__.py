"""Extract from code: definitions, the values that it gives, what it returns."""
