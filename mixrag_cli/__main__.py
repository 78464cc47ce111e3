"""The way in: ``mixrag`` and ``python -m mixrag_cli``."""

import os


def main() -> None:
    """Run the command line; who presses Ctrl-C while it is still loading sees no traceback."""
    try:
        from mixrag_cli.cli import main as run
    except KeyboardInterrupt:
        os._exit(130)
    run()


if __name__ == "__main__":
    main()
