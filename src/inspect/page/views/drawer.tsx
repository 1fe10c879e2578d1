import { createTwoFilesPatch } from 'diff';
import type { JSX } from 'preact';
import { applyChanges, keywordsCode } from '../../../workbench/changes.ts';
import { askServer } from '../shell/ask-server.ts';
import { usePage } from '../shell/context.ts';
import { shownText } from '../ui/shown-text.ts';
import { Code, CopyButton, download, ToolLink } from '../ui/text.tsx';

/** All changes, and the ways to take them home. */
export function ChangesDrawer({ close }: { close(): void }): JSX.Element {
  const { data, edits, history } = usePage();
  const changes = history.changes();
  const json = `${JSON.stringify(changes, null, 2)}\n`;
  const code = keywordsCode(changes);
  const file = data.server?.file;
  if (edits.size === 0)
    return (
      <p>
        Change a description or the keywords of a tool: in Tools, or in Search, where an expected tool is not found. All
        changes are kept here, over a reload and for other tabs of this page.
      </p>
    );
  const patch = async (): Promise<string> => {
    const text = await askServer({ ask: 'source' });
    const { text: changed, problems } = applyChanges(text, changes);
    if (changed === text) throw new Error(problems.join('; ') || 'Nothing to change in the file.');
    return createTwoFilesPatch(`a/${file}`, `b/${file}`, text, changed, undefined, undefined, { context: 2 });
  };
  return (
    <>
      <p class="buttons">
        <CopyButton what="as JSON" text={() => json} />
        <button type="button" onClick={() => download('changes.json', json)}>
          Download changes.json
        </button>
        {code !== undefined && <CopyButton what="as search.keywords" text={() => code} />}
        {file !== undefined && <CopyButton what="as a patch" text={patch} />}
        {file !== undefined && (
          <button type="button" onClick={() => void patch().then((text) => download(`${file}.patch`, text))}>
            Download {shownText(file)}.patch
          </button>
        )}
        <button type="button" class="quiet" onClick={() => history.revert()}>
          Take back all
        </button>
      </p>
      <p class="small muted">
        Into a JSON file of tools:{' '}
        <code>npx mastra-tool-search apply changes.json {shownText(file ?? 'tools.json')}</code>
        {file === undefined && (
          <>
            , with <code>--patch</code> for a patch of it
          </>
        )}
        .
      </p>
      <ul class="rows">
        {[...edits.keys()].map((name) => (
          <li key={name}>
            {/* biome-ignore lint/a11y/useKeyWithClickEvents: a link is clicked by the keys too. */}
            {/* biome-ignore lint/a11y/noStaticElementInteractions: the link in it is what is used. */}
            <span onClick={close}>
              <ToolLink name={name} />
            </span>{' '}
            <button type="button" class="quiet small" onClick={() => history.revert(name)}>
              Take back
            </button>
            <Difference name={name} />
          </li>
        ))}
      </ul>
    </>
  );
}

/** What was changed of a tool: lines that go and lines that come. */
export function Difference({ name }: { readonly name: string }): JSX.Element {
  const { history } = usePage();
  const { description, keywords } = history.changes().changes[name] ?? {};
  const text = [
    ...(description ? patchLines('description', description.before, description.after) : []),
    ...(keywords ? patchLines('keywords', keywords.before.join('\n'), keywords.after.join('\n')) : []),
  ];
  const classOf = (line: string): string => (line.startsWith('+') ? 'good' : line.startsWith('-') ? 'bad' : 'muted');
  return (
    <Code label={`Difference of ${name}`}>
      {text.map((line, at) => (
        <span key={`${at} ${line}`} class={classOf(line)}>
          {shownText(line)}
          {'\n'}
        </span>
      ))}
    </Code>
  );
}

function patchLines(what: string, before: string, after: string): readonly string[] {
  const [, , , , ...lines] = createTwoFilesPatch('', '', `${before}\n`, `${after}\n`, '', '', { context: 1 }).split(
    '\n',
  );
  return [`@@ ${what} @@`, ...lines.filter((line) => line !== '' && !line.startsWith('@@'))];
}
