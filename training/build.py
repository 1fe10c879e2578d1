"""Trains a table of word vectors for tool search. README.md says what the inputs are and how to get them."""

import argparse
import gzip
import hashlib
import os
import pathlib
import random

# The result must not depend on how many cores there are.
for library in ('OMP', 'OPENBLAS', 'MKL'):
    os.environ[f'{library}_NUM_THREADS'] = '1'

import numpy as np

import table
from contrast import Settings, contrast
from distillation import distil
from inputs import read_inputs
from languages import from_translations
from teacher import Teacher
from vocabulary import (
    english_entries,
    foreign_words,
    general_english,
    multilingual_pieces,
    word_frequencies,
)
from words import INSIDE, Speller



def options():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('--inputs', type=pathlib.Path, required=True, help='inputs.json.gz, by extract.py')
    parser.add_argument('--catalog', type=pathlib.Path, required=True, help='tools.jsonl with the tools of Toucan')
    parser.add_argument('--translations', type=pathlib.Path, help='translations.json.gz, by translations.py')
    parser.add_argument('--requests', type=pathlib.Path, help='folder of requests; none without it')
    parser.add_argument('--work', type=pathlib.Path, required=True, help='folder that keeps the vectors of the teachers')
    parser.add_argument('--out', type=pathlib.Path, required=True)
    parser.add_argument('--dims', type=int, default=64)
    parser.add_argument('--english', type=int, default=20_000, help='words of general English')
    parser.add_argument('--foreign', type=int, default=2_500, help='words of each other language')
    parser.add_argument('--foreign-ridge', type=float, default=1.0)
    parser.add_argument('--epochs', type=int, default=3)
    parser.add_argument('--translated', type=int, default=1_500, help='pairs of each language in the contrast')
    parser.add_argument('--request-copies', type=int, default=2)
    parser.add_argument('--without-servers', type=pathlib.Path, help='file of servers whose requests are left out')
    parser.add_argument('--seed', type=int, default=0)
    return parser.parse_args()


def texts_to_distil(inputs):
    """Texts with the tokens of each that the teacher reads."""
    asked = [text for text, _ in inputs.metatool[:6000]]
    told = [text for _, text in inputs.metatool[:6000]]
    written = [request.text for request in inputs.requests if request.language == 'en']
    yield [*asked, *told, *(text for text, _ in inputs.pairs['bfcl']), *inputs.messages, *written], 40
    yield [tool.text for tool in inputs.tools], 64
    yield [text for _, text in inputs.pairs['bfcl']], 64
    yield [text for text, _ in inputs.commands[:5000]], 32
    yield [text for _, text in inputs.commands[:5000]], 48
    yield [f'{terms}: {gloss}' for terms, gloss in inputs.glosses[:12000]], 32


def contrasted(inputs, translated, copies, seed):
    """Pairs by source."""
    shuffled = random.Random(seed)
    sources = dict(inputs.pairs)
    for number in range(copies):
        sources[f'requests {number}'] = [
            pair
            for request in inputs.requests
            for pair in ((request.text, request.tool.text), (request.text, f'{request.tool.name}. {request.tool.first_sentence}'))
        ]
    for language in inputs.languages:
        pairs = inputs.translations(language)
        chosen = shuffled.sample(pairs, min(translated, len(pairs)))
        sources.setdefault('translations', []).extend(chosen)
    return {source: pairs for source, pairs in sources.items() if pairs}


def main():
    given = options()
    left_out = set(given.without_servers.read_text().split('\n')) if given.without_servers else ()
    inputs = read_inputs(given.inputs, given.catalog, given.translations, given.requests, left_out)
    print('pairs', {source: len(pairs) for source, pairs in inputs.pairs.items()}, 'requests', len(inputs.requests))

    pieces = multilingual_pieces()
    frequencies = word_frequencies(pieces)
    general = general_english(inputs, frequencies)
    english = sorted(english_entries(inputs, general, given.english))
    foreign = foreign_words(inputs, set(english), frequencies, given.foreign)
    entries = [*english, *(each.word for each in foreign)]
    print('vocabulary: English', len(english), 'other languages', len(foreign), flush=True)

    teacher = Teacher(given.work)
    of_words = teacher.vectors([word.replace(INSIDE, '') for word in english], 8)
    texts, targets = [], []
    for part, most in texts_to_distil(inputs):
        part = list(dict.fromkeys(part))
        texts += part
        targets.append(teacher.vectors(part, most))
    english_speller = Speller(english)
    probabilities = np.array([1e-5 if word.startswith(INSIDE) else frequencies.get(word, 1e-7) for word in english])
    vectors = distil(english_speller.means(texts), np.concatenate(targets), of_words, probabilities, given.dims)

    speller = Speller(entries)
    if foreign:
        vectors = np.concatenate([vectors, np.zeros((len(foreign), given.dims), np.float32)])
        moved = np.arange(len(english), len(entries))
        pairs = [pair for language in inputs.languages for pair in inputs.translations(language)]
        from_translations(vectors, speller, moved, pairs, given.foreign_ridge)

    sources = contrasted(inputs, given.translated, given.request_copies, given.seed)
    contrast(vectors, sources, speller, Settings(epochs=given.epochs, seed=given.seed))

    data = table.written(entries, vectors)
    given.out.write_bytes(data)
    print(given.out, len(entries), 'words', len(data), 'bytes, gzip', len(gzip.compress(data, 9, mtime=0)))
    print('sha256', hashlib.sha256(data).hexdigest())


if __name__ == '__main__':
    main()
