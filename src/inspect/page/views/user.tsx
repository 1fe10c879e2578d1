import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { messageOf } from '../../../kit.ts';
import type { InspectPermitted, InspectQuestions } from '../../data.ts';
import { askServer } from '../shell/ask-server.ts';
import { usePage } from '../shell/context.ts';
import { countText, numberText, Text } from '../ui/text.tsx';

/** The phases in which the filter is asked, and what they let a user do. */
export const PHASES = { search: 'find', load: 'load', active: 'be sent and call' } as const;

/** The part of the page that acts as a user: Search ranks what that user may find, Tools shows what the filter says of each. */
export function ActAs(): JSX.Element | null {
  const { data, user, actAs, route, set } = usePage();
  const [text, setText] = useState(user?.text ?? (route.settings.get('as') || '{ "user": "ann" }'));
  const [said, say] = useState('');
  const [isAsking, setAsking] = useState(false);
  const read = readContext(text);
  const act = async (): Promise<void> => {
    if (!('context' in read)) return;
    setAsking(true);
    try {
      const permitted = await askServer({ ask: 'permitted', requestContext: read.context });
      actAs({ text, context: read.context, permitted });
      set({ as: text });
      say('');
    } catch (error) {
      say(messageOf(error));
    }
    setAsking(false);
  };
  // A link with a user.
  useEffect(() => {
    if (data.server?.canFilter && route.settings.get('as') && !user) void act();
  }, []);
  const error = 'error' in read ? read.error : said;
  return (
    <details class="act-as" open={user !== undefined}>
      <summary>{user ? <Counts permitted={user.permitted} /> : 'Act as a user'}</summary>
      {!data.server?.canFilter ? (
        <p class="small muted">{data.server ? NO_FILTER : NO_SERVER}</p>
      ) : (
        <form
          onSubmit={(event) => {
            event.preventDefault();
            void act();
          }}
        >
          <label for="context">Request context, as JSON</label>
          <textarea
            id="context"
            rows={2}
            spellcheck={false}
            value={text}
            aria-invalid={'error' in read}
            aria-describedby="context-says"
            onInput={({ currentTarget }) => setText(currentTarget.value)}
            onKeyDown={(event) => {
              if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return;
              event.preventDefault();
              void act();
            }}
          />
          <p id="context-says" class={error === '' ? 'muted small' : 'bad small'} aria-live="polite">
            {error === '' ? (
              'The filter is asked about each tool with these entries. Ctrl Enter asks.'
            ) : (
              <Text of={error} />
            )}
          </p>
          <button type="submit" disabled={'error' in read || isAsking}>
            {isAsking ? 'Asking…' : 'Ask the filter'}
          </button>
          {user && (
            <button
              type="button"
              onClick={() => {
                actAs(undefined);
                set({ as: '' });
              }}
            >
              Act as nobody
            </button>
          )}
        </form>
      )}
    </details>
  );
}

const NO_FILTER =
  'There is no filter. With one, this page answers what a user may find, load and call: pass startInspector({ filter }), export it from the module of the command as "filter", or mount processor.inspector() of a processor that has it.';
const NO_SERVER =
  'This page is a file. What a filter lets a user through is answered by the process that has it: mount processor.inspector(), and open the page there.';

function Counts({ permitted }: { readonly permitted: InspectPermitted }): JSX.Element {
  const { data } = usePage();
  const may = Object.entries(PHASES).map(
    ([phase, does]) => `${does} ${numberText(permitted[phase as keyof typeof PHASES].length)}`,
  );
  return (
    <span role="status">
      Of {countText(permitted.tools?.length ?? data.tools.length, 'tool')}, this user may {may.join(', ')}
    </span>
  );
}

/** Reads a request context: an object as JSON. An empty text is one without entries. */
function readContext(
  text: string,
): { readonly context: InspectQuestions['permitted']['asked']['requestContext'] } | { readonly error: string } {
  if (text.trim() === '') return { context: {} };
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return { context: { ...value } };
    const what = value === null ? 'null' : Array.isArray(value) ? 'a list' : `a ${typeof value}`;
    return { error: `A request context is an object such as { "user": "ann" }; this is ${what}.` };
  } catch (error) {
    return { error: `This is no JSON: ${messageOf(error)}` };
  }
}
