/** Words that say nothing about a tool. Small on purpose: "up", "all", "not" or "new" may be what is asked for. */
const STOP_WORDS = new Set(
  `a an and are as at be been by can could do does for from had has have how i if in into is it its let me my of on
  or our please should so some than that the their them then there these they this those to use used uses using want
  was we were what when where which will with would you your`.split(/\s+/),
);

export function isStopWord(word: string): boolean {
  return STOP_WORDS.has(word);
}

/** The words without those that say nothing, unless nothing else is there. */
export function contentWords(all: readonly string[]): readonly string[] {
  const content = all.filter((word) => !STOP_WORDS.has(word));
  return content.length > 0 ? content : all;
}
