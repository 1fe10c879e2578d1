import { type InspectProblem, type InspectQuestion, type InspectQuestions, VECTORS } from '../../data.ts';

/** Asks the server at the page's own address. Throws the server's error if it cannot answer. */
export async function askServer<Name extends keyof InspectQuestions>(
  question: InspectQuestion & { readonly ask: Name },
  signal?: AbortSignal,
): Promise<InspectQuestions[Name]['answer']> {
  const asked = { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(question) };
  const response = await fetch(location.href, { ...asked, ...(signal ? { signal } : {}) }).catch(() => {
    throw new Error('The server of this page has stopped. Start it again, and open the address that it prints.');
  });
  const answer: unknown = await response.json().catch(() => ({}));
  if (response.ok) return answer as InspectQuestions[Name]['answer'];
  throw new Error((answer as InspectProblem).error ?? `The server answered ${response.status}.`);
}

/** Loads the table of word vectors in base64, from the file itself or from the server. */
export async function loadVectors(): Promise<string> {
  const held = document.getElementById('inspect-vectors')?.textContent;
  if (held) return held;
  const address = new URL(location.href);
  address.searchParams.set(VECTORS, '');
  const response = await fetch(address);
  if (!response.ok) throw new Error(`The server answered ${response.status}.`);
  return response.text();
}
