import type { JSX } from 'preact';
import type { Answered } from './use-answer.ts';

interface Props {
  readonly answered: Pick<Answered<unknown>, 'error'>;
  /** What is being done: "Counting tokens". */
  readonly doing: string;
}

/** Stands for what is not there yet, or failed. */
export function Waiting({ answered: { error }, doing }: Props): JSX.Element {
  if (error !== undefined) {
    return (
      <p class="bad" role="alert">
        {doing} failed: {error}
      </p>
    );
  }
  return (
    <p class="muted waiting" role="status">
      {doing}…
    </p>
  );
}
