"""The way in: ``mixrag`` and ``python -m mixrag_cli``."""

import gc
import os
import sys

OBJECTS_BETWEEN_COLLECTIONS = 20_000  # by default 700


def main() -> None:
    """Run the command line; who presses Ctrl-C while it is still loading sees no traceback."""
    # Loading makes 60,000 objects that stay; to look through them again and again took a sixth of its time.
    gc.set_threshold(OBJECTS_BETWEEN_COLLECTIONS)
    # Many small products of matrices: two threads of the library wait for each other twenty times as long as one works.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    try:
        from mixrag_cli.client import run_warm

        if (code := run_warm(sys.argv[1:])) is not None:
            os._exit(code)
        from mixrag_cli.cli import main as run
    except KeyboardInterrupt:
        os._exit(130)
    try:
        run()
    except SystemExit as exit_:
        # All is written and flushed by now. Taking numpy, Arrow and Lance down in order would cost 0.1 s more.
        sys.stderr.flush()
        os._exit(exit_.code if isinstance(exit_.code, int) else 0 if exit_.code is None else 1)


if __name__ == "__main__":
    main()
