"""What each command does: call a story, render. One file a command, named as in ``mixrag_cli/commands/``.

A module here is imported when its command runs, and imports what it needs at its top.
"""
