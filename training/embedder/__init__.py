"""The bundled embedder: trained from named data to the package's file."""
