"""What the table is trained on."""

import dataclasses
import gzip
import json
import pathlib

from words import spaced


@dataclasses.dataclass(frozen=True)
class Tool:
    id: str
    server: str
    description: str
    parameters: str

    @property
    def name(self):
        return spaced(self.id)

    @property
    def text(self):
        return '. '.join(filter(None, (self.name, self.description[:500], self.parameters[:300])))

    @property
    def first_sentence(self):
        return self.description.split('. ')[0].split('\n')[0][:300]


@dataclasses.dataclass(frozen=True)
class Request:
    tool: Tool
    text: str
    language: str


@dataclasses.dataclass(frozen=True)
class Inputs:
    # By their source: a text, another that it fits, and in some the group within which all fit all.
    pairs: dict
    # Of MetaTool, tldr-pages and WordNet: more pairs than are trained on.
    metatool: list
    commands: list
    glosses: list
    # Messages that ask for something.
    messages: list
    tools: list
    requests: list
    # By language: a text, and the same in English; of user interfaces, and keywords of signs.
    interfaces: dict
    keywords: dict

    @property
    def languages(self):
        return list(self.interfaces)

    def translations(self, language):
        return [*self.interfaces[language], *self.keywords[language]]


def read_inputs(extracted, catalog, translations, requests, without_servers=()):
    given = json.loads(gzip.decompress(extracted.read_bytes()))
    kept = set(given['tools'])
    told = json.loads(gzip.decompress(translations.read_bytes())) if translations else {}
    lines = (json.loads(line) for line in catalog.read_text().splitlines())
    tools = [tool_of(line) for line in lines if line['id'] in kept]
    by_id = {tool.id: tool for tool in tools}
    return Inputs(
        pairs={source: [tuple(pair) for pair in pairs] for source, pairs in given['pairs'].items()},
        metatool=given['meta'],
        commands=given['tldr'],
        glosses=given['net'],
        messages=given['requests'],
        tools=tools,
        requests=[each for each in read_requests(requests, by_id) if each.tool.server not in without_servers],
        interfaces=told.get('interfaces', {}),
        keywords=told.get('keywords', {}),
    )


def tool_of(line):
    properties = (line.get('inputSchema') or {}).get('properties') or {}
    parameters = ', '.join(map(spaced, properties))
    return Tool(line['id'], server_of(line), (line.get('description') or '').strip(), parameters)


def server_of(line):
    """The server that a name begins with: two tools are seldom of one where their names begin differently."""
    return line.get('server') or '_'.join(line['id'].split('_')[:2])


def read_requests(folder, tools):
    """The requests that were written for tools of the catalog. One for an unknown tool is left out."""
    files = sorted(pathlib.Path(folder).glob('*.jsonl')) if folder else []
    for line in (line for file in files for line in file.read_text().splitlines() if line.strip()):
        request = json.loads(line)
        if request['tool'] in tools:
            yield Request(tools[request['tool']], request['request'], request['lang'])
