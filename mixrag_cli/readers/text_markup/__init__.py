"""What is written and drawn in plain text: reStructuredText, AsciiDoc, manual pages in roff, tables of any of them."""
