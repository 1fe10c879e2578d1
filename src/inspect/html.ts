import { hash } from 'node:crypto';
import { clean } from '../util/text.ts';
import type { InspectData } from './data.ts';
import { jsonInHtml, textInHtml } from './escape.ts';
import type { PageFiles } from './page-files.ts';

/** A page and its content security policy. */
export interface Page {
  readonly html: string;
  /** The content security policy, which the page also contains. */
  readonly policy: string;
}

/** Limit of characters of a title in the browser's tab. */
const MAX_TITLE = 200;

/** Removes the token from the address, so that it does not stay in the history. */
const TAKE_TOKEN = `if (new URLSearchParams(location.search).has('token')) history.replaceState(null, '', location.pathname + location.hash);`;

/** Adds the date, from which the page tells how old a file is. */
export function dated(data: InspectData): InspectData {
  return { ...data, date: new Date().toISOString() };
}

/**
 * Makes the page of some data. Its policy names its scripts and styles by hash, so that a tool's text could not run even if it
 * became markup.
 *
 * @param vectors - the table of word vectors in base64, for a page without a server.
 */
export function pageOf(data: InspectData, { script, styles }: PageFiles, vectors?: string): Page {
  const scripts = data.server ? [TAKE_TOKEN, closed(script)] : [closed(script)];
  const policy = [
    `default-src 'none'`,
    `script-src ${scripts.map(sourceOf).join(' ')}`,
    `style-src ${sourceOf(styles)}`,
    'img-src data:',
    `connect-src ${data.server ? `'self'` : `'none'`}`,
    'worker-src blob:',
    `base-uri 'none'`,
    `form-action 'none'`,
  ].join('; ');
  const html = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="referrer" content="no-referrer">
<title>${textInHtml(clean(data.title, MAX_TITLE))}</title>
<link rel="icon" href="data:,">
<style>${styles}</style>
</head>
<body>
<div id="inspect"><main><p role="status">Loading ${data.tools.length} tools…</p><noscript>This page needs JavaScript.</noscript></main></div>
<script type="application/json" id="inspect-data">${jsonInHtml(data)}</script>
${vectors === undefined ? '' : `<script type="text/plain" id="inspect-vectors">${vectors}</script>\n`}${scripts.map((text) => `<script>${text}</script>`).join('\n')}
</body>
</html>
`;
  return { html, policy };
}

/** Escapes the end tag in a script: strings and regular expressions may escape a slash. */
function closed(script: string): string {
  return script.replace(/<\/script/gi, '<\\/script');
}

function sourceOf(text: string): string {
  return `'sha256-${hash('sha256', text, 'base64')}'`;
}
