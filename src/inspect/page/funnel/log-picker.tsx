import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { funnel, parseEvents } from '../../../workbench/funnel.ts';
import type { Funnel } from '../../../workbench/usage.ts';

/** A log that was chosen in the page. */
export interface ChosenLog {
  readonly name: string;
  readonly funnel: Funnel;
  readonly events: number;
  /** Count of the lines that are no event. */
  readonly broken: number;
}

/** Takes a log: chosen, or dropped anywhere on the page. It is read here, and sent nowhere. */
export function LogPicker({ choose }: { readonly choose: (log: ChosenLog) => void }): JSX.Element {
  const [error, setError] = useState('');
  const read = async (file: File | undefined): Promise<void> => {
    if (!file) return;
    try {
      const { events, broken } = parseEvents(await file.text());
      setError(events.length === 0 ? `${file.name} has no event: a line is JSON such as { "type": "search", … }.` : '');
      if (events.length > 0) choose({ name: file.name, funnel: funnel(events), events: events.length, broken });
    } catch (reason) {
      setError(`${file.name} cannot be read: ${reason instanceof Error ? reason.message : String(reason)}`);
    }
  };
  useEffect(() => {
    const allow = (event: DragEvent): void => event.preventDefault();
    const drop = (event: DragEvent): void => {
      event.preventDefault();
      void read(event.dataTransfer?.files[0]);
    };
    addEventListener('dragover', allow);
    addEventListener('drop', drop);
    return () => {
      removeEventListener('dragover', allow);
      removeEventListener('drop', drop);
    };
  });
  return (
    <>
      <label class="file">
        A log of events{' '}
        <input
          type="file"
          accept=".jsonl,.ndjson,.log,.txt,.json"
          onChange={({ currentTarget }) => void read(currentTarget.files?.[0])}
        />
      </label>
      {error !== '' && (
        <p class="bad small" role="alert">
          {error}
        </p>
      )}
    </>
  );
}
