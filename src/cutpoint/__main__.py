"""``python -m cutpoint``: the program, where it is not on the path."""

from cutpoint.cli import main

if __name__ == "__main__":
    main()
