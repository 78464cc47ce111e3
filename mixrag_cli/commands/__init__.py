"""The commands, one file each: parse, call a story, render.

What a command needs beyond its own options is imported in its body, so that ``mixrag --help`` stays quick.
"""
