"""Everything that people and scripts see: the streams, the terminal's look, the JSON forms, the progress.

    streams    which file descriptor the answer goes to, and what happens when it fails
    console    colours, width and links: what this terminal can do
    answer_view  answers of the three grades -> lines for people
    search_view  search hits -> lines for people
    terminal   other records -> lines for people
    passages   a cited passage -> running text, code or a slice of a table
    snippets   a text -> the part of it that matters, with marks
    marks      which words of a passage decide the answer
    lines      what every view prints: places, and text beside a mark
    table_view records -> tables that fit the terminal
    payloads   records -> dicts for JSON
    progress   the run so far, on stderr

Every string that came from a file, a file name or an exception passes safe_text before it is printed.
"""
