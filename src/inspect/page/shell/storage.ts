const PREFIX = 'mastra-tool-search ';

/** The stored text of a key; null if there is none. A file from disk may have no storage. */
export function kept(key: string): string | null {
  try {
    return localStorage.getItem(PREFIX + key);
  } catch {
    return null;
  }
}

/** Stores a text. Without storage, it is lost when the page is closed. */
export function keep(key: string, text: string): void {
  try {
    localStorage.setItem(PREFIX + key, text);
  } catch {
    // The storage is full, or there is none.
  }
}
