import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { messageOf } from '../../../errors.ts';
import { jsonInHtml } from '../../escape.ts';
import type { Edits } from '../engine/edits.ts';
import { download, Text } from '../ui/text.tsx';
import { askServer } from './ask-server.ts';
import { usePage } from './context.ts';

/** The state of a saved file: the address that was shown, and the edits. */
interface Saved {
  readonly hash: string;
  readonly edits: readonly (readonly [name: string, edit: unknown])[];
}

const ELEMENT = 'inspect-saved';

/** The state of this file; undefined for a server's page, and for a file that was not saved with SaveButton. */
export function readSaved(): Saved | undefined {
  const text = document.getElementById(ELEMENT)?.textContent;
  return text ? (JSON.parse(text) as Saved) : undefined;
}

/** A button that saves the page with its current state as one file, for any browser, without the server. */
export function SaveButton(): JSX.Element | null {
  const { data, edits } = usePage();
  const [said, say] = useState<'saving' | Error>();
  if (!data.server) return null;
  const save = async (): Promise<void> => {
    say('saving');
    try {
      download(`${data.title}.html`, withSaved(await askServer({ ask: 'file' }), edits));
      say(undefined);
    } catch (error) {
      say(new Error(messageOf(error)));
    }
  };
  return (
    <>
      {said instanceof Error && (
        <span class="bad small" role="alert">
          <Text of={said.message} />
        </span>
      )}
      <button type="button" class="bordered" disabled={said === 'saving'} onClick={() => void save()}>
        {said === 'saving' ? 'Saving…' : 'Save as a file'}
      </button>
    </>
  );
}

function withSaved(html: string, edits: Edits): string {
  const saved: Saved = { hash: location.hash, edits: [...edits] };
  const element = `<script type="application/json" id="${ELEMENT}">${jsonInHtml(saved)}</script>`;
  // The first `<body>` is the tag itself, because the data comes after it.
  return html.replace('<body>', () => `<body>\n${element}`);
}
