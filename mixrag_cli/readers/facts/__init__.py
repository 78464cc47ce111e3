"""Facts: the keys of a file and what it says of them, each with its line; written beside blocks, no passages.

code       constants, defaults, entries, options, cases, returns: syntax nodes
           of what an expression falls back to (fallbacks), with the documentation of parameters (parameter_docs)
outline    constants and defaults of languages without a grammar: lines
settings   keys of toml, yaml and json: syntax nodes; of ini, properties and nginx: lines (line_settings); XML (markup)
sql        columns of created tables, values of types: statements
build_files Dockerfile, Makefile and CMake: lines
prose      "Label: value", definitions, versions with their dates: lines of blocks, and what headings name
"""
