import { type Inputs, useEffect, useState } from 'preact/hooks';

/** What is known of an answer. */
export interface Answered<Answer> {
  /** The last answer that came, which may be to an earlier question. */
  readonly value?: Answer;
  /** Whether the answer to the last question takes its time. */
  readonly isPending: boolean;
  /** Why there is none. */
  readonly error?: string;
}

/** Milliseconds after which an answer takes its time: most come at once, and nothing has to be drawn before. */
const PATIENCE = 80;

/** Asks whenever one of the inputs is another, and keeps the answer before until the next one is there. */
export function useAnswer<Answer>(ask: (signal: AbortSignal) => Promise<Answer>, inputs: Inputs): Answered<Answer> {
  const [answered, setAnswered] = useState<Answered<Answer>>({ isPending: true });
  useEffect(() => {
    const controller = new AbortController();
    const { signal } = controller;
    const timer = setTimeout(() => setAnswered((before) => ({ ...before, isPending: true })), PATIENCE);
    const take = (next: Answered<Answer>): void => {
      clearTimeout(timer);
      if (!signal.aborted) setAnswered(next);
    };
    ask(signal).then(
      (value) => take({ value, isPending: false }),
      (error: unknown) => take({ isPending: false, error: messageOf(error) }),
    );
    return () => {
      clearTimeout(timer);
      controller.abort();
    };
  }, inputs);
  return answered;
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
