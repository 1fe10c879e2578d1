/**
 * Asks one question at a time. While one is answered, the last of those that come waits, and those before it are not asked
 * any more: theirs is the answer to the last one.
 */
export function latestOnly<Parameters extends readonly unknown[], Answer>(
  ask: (...parameters: Parameters) => Promise<Answer>,
): (...parameters: Parameters) => Promise<Answer> {
  let running: Promise<unknown> = Promise.resolve();
  let waiting: { parameters: Parameters; readonly answer: Promise<Answer> } | undefined;
  return (...parameters) => {
    if (waiting) {
      waiting.parameters = parameters;
      return waiting.answer;
    }
    const answer = running.then(() => {
      const asked = waiting?.parameters ?? parameters;
      waiting = undefined;
      const given = ask(...asked);
      running = given.catch(() => {});
      return given;
    });
    waiting = { parameters, answer };
    return answer;
  };
}
