import './user.css';
import type { JSX } from 'preact';
import { useMemo, useState } from 'preact/hooks';
import type { InspectPermitted, JsonObject } from '../../data.ts';
import { askServer } from '../shell/ask-server.ts';
import type { ViewProps } from '../shell/view.ts';
import { countText, numberText } from '../ui/numbers.ts';
import { useAnswer } from '../ui/use-answer.ts';
import { useSettings } from '../ui/use-settings.ts';
import { Waiting } from '../ui/waiting.tsx';
import { readContext } from './context-text.ts';
import { PermissionTable } from './permission-table.tsx';
import { filterTools, type PermissionFilter, PHASES, type Phase, permittedTools } from './permissions.ts';
import { UserSearch } from './user-search.tsx';

const EXAMPLE = '{\n  "user": "ann"\n}';
const TITLES: Readonly<Record<Phase, string>> = { search: 'find', load: 'load', active: 'be sent and call' };

/** What a user may find, load and call: a request context, and what the filter makes of it. */
export function UserView(props: ViewProps): JSX.Element {
  const { data } = props;
  const [get, set] = useSettings(props);
  const [text, setText] = useState(get('context') || EXAMPLE);
  const [acting, setActing] = useState<JsonObject>();
  if (!data.server?.canFilter) return <NoFilter isFile={data.server === undefined} />;
  const read = readContext(text);
  const error = 'error' in read ? read.error : undefined;
  const act = (): void => {
    if (!('context' in read)) return;
    set('context', text);
    setActing(read.context);
  };
  return (
    <section class="user" aria-labelledby="user-title">
      <h2 id="user-title">Act as a user</h2>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          act();
        }}
      >
        <label for="user-context">Request context, as JSON</label>
        <textarea
          id="user-context"
          rows={6}
          spellcheck={false}
          value={text}
          aria-invalid={error !== undefined}
          aria-describedby="user-context-says"
          onInput={({ currentTarget }) => setText(currentTarget.value)}
          onKeyDown={(event) => {
            if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return;
            event.preventDefault();
            act();
          }}
        />
        <p id="user-context-says" class={error === undefined ? 'muted small' : 'bad small'} aria-live="polite">
          {error ?? 'The filter is asked about each tool with these entries. Ctrl Enter asks.'}
        </p>
        <button type="submit" class="primary" disabled={error !== undefined}>
          Ask the filter
        </button>
      </form>
      {acting && (
        <Acting
          key={JSON.stringify(acting)}
          {...props}
          context={acting}
          only={get('only')}
          find={get('find')}
          set={set}
        />
      )}
    </section>
  );
}

interface ActingProps extends ViewProps {
  readonly context: JsonObject;
  readonly only: string;
  readonly find: string;
  readonly set: (key: string, value: string) => void;
}

function Acting(props: ActingProps): JSX.Element {
  const { context } = props;
  const answered = useAnswer((signal) => askServer({ ask: 'permitted', requestContext: context }, signal), [context]);
  if (!answered.value) return <Waiting answered={answered} doing="Asking the filter" />;
  return (
    <>
      <UserSearch {...props} permitted={answered.value} />
      <Permissions {...props} permitted={answered.value} />
    </>
  );
}

function Permissions({
  data,
  permitted,
  only,
  find,
  set,
}: ActingProps & { readonly permitted: InspectPermitted }): JSX.Element {
  const all = useMemo(() => permittedTools(data.tools, permitted), [data, permitted]);
  const filters = (
    [
      ['all', 'All'],
      ['allowed', 'Allowed'],
      ['denied', 'Denied'],
      ['mixed', 'In some phases'],
    ] as const satisfies readonly (readonly [PermissionFilter, string])[]
  ).map(([key, title]) => ({ key, title, count: filterTools(all, key, '').length }));
  const chosen = filters.find(({ key }) => key === only)?.key ?? 'all';
  return (
    <>
      <p class="permitted-counts" role="status">
        Of {countText(all.length, 'tool')}, this user may{' '}
        {PHASES.map((phase) => `${TITLES[phase]} ${numberText(permitted[phase].length)}`).join(', ')}.
      </p>
      <div class="controls">
        <fieldset class="choice">
          <legend class="unseen">Tools shown</legend>
          {filters.map(({ key, title, count }) => (
            <label key={key}>
              <input
                type="radio"
                name="tools-shown"
                checked={key === chosen}
                onChange={() => set('only', key === 'all' ? '' : key)}
              />
              <span>
                {title} {numberText(count)}
              </span>
            </label>
          ))}
        </fieldset>
        <input
          type="search"
          value={find}
          placeholder="Find a tool"
          aria-label="Find a tool"
          onInput={({ currentTarget }) => set('find', currentTarget.value)}
        />
      </div>
      <PermissionTable tools={filterTools(all, chosen, find)} />
    </>
  );
}

function NoFilter({ isFile }: { readonly isFile: boolean }): JSX.Element {
  return (
    <section class="empty">
      <h2>Nobody to ask</h2>
      {isFile ? (
        <p>
          This page is a file. What a filter lets a user through is answered by the process that has the filter: mount{' '}
          <code>processor.inspector()</code>, and open the page there.
        </p>
      ) : (
        <p>
          There is no filter. With one, this page answers what a user may find, load and call: pass{' '}
          <code>startInspector({'{ filter }'})</code>, export it from the module of the command as{' '}
          <code>export const filter</code>, or mount <code>processor.inspector()</code> of a processor that has it.
        </p>
      )}
    </section>
  );
}
