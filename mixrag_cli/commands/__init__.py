"""What can be typed: the menu, and one file a command with its options and its help. Loads nothing heavy.

What a command does is the function of its name in the module of its name in ``mixrag_cli/actions/``.
"""
