"""Words of texts and the entries of the table that spell them, exactly as the library reads them."""

import re
import unicodedata

import numpy as np
from scipy.sparse import csr_matrix

RUN = re.compile(r'[^\W_]+')
# Scripts without spaces: the longest entries, from left to right.
UNSPACED = re.compile(r'[\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff]')
MAX_UNSPACED = 8
# An entry that begins so stands inside a word only.
INSIDE = '##'


def normal(text):
    """Small letters without accents, with the parts of camelCase apart."""
    text = re.sub(r'([a-z0-9])([A-Z])', r'\1 \2', text)
    text = re.sub(r'([A-Z]+)([A-Z][a-z])', r'\1 \2', text)
    apart = unicodedata.normalize('NFD', text.lower())
    return apart if apart.isascii() else ''.join(sign for sign in apart if unicodedata.category(sign) != 'Mn')


def words_of(text):
    return [word for word in RUN.findall(normal(text)) if not word.isdigit()]


def spaced(name):
    """The words of an identifier, in their casing."""
    return ' '.join(re.sub(r'([a-z0-9])([A-Z])', r'\1 \2', name).translate(str.maketrans('_-.', '   ')).split())


class Speller:
    """Spells words by the entries of a vocabulary."""

    def __init__(self, entries):
        self.ids = {entry: number for number, entry in enumerate(entries)}
        self._longest = max(map(len, entries))
        self._known = {}

    def word(self, word):
        found = self._known.get(word)
        if found is None:
            found = self._known[word] = self._spell(word)
        return found

    def _spell(self, word):
        if word in self.ids:
            return [self.ids[word]]
        return self._unspaced(word) if UNSPACED.search(word) else self._pieces(word)

    def _unspaced(self, word):
        found, at = [], 0
        while at < len(word):
            ends = range(min(len(word), at + MAX_UNSPACED), at, -1)
            end = next((end for end in ends if word[at:end] in self.ids), None)
            if end is None:
                at += 1
            else:
                found.append(self.ids[word[at:end]])
                at = end
        return found

    def _pieces(self, word):
        found, at = [], 0
        while at < len(word):
            before = INSIDE if at else ''
            ends = range(min(len(word), at + self._longest), at, -1)
            end = next((end for end in ends if before + word[at:end] in self.ids), None)
            if end is None:
                # A word that cannot be spelt counts nothing.
                return []
            found.append(self.ids[before + word[at:end]])
            at = end
        return found

    def text(self, text):
        return [number for word in words_of(text) for number in self.word(word)]

    def means(self, texts):
        """A matrix that turns the vectors of entries into the mean vectors of texts."""
        spelt = [self.text(text) for text in texts]
        sizes = np.array([len(each) for each in spelt])
        rows = np.repeat(np.arange(len(spelt)), sizes)
        columns = np.fromiter((number for each in spelt for number in each), int, sizes.sum())
        shares = np.repeat(1 / np.maximum(1, sizes), sizes).astype(np.float32)
        return csr_matrix((shares, (rows, columns)), shape=(len(spelt), len(self.ids)))
