"""`python -m divproj` is `proj`."""

from proj_cli import main

if __name__ == "__main__":
    main()
