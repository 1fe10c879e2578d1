import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { messageOf } from '../../../errors.ts';
import { isRecord } from '../../../util/record.ts';
import type { JsonObject } from '../../data.ts';
import { askServer } from '../shell/ask-server.ts';
import { usePage } from '../shell/context.ts';
import { countText, numberText, Text } from '../ui/text.tsx';

/** The phases of the filter, and what each lets a user do. */
export const PHASES = { search: 'find', load: 'load', active: 'be sent and call' } as const;

/**
 * Acts as a user: Search then ranks what that user may find, and Tools shows the filter's decisions for each tool. Renders
 * nothing if no filter can be asked.
 */
export function ActAs(): JSX.Element | null {
  const { data, user, actAs, route, set } = usePage();
  const [text, setText] = useState(user?.text ?? (route.settings.get('as') || '{ "user": "ann" }'));
  const [said, say] = useState('');
  const context = readContext(text);
  const isWrong = typeof context === 'string';
  const act = async (): Promise<void> => {
    if (isWrong) return;
    try {
      actAs({ text, context, permitted: await askServer({ ask: 'permitted', requestContext: context }) });
      set({ as: text });
      say('');
    } catch (error) {
      say(messageOf(error));
    }
  };
  // The address may contain a user.
  useEffect(() => {
    if (data.server?.canFilter && route.settings.get('as') && !user) void act();
  }, []);
  if (!data.server?.canFilter) return null;
  const error = isWrong ? context : said;
  return (
    <details class="act-as" open={user !== undefined}>
      <summary>{user ? <Counts of={user.permitted} /> : 'Act as a user'}</summary>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void act();
        }}
      >
        <label for="context">Request context, as JSON</label>
        <input
          id="context"
          class="mono"
          autocomplete="off"
          spellcheck={false}
          value={text}
          aria-invalid={isWrong}
          aria-describedby="context-says"
          onInput={({ currentTarget }) => setText(currentTarget.value)}
        />
        <p id="context-says" class={error === '' ? 'muted small' : 'bad small'} aria-live="polite">
          <Text of={error || 'The filter is asked about each tool with these entries.'} />
        </p>
        <button type="submit" class="bordered" disabled={isWrong}>
          Ask the filter
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
    </details>
  );
}

type Permitted = Readonly<Record<keyof typeof PHASES, readonly string[]>> & { readonly tools?: readonly unknown[] };

function Counts({ of }: { readonly of: Permitted }): JSX.Element {
  const { data } = usePage();
  const may = Object.entries(PHASES).map(
    ([phase, does]) => `${does} ${numberText(of[phase as keyof typeof PHASES].length)}`,
  );
  return (
    <span role="status">
      Of {countText(of.tools?.length ?? data.tools.length, 'tool')}, this user may {may.join(', ')}
    </span>
  );
}

/** Parses a request context, or returns the error. An empty text is a context without entries. */
function readContext(text: string): JsonObject | string {
  try {
    const value: unknown = JSON.parse(text.trim() || '{}');
    return isRecord(value) ? value : 'A request context is an object such as { "user": "ann" }.';
  } catch (error) {
    return `This is no JSON: ${messageOf(error)}`;
  }
}
