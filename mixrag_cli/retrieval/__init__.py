"""Retrieval: candidates, fusion, acceptance."""
