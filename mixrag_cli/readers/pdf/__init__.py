"""PDF files: pdfium's words and rules, laid out and made into text and tables by pure functions."""
