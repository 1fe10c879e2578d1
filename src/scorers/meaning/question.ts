/** Words in front of a question. */
const GREETING = String.raw`^\W*(?:(?:hey|hi|hello|ok|so|and|please|um|uh|well)\W+)*`;
const HOW = 'how (?:many|much|long|old|far|often|big|large)';
const QUESTION = new RegExp(
  `${GREETING}(?:what|which|who|whose|where|when|why|${HOW}|is|are|was|were|do|does|did|has|have|how's|what's|who's|where's|any)\\b`,
  'i',
);
/** A question behind something else. */
const ASIDE = new RegExp(
  `[.!?\\n,;:]\\s*(?:what|which|who|whose|where|when|${HOW}|is there|are there|do i|did i|does|what's)\\b[^.!?]*\\?`,
  'i',
);

/** Whether a text asks a question, which something that reads answers. "Can you" asks for anything. */
export function isQuestion(text: string): boolean {
  return QUESTION.test(text) || ASIDE.test(text);
}
