import { Tally } from './tally.ts';

/** Scores by document, empty between two words. */
export class Workspace {
  /** The tally of what the word itself found, its other forms, or a guess at it. */
  readonly own: Tally;
  /** The best score by a synonym, and how fully that counts as a match. */
  readonly others: Tally;
  readonly otherCovers: Float64Array;
  /** The tally of what is looked for just now, and of its next word. */
  readonly found: Tally;
  readonly next: Tally;

  constructor(documents: number) {
    this.own = new Tally(documents);
    this.others = new Tally(documents);
    this.otherCovers = new Float64Array(documents);
    this.found = new Tally(documents);
    this.next = new Tally(documents);
  }
}

/** Keeps one workspace for the next word, as large as the largest catalog that was asked. */
export class Workspaces {
  #idle: Workspace | undefined;

  /** A workspace for so many documents. One that is never given back, as after a fault, reaches nobody else. */
  take(documents: number): Workspace {
    const workspace = this.#idle;
    this.#idle = undefined;
    return workspace && workspace.otherCovers.length >= documents ? workspace : new Workspace(documents);
  }

  giveBack(workspace: Workspace): void {
    this.#idle = workspace;
  }
}
