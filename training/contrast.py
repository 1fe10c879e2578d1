"""Contrast: a text is to be closer to what it fits than to the other texts of a batch."""

import dataclasses

import numpy as np

from distillation import unit


@dataclasses.dataclass(frozen=True)
class Settings:
    epochs: int = 3
    batch: int = 1024
    rate: float = 0.005
    temperature: float = 0.1
    # Batches whose pairs are of one source: the others of such a batch are harder to tell apart.
    own: float = 0.7
    seed: int = 0


class Adam:
    """Adam for a few rows at a time."""

    def __init__(self, shape):
        self._mean = np.zeros(shape, np.float32)
        self._square = np.zeros(shape, np.float32)
        self._steps = 0

    def step(self, vectors, rows, gradient, rate):
        self._steps += 1
        self._mean[rows] = 0.9 * self._mean[rows] + 0.1 * gradient
        self._square[rows] = 0.999 * self._square[rows] + 0.001 * gradient * gradient
        mean = self._mean[rows] / (1 - 0.9**self._steps)
        square = self._square[rows] / (1 - 0.999**self._steps)
        vectors[rows] -= rate * mean / (np.sqrt(square) + 1e-8)


class Pairs:
    """Pairs of all sources as matrices, with what says which fit each other."""

    def __init__(self, sources, speller):
        rows = [(source, *pair) for source, pairs in sources.items() for pair in dict.fromkeys(map(tuple, pairs))]
        self.sources = np.array([row[0] for row in rows])
        self.first = speller.means([row[1] for row in rows])
        self.second = speller.means([row[2] for row in rows])
        groups = [row[3] if len(row) > 3 else f'#{number}' for number, row in enumerate(rows)]
        self._same = [codes([row[1] for row in rows]), codes([row[2] for row in rows]), codes(groups)]

    def fits(self, batch):
        return np.logical_or.reduce([same[batch][:, None] == same[batch] for same in self._same])

    def batches(self, random, settings):
        order = random.permutation(len(self.sources))
        own = random.random(len(self.sources)) < settings.own
        of_source = [order[(self.sources[order] == source) & own[order]] for source in np.unique(self.sources)]
        for rows in [*of_source, order[~own[order]]]:
            for start in range(0, len(rows) - settings.batch + 1, settings.batch):
                yield rows[start : start + settings.batch]


def codes(values):
    return np.unique(values, return_inverse=True)[1]


def contrast(vectors, sources, speller, settings=Settings()):
    """Changes the vectors in place."""
    pairs = Pairs(sources, speller)
    random = np.random.default_rng(settings.seed)
    adam = Adam(vectors.shape)
    steps = 0
    for epoch in range(settings.epochs):
        batches = list(pairs.batches(random, settings))
        total = len(batches) * settings.epochs
        loss = 0
        for number in random.permutation(len(batches)):
            batch = batches[number]
            first, second = pairs.first[batch], pairs.second[batch]
            lost, of_first, of_second = gradients(first @ vectors, second @ vectors, pairs.fits(batch), settings.temperature)
            loss += lost
            rows = np.unique(np.concatenate([first.indices, second.indices]))
            gradient = first[:, rows].T @ of_first + second[:, rows].T @ of_second
            steps += 1
            rate = settings.rate * min(1, steps / 50) * max(0.05, 1 - steps / total)
            adam.step(vectors, rows, gradient.astype(np.float32), rate)
        print(f'contrast: epoch {epoch}, loss {loss / len(batches):.3f}', flush=True)


def gradients(first, second, fits, temperature):
    """The loss, as a cross-entropy in both directions, and its gradients by the vectors of the texts."""
    lengths = [np.linalg.norm(each, axis=1, keepdims=True) + 1e-6 for each in (first, second)]
    one, other = first / lengths[0], second / lengths[1]
    cosines = one @ other.T
    gradient = np.zeros_like(cosines)
    loss = 0
    for axis in (0, 1):
        odds = np.exp((cosines - cosines.max(axis, keepdims=True)) / temperature)
        odds /= odds.sum(axis, keepdims=True)
        wanted = fits / fits.sum(axis, keepdims=True)
        gradient += (odds - wanted) / temperature / 2 / len(first)
        loss -= (wanted * np.log(odds + 1e-9)).sum() / len(first) / 2
    of_one, of_other = gradient @ other, gradient.T @ one
    of_first = (of_one - (of_one * one).sum(1, keepdims=True) * one) / lengths[0]
    of_second = (of_other - (of_other * other).sum(1, keepdims=True) * other) / lengths[1]
    return loss, of_first, of_second
