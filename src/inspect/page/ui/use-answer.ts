import { type Inputs, useEffect, useState } from 'preact/hooks';

/** What is known of an answer. */
export interface Answered<Answer> {
  /** The last answer that came, which may be to an earlier question. */
  readonly value?: Answer;
  /** Whether the answer to the last question has not come yet. */
  readonly isPending: boolean;
  /** Why there is none. */
  readonly error?: string;
}

/** Asks whenever one of the inputs is another, and keeps the answer before until the next one is there. */
export function useAnswer<Answer>(ask: (signal: AbortSignal) => Promise<Answer>, inputs: Inputs): Answered<Answer> {
  const [answered, setAnswered] = useState<Answered<Answer>>({ isPending: true });
  useEffect(() => {
    const controller = new AbortController();
    const { signal } = controller;
    setAnswered((before) => ({ ...before, isPending: true }));
    ask(signal).then(
      (value) => signal.aborted || setAnswered({ value, isPending: false }),
      (error: unknown) => signal.aborted || setAnswered({ isPending: false, error: messageOf(error) }),
    );
    return () => controller.abort();
  }, inputs);
  return answered;
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
