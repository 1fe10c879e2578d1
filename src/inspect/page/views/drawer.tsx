import type { JSX } from 'preact';
import { keywordsCode } from '../../../workbench/changes.ts';
import { usePage } from '../shell/context.ts';
import { CopyButton, download, Text, ToolLink } from '../ui/text.tsx';

/** All changes, and ways to export them. */
export function ChangesDrawer({ close }: { close(): void }): JSX.Element {
  const { edits, history } = usePage();
  const changes = history.changes();
  const json = `${JSON.stringify(changes, null, 2)}\n`;
  const code = keywordsCode(changes);
  if (edits.size === 0)
    return (
      <p>
        Change a description or the keywords of a tool: in Tools, or in Search, where an expected tool is not found. All
        changes are kept here, over a reload and for other tabs of this page.
      </p>
    );
  return (
    <>
      <p class="buttons">
        <button type="button" class="bordered" onClick={() => download('changes.json', json)}>
          Download changes.json
        </button>
        <CopyButton what="as JSON" text={json} />
        {code !== undefined && <CopyButton what="as search.keywords" text={code} />}
        <button type="button" onClick={() => history.revert()}>
          Take back all
        </button>
      </p>
      <p class="small muted">
        Into a JSON file of tools: <code>npx mastra-tool-search apply changes.json tools.json</code>, with{' '}
        <code>--patch</code> for a patch of it.
      </p>
      <ul class="rows">
        {Object.entries(changes.changes).map(([name, { description, keywords }]) => (
          <li key={name}>
            {/* biome-ignore lint/a11y/useKeyWithClickEvents: a link is clicked by the keys too. */}
            {/* biome-ignore lint/a11y/noStaticElementInteractions: the link in it is what is used. */}
            <span onClick={close}>
              <ToolLink name={name} />
            </span>{' '}
            <button type="button" class="small" onClick={() => history.revert(name)}>
              Take back
            </button>
            {description && <Difference what="Description" {...description} />}
            {keywords && (
              <Difference what="Keywords" before={keywords.before.join(', ')} after={keywords.after.join(', ')} />
            )}
          </li>
        ))}
      </ul>
    </>
  );
}

interface DifferenceProps {
  readonly what: string;
  readonly before: string;
  readonly after: string;
}

/** A text before and after a change. */
function Difference({ what, before, after }: DifferenceProps): JSX.Element {
  return (
    <p class="small difference">
      {what}:{' '}
      {before !== '' && (
        <del class="bad">
          <Text of={before} />
        </del>
      )}{' '}
      {after !== '' && (
        <ins class="good">
          <Text of={after} />
        </ins>
      )}
    </p>
  );
}
