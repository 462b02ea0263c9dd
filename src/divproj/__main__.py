"""`python -m divproj` is `proj`."""

from divproj.runtime.safe_path import protect

if __name__ == "__main__":
    protect()  # before `proj_cli` is looked for
    from proj_cli import main

    main()
