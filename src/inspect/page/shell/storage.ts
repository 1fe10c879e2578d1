/** How the page looks: as the system does, or always light, or always dark. */
export const THEMES = ['auto', 'light', 'dark'] as const;
export type Theme = (typeof THEMES)[number];

const PREFIX = 'mastra-tool-search ';

/** What was kept under a key; null where nothing was. A file from disk may have no storage. */
export function kept(key: string): string | null {
  try {
    return localStorage.getItem(PREFIX + key);
  } catch {
    return null;
  }
}

/** Keeps a text, or forgets it where it is empty. Without a storage, it holds until the page is closed. */
export function keep(key: string, text: string): void {
  try {
    if (text === '') localStorage.removeItem(PREFIX + key);
    else localStorage.setItem(PREFIX + key, text);
  } catch {
    // Full, or none.
  }
}

/** Applies the theme that was chosen last, or the one that is chosen now. */
export function applyTheme(chosen?: Theme): Theme {
  if (chosen) keep('theme', chosen);
  const theme = chosen ?? THEMES.find((one) => one === kept('theme')) ?? 'auto';
  document.documentElement.dataset['theme'] = theme;
  return theme;
}
