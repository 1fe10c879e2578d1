"""Collects the English pairs of public repositories and of WordNet. README.md names them.

    python extract.py --repositories REPOSITORIES --catalog tools.jsonl --wordnet WORDNET --out inputs.json.gz \\
        --without-tools held-out/tools.jsonl --without-queries dev/queries.jsonl

REPOSITORIES has a clone of each repository as OWNER/NAME. WORDNET is the folder of WordNet 3.0 with data.noun, data.verb,
data.adj and data.adv.
"""

import argparse
import collections
import csv
import gzip
import json
import pathlib
import random
import re

from inputs import tool_of
from vocabulary import multilingual_pieces, word_frequencies
from words import spaced

FUNCTION_CALLS = 'ShishirPatil/gorilla/berkeley-function-call-leaderboard/bfcl_eval/data'
# The parts of the leaderboard that are in no labelled set.
CALLS = ('simple_python', 'multiple', 'parallel', 'parallel_multiple', 'simple_java', 'simple_javascript')
MESSAGES = ('irrelevance', 'live_irrelevance', 'live_relevance')
HWU = (
    'xliuhw/NLU-Evaluation-Data/CrossValidation/out4RasaReal/rasa_json_2018_03_22-13_01_25_169_80Train/CrossValidation'
    '/KFold_1/merged/RasaNlu_Merged_KFold_1_2018_03_22-13_01_25_169.json'
)
# How frequent a word of a WordNet entry has to be, in the sentencepiece vocabulary.
FREQUENT = 1e-6


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--repositories', type=pathlib.Path, required=True)
    parser.add_argument('--catalog', type=pathlib.Path, required=True)
    parser.add_argument('--wordnet', type=pathlib.Path, required=True)
    parser.add_argument('--out', type=pathlib.Path, required=True)
    parser.add_argument('--without-tools', type=pathlib.Path, nargs='*', default=[])
    parser.add_argument('--without-queries', type=pathlib.Path, nargs='*', default=[])
    given = parser.parse_args()
    held_tools = values(given.without_tools, 'id')
    held_queries = values(given.without_queries, 'query')
    # One order for all shuffles.
    shuffled = random.Random(7)

    tools = [tool_of(line) for line in lines(given.catalog) if line['id'] not in held_tools]
    metatool = metatool_pairs(given.repositories, held_queries)
    shuffled.shuffle(metatool)
    commands = command_pairs(given.repositories)
    shuffled.shuffle(commands)
    clinc = intent_pairs('clinc', clinc_texts(given.repositories), 20_000, shuffled)
    hwu = intent_pairs('hwu', hwu_texts(given.repositories), 15_000, shuffled)
    glosses = gloss_pairs(given.wordnet)
    shuffled.shuffle(glosses)
    content = {
        'pairs': {
            'tools': [(f'{tool.name}. {tool.parameters}', tool.description[:500]) for tool in tools if len(tool.description) >= 25],
            'metatool': metatool[:12_000],
            'bfcl': call_pairs(given.repositories, held_queries),
            'tldr': commands[:15_000],
            'clinc': clinc,
            'hwu': hwu,
            'wordnet': glosses[:12_000],
        },
        'meta': metatool,
        'requests': messages(given.repositories, held_queries),
        'tldr': commands,
        'net': glosses,
        'tools': [tool.id for tool in tools],
    }
    given.out.write_bytes(gzip.compress(json.dumps(content).encode(), 9, mtime=0))
    print({source: len(pairs) for source, pairs in content['pairs'].items()}, 'tools', len(tools))


def lines(file):
    return [json.loads(line) for line in file.read_text().splitlines() if line.strip()]


def values(files, key):
    return {line[key] for file in files for line in lines(file)}


def metatool_pairs(repositories, held):
    """Requests with the name and description of their tool."""
    folder = repositories / 'HowieHwong/MetaTool/dataset'
    about = json.loads((folder / 'plugin_des.json').read_text())
    with (folder / 'data/all_clean_data.csv').open(newline='') as file:
        rows = [(row['Query'], row['Tool']) for row in csv.DictReader(file)]
    return [(query, f'{spaced(tool)}. {about[tool]}') for query, tool in rows if query not in held and tool in about]


def call_pairs(repositories, held):
    """Messages with the functions that they call."""
    pairs = []
    for part in CALLS:
        answers = lines(repositories / FUNCTION_CALLS / f'possible_answer/BFCL_v4_{part}.json')
        right = {line['id']: [name for call in line['ground_truth'] for name in call] for line in answers}
        for line in lines(repositories / FUNCTION_CALLS / f'BFCL_v4_{part}.json'):
            functions = {function['name']: function for function in line['function']}
            message = asked(line['question'])
            called = [functions[name] for name in dict.fromkeys(right.get(line['id'], [])) if name in functions]
            pairs += [(message, function_text(function)) for function in called if message not in held]
    return pairs


def function_text(function):
    parameters = ', '.join(map(spaced, (function.get('parameters') or {}).get('properties') or {}))
    return f'{spaced(function["name"])}. {(function.get("description") or "")[:500]}. {parameters}'


def messages(repositories, held):
    every = [asked(line['question']) for part in MESSAGES for line in lines(repositories / FUNCTION_CALLS / f'BFCL_v4_{part}.json')]
    return [message[:400] for message in every if message and message not in held]


def asked(question):
    """The first message of a conversation that is not the system's."""
    while isinstance(question, list):
        others = (each for each in question if not (isinstance(each, dict) and each.get('role') == 'system'))
        question = next(others, question[0] if question else '')
    return question['content'] if isinstance(question, dict) else question


def command_pairs(repositories):
    """What examples of commands do, with the name of the command and what it is for."""
    pairs = []
    for file in sorted((repositories / 'tldr-pages/tldr/pages').rglob('*.md')):
        page = file.read_text().split('\n')
        about = ' '.join(line[2:].strip() for line in page if line.startswith('> ') and 'ttp' not in line)
        done = (line[2:].strip().rstrip(':') for line in page if line.startswith('- '))
        pairs += [(unmarked(each), f'{file.stem}. {unmarked(about)}') for each in done]
    return pairs


def unmarked(text):
    return re.sub(r'[`\[\]{}]', '', text)


def clinc_texts(repositories):
    full = json.loads((repositories / 'clinc/oos-eval/data/data_full.json').read_text())
    return [tuple(each) for part in ('train', 'val', 'test') for each in full[part]]


def hwu_texts(repositories):
    every = json.loads((repositories / HWU).read_text())['rasa_nlu_data']['common_examples']
    return [(each['text'], each['intent']) for each in every]


def intent_pairs(source, texts, most, shuffled):
    """Texts with the name of their intent, every other one also with another text of it."""
    of_intent = collections.defaultdict(list)
    for text, intent in texts:
        of_intent[intent].append(text)
    pairs = []
    for text, intent in texts:
        group = f'{source}:{intent}'
        pairs.append((text, intent.replace('_', ' '), group))
        if shuffled.random() < 0.5:
            pairs.append((text, shuffled.choice(of_intent[intent]), group))
    shuffled.shuffle(pairs)
    return pairs[:most]


def gloss_pairs(wordnet):
    """Frequent words that mean alike, with their definition."""
    frequencies = word_frequencies(multilingual_pieces())
    pairs = []
    for part in ('noun', 'verb', 'adj', 'adv'):
        for line in (wordnet / f'data.{part}').read_text('latin1').splitlines():
            if line.startswith('  '):
                continue
            head, gloss = line.split('|', 1)
            fields = head.split()
            count = int(fields[3], 16)
            terms = [fields[4 + 2 * number].replace('_', ' ').split('(')[0] for number in range(count)]
            if max(frequencies.get(term.lower(), 0) for term in terms) >= FREQUENT:
                pairs.append((', '.join(terms[:4]), gloss.split('; "')[0].strip()))
    return pairs


if __name__ == '__main__':
    main()
