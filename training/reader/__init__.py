"""The reader model's training, from named data to the bundled int8 file; CARD.md beside that file tells of it."""
