"""Everything that people and scripts see: the streams, the terminal's look, the JSON forms, the progress.

    streams    which file descriptor the answer goes to, and what happens when it fails
    console    colours, width and links: what this terminal can do
    terminal   records -> lines for people
    table_view records -> tables that fit the terminal
    payloads   records -> dicts for JSON
    progress   the run so far, on stderr

Every string that came from a file, a file name or an exception passes safe_text before it is printed.
"""
