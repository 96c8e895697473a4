"""`python -m dodona`: the command `dodona`, for environments whose scripts are not on the path."""

from dodona.cli import main

if __name__ == "__main__":
    main()
