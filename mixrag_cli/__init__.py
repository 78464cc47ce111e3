"""mixrag: cited, calculated answers from a folder of mixed documents, all on your own machine."""

__version__ = "0.1.0"
