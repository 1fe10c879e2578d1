const circles = 'A meta-tool called twice with one input, and no other tool since';
const refused = 'A definition that the provider refuses';

/** Rows of docs/differences.md whose tests stand in another folder. */
export const ELSEWHERE: Readonly<Record<string, string>> = {
  // Small models go in a circle until the run is cut.
  [circles]: 'test/agent',
  // One tool must not end every request of a thread.
  [refused]: 'test/agent',
  // A call that is clear should not cost a search.
  'A call of a tool that is not loaded': 'test/agent',
  // As for the own tools of an agent, in front of whose model Mastra casts inputs.
  'Input of a loaded tool': 'test/modes/call',
  // A withdrawn right holds at once.
  'A tool that `active` denies by now': 'test/modes',
  // One such tool ends every request of a thread.
  'A schema that the provider of the model refuses': 'test/providers',
  // Such tools could be sent and never called; the others cost tokens for nothing.
  "A schema that breaks JSON schema's own rules; definitions that nothing refers to": 'test/providers',
  // A filter may ask a database, and no score may tell of what it hides.
  'Asking the filter': 'test/filter',
  // A log line is a line, and an application has one logger.
  'Faults, such as a filter that throws': 'test/events',
};

export const differences: { readonly circles: string; readonly refused: string } = { circles, refused };

/** The title of a test that shows a difference. */
export const titleOf = (what: string): string => `${what}, unlike the class of @mastra/core`;
