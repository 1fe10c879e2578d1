"""
The file of a table, little endian: `MTSE`, u16 version 1, u16 dims, u32 words, u8 bits, 3 zero bytes, u32 bytes of the
vocabulary; the vocabulary as UTF-8, an entry a line, sorted by bytes, `##` begins an entry inside a word; then words times
dims numbers of 4 bits, low nibble first, value + 8. There is no scale: only directions count, and a word's length is its
weight.
"""

import struct

import numpy as np

HEAD = '<HHIBxxxI'
MOST = 7
# The share of numbers that 4 bits can say: the largest are cut.
WHOLE = 0.99


def written(entries, vectors):
    order = sorted(range(len(entries)), key=lambda number: entries[number].encode())
    vectors = vectors[order]
    step = np.quantile(np.abs(vectors), WHOLE) / MOST
    numbers = (np.clip(np.round(vectors / step), -MOST, MOST) + 8).astype(np.uint8)
    names = '\n'.join(entries[number] for number in order).encode()
    head = b'MTSE' + struct.pack(HEAD, 1, vectors.shape[1], len(entries), 4, len(names))
    return head + names + (numbers[:, 0::2] | numbers[:, 1::2] << 4).tobytes()


def read(data):
    """The entries and the vectors of a file."""
    _, dims, count, _, length = struct.unpack_from(HEAD, data, 4)
    entries = data[20 : 20 + length].decode().split('\n')
    packed = np.frombuffer(data, np.uint8, offset=20 + length).reshape(count, dims // 2)
    vectors = np.empty((count, dims), np.float32)
    vectors[:, 0::2] = packed & 15
    vectors[:, 1::2] = packed >> 4
    return entries, vectors - 8
