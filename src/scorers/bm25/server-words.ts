import { contentWords, stem } from '../words/stem.ts';
import { words } from '../words/words.ts';

/** The tools of the servers whose instructions have a word. */
export class ServerWords {
  /** The numbers of tools by the instructions of their server, and instructions by the stems of their words. */
  readonly #tools = new Map<string, number[]>();
  readonly #instructions = new Map<string, string[]>();

  add(id: number, instructions: string): void {
    const known = this.#tools.get(instructions);
    if (known) {
      known.push(id);
      return;
    }
    this.#tools.set(instructions, [id]);
    for (const root of new Set(contentWords(words(instructions)).map(stem))) {
      const texts = this.#instructions.get(root);
      if (texts) texts.push(instructions);
      else this.#instructions.set(root, [instructions]);
    }
  }

  /** The numbers of the tools whose server says the word, in any form. */
  toolsOf(word: string): readonly number[] {
    return this.#instructions.get(stem(word))?.flatMap((text) => this.#tools.get(text) ?? []) ?? [];
  }
}
