"""Word processors, slides and books: each format becomes HTML, which one reader then reads."""
