"""Distillation: the mean of the vectors of a text's words is to be the teacher's vector of the text."""

import numpy as np

# Words more frequent than this weigh less, as in smooth inverse frequency weighting (Arora, Liang and Ma, 2017).
SMOOTH = 1e-3


def distil(means, targets, words, probabilities, dims, ridge=0.1, rounds=40):
    """
    Vectors of words, by ridge regression around the teacher's own vectors of them.

    means -- the matrix of `Speller.means`, of the texts
    targets, words -- the teacher's vectors of the texts, and of the words
    """
    axes = principal_axes(targets, dims)
    wanted = unit((targets - targets.mean(0)) @ axes)
    prior = (words - words.mean(0)) @ axes * (SMOOTH / (SMOOTH + probabilities))[:, None]
    told = means @ prior
    prior = (prior * (np.sum(told * wanted) / np.sum(told**2))).astype(np.float32)
    return around(prior, means, wanted, ridge, rounds)


def around(prior, means, wanted, ridge, rounds):
    """The least squares of `means @ vectors - wanted`, by conjugate gradients, where leaving the prior costs `ridge`."""
    back = means.T.tocsr()
    change = np.zeros_like(prior)
    rest = back @ (wanted - means @ prior)
    direction = rest.copy()
    size = (rest * rest).sum(0)
    for _ in range(rounds):
        moved = back @ (means @ direction) + ridge * direction
        step = size / np.maximum(1e-12, (direction * moved).sum(0))
        change += step * direction
        rest -= step * moved
        last, size = size, (rest * rest).sum(0)
        direction = rest + size / np.maximum(1e-12, last) * direction
    return (prior + change).astype(np.float32)


def principal_axes(vectors, dims):
    centred = vectors - vectors.mean(0)
    return np.linalg.eigh(centred.T @ centred / len(centred))[1][:, ::-1][:, :dims]


def unit(vectors):
    return vectors / np.maximum(1e-9, np.linalg.norm(vectors, axis=-1, keepdims=True))
