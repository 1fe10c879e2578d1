"""
Checks a table against a golden list: `python neighbours.py table-64d.bin`. Each line of neighbours.json has two words that
mean alike and one that does not; the first two have to be clearly closer.
"""

import json
import pathlib
import sys

import table
from distillation import unit
from words import Speller

LIST = pathlib.Path(__file__).parent / 'neighbours.json'
CLEARLY = 0.1


def main():
    entries, vectors = table.read(pathlib.Path(sys.argv[1]).read_bytes())
    speller = Speller(entries)

    def vector(word):
        return unit(vectors[speller.text(word)].sum(0))

    failed = 0
    for word, near, far in json.loads(LIST.read_text()):
        close, distant = vector(word) @ vector(near), vector(word) @ vector(far)
        is_right = close > distant + CLEARLY
        failed += not is_right
        print(f'{"" if is_right else "WRONG "}{word} ~ {near} {close:.2f}, {far} {distant:.2f}')
    sys.exit(1 if failed else 0)


if __name__ == '__main__':
    main()
