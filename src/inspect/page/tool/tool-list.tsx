import type { JSX } from 'preact';
import { useEffect, useLayoutEffect, useMemo, useState } from 'preact/hooks';
import type { InspectTool } from '../../data.ts';
import { hashOf } from '../shell/route.ts';
import type { ViewProps } from '../shell/view.ts';
import { LitText } from '../ui/lit-text.tsx';
import { LongList } from '../ui/long-list.tsx';
import { SearchField } from '../ui/search-field.tsx';
import { Text } from '../ui/text.tsx';
import { useAnswer } from '../ui/use-answer.ts';
import { useChange } from '../ui/use-change.ts';
import { filterTools, type ToolFilter } from './tool-filter.ts';

const ROW_HEIGHT = 34;
const ORDERS = [
  ['catalog', 'Order of the catalog'],
  ['name', 'By name'],
  ['tokens', 'By tokens'],
] as const satisfies readonly (readonly [ToolFilter['order'], string])[];

/** All tools of the catalog. */
export function ToolList({ engine, edits, history, data, route, remember, announce }: ViewProps): JSX.Element {
  const { settings, name: unknown } = route;
  const [text, setText] = useState(settings.get('q') ?? '');
  const [isEdited, setEdited] = useState(settings.get('only') === 'edited');
  const [order, setOrder] = useState(orderOf(settings));
  const { value: counted } = useAnswer(() => engine.tokens(), [engine, edits]);
  const tokens = useMemo(() => new Map(counted?.map((each) => [each.name, each.tokens])), [counted]);
  const tools = useMemo(
    () => filterTools(data.tools, { text, isEdited, order }, edits, tokens),
    [data, text, isEdited, order, edits, tokens],
  );
  useChange(settings, () => {
    setText(settings.get('q') ?? '');
    setEdited(settings.get('only') === 'edited');
    setOrder(orderOf(settings));
  });
  useLayoutEffect(
    () => remember({ q: text, only: isEdited ? 'edited' : '', by: order === 'catalog' ? '' : order }),
    [text, isEdited, order, remember],
  );
  useEffect(() => {
    const timer = setTimeout(() => announce(`${tools.length} tools`), 700);
    return () => clearTimeout(timer);
  }, [tools.length, announce]);
  return (
    <>
      {unknown !== '' && (
        <p class="bad">
          There is no tool <Text of={unknown} />.
        </p>
      )}
      <div class="tool-filter">
        <SearchField label="Names and groups" hint="Names and groups" value={text} change={setText} />
        <select
          aria-label="Order"
          value={order}
          onChange={(event) => setOrder(event.currentTarget.value as ToolFilter['order'])}
        >
          {ORDERS.map(([value, title]) => (
            <option key={value} value={value}>
              {title}
            </option>
          ))}
        </select>
        <button type="button" aria-pressed={isEdited} onClick={() => setEdited(!isEdited)}>
          Edited only
        </button>
        <span class="muted small">{`${tools.length.toLocaleString('en')} of ${data.tools.length.toLocaleString('en')}`}</span>
      </div>
      <LongList
        items={tools}
        rowHeight={ROW_HEIGHT}
        label="Tools"
        row={(tool) => (
          <ToolRow
            key={tool.name}
            tool={history.tool(tool.name) ?? tool}
            tokens={tokens.get(tool.name)}
            isEdited={edits.has(tool.name)}
          />
        )}
      />
    </>
  );
}

function orderOf(settings: ReadonlyMap<string, string>): ToolFilter['order'] {
  return ORDERS.find(([each]) => each === settings.get('by'))?.[0] ?? 'catalog';
}

interface ToolRowProps {
  readonly tool: InspectTool;
  readonly tokens: number | undefined;
  readonly isEdited: boolean;
}

function ToolRow({ tool: { name, description, group }, tokens, isEdited }: ToolRowProps): JSX.Element {
  return (
    <li class="tool-row" data-row-of>
      <a data-row href={hashOf('tools', name)} class="mono">
        <LitText segments={[{ text: name }]} />
      </a>
      {isEdited && <span class="dot" role="img" aria-label="edited" />}
      <span class="tool-row-text muted small">
        <Text of={description.slice(0, 300)} />
      </span>
      {group && (
        <span class="badge">
          <Text of={group} />
        </span>
      )}
      <span class="number small muted tool-row-tokens">
        {tokens === undefined ? '' : `${tokens.toLocaleString('en')} tokens`}
      </span>
    </li>
  );
}
