/** A call that cannot be understood, or cannot be done: the message has the fact, the value and the remedy. */
export class UsageError extends Error {
  override readonly name: string = 'UsageError';
}
