"""Evaluation: measures of rankings and answers."""
