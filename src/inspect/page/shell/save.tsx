import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { messageOf } from '../../../kit.ts';
import { jsonInHtml } from '../../escape.ts';
import type { Edits } from '../engine/edits.ts';
import { download, Text } from '../ui/text.tsx';
import { askServer } from './ask-server.ts';
import { usePage } from './context.ts';

/** What a file was saved with: the place that was shown, and the edits. */
interface Saved {
  readonly hash: string;
  readonly edits: readonly (readonly [name: string, edit: unknown])[];
}

const ELEMENT = 'inspect-saved';

/** What this file was saved with; undefined for the page of a server, and a file that nobody saved here. */
export function readSaved(): Saved | undefined {
  const text = document.getElementById(ELEMENT)?.textContent;
  return text ? (JSON.parse(text) as Saved) : undefined;
}

/** A button that saves the page as one file: it shows what is shown now, in any browser, without the server. */
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
  // No text of the data can come before the body.
  return html.replace('<body>', () => `<body>\n${element}`);
}
