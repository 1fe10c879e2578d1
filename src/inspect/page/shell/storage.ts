const PREFIX = 'mastra-tool-search ';

/** What was kept under a key; null where nothing was. A file from disk may have no storage. */
export function kept(key: string): string | null {
  try {
    return localStorage.getItem(PREFIX + key);
  } catch {
    return null;
  }
}

/** Keeps a text. Without a storage, it holds until the page is closed. */
export function keep(key: string, text: string): void {
  try {
    localStorage.setItem(PREFIX + key, text);
  } catch {
    // Full, or none.
  }
}
