"""Run the command line as ``python -m mixrag_cli``."""

from mixrag_cli.cli import main

if __name__ == "__main__":
    main()
