"""A parser as a command: each word depends on the one before it."""

import sys


def main() -> None:
    for line in sys.stdin:
        for number, word in enumerate(line.split(), 1):
            print(number, word, *"____", number - 1, "root" if number == 1 else "dep", *"__", sep="\t")  # noqa: T201
        print()  # noqa: T201


if __name__ == "__main__":
    main()
