"""Ratel's BM25 over lines of JSON: a catalog in the first one, a query in each of the others; the names that it finds come back.

In an environment of its own, which PYTHON names:

  pip install ratel-ai
  PYTHON=venv/bin/python npm run bench:retrieval -- --scorers core,ratel
"""

import json
import sys

from ratel_ai import Tool, ToolRegistry

RESULTS = 10

catalog = json.loads(sys.stdin.readline())
registry = ToolRegistry()
# Its tools are indexed when `register` returns; what is awaited is for embeddings alone.
registry.register(
    [Tool(tool["id"], tool["id"], tool["description"], tool.get("inputSchema") or {}) for tool in catalog]
).close()
for line in sys.stdin:
    hits = registry.search(json.loads(line), RESULTS)
    print(json.dumps([hit.tool_id for hit in hits]), flush=True)
