"""Words of other languages, from texts that stand in English as well."""

import numpy as np

from distillation import around, unit


def from_translations(vectors, speller, foreign, pairs, ridge, rounds=30):
    """
    Moves the words so that the mean of a text's words is that of the same text in English. English words stay.

    foreign -- the numbers of the words that move
    pairs -- texts with the same in English
    ridge -- what a word costs that is not nothing: one that few texts have stays short
    """
    texts = speller.means([text for text, _ in pairs])
    english = {text: number for number, text in enumerate(dict.fromkeys(text for _, text in pairs))}
    told = speller.means(list(english)) @ vectors
    # The texts of both languages are to be of one length.
    wanted = unit(told) * np.linalg.norm(told, axis=1).mean()
    others = vectors.copy()
    others[foreign] = 0
    wanted = wanted[[english[text] for _, text in pairs]] - texts @ others
    vectors[foreign] = around(vectors[foreign], texts[:, foreign], wanted.astype(np.float32), ridge, rounds)
