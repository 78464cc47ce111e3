"""RECAP: restate, extract, compute, answer, present."""
