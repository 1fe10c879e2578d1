/** A place in the page, as the part of the address behind `#` tells it: `#/tools/send_email?scorer=bm25`. */
export interface Route {
  /** The id of the view. */
  readonly view: string;
  /** What of the view is shown, such as the name of a tool; empty for the view itself. */
  readonly name: string;
  /** Settings of the view. */
  readonly settings: ReadonlyMap<string, string>;
}

/** Views of earlier versions, and those that have what they showed. */
const MOVED: Readonly<Record<string, string>> = {
  ...{ confusions: 'cases', map: 'cases', tokens: 'tools', funnel: 'overview', user: 'tools' },
};

/** The route of an address; that of the first view where it tells none. Nothing in it makes this throw. */
export function readRoute(hash: string): Route {
  const [path = '', search = ''] = hash.split(/\?(.*)/s);
  const [, view = '', ...rest] = path.split('/');
  const id = decode(view) || 'overview';
  return { view: MOVED[id] ?? id, name: decode(rest.join('/')), settings: new Map(new URLSearchParams(search)) };
}

/** The address of a place. Settings that are empty are left out. */
export function hashOf(view: string, name = '', settings: Readonly<Record<string, string>> = {}): string {
  const entries = Object.entries(settings).filter(([, value]) => value !== '');
  const search = entries.length > 0 ? `?${new URLSearchParams(entries)}` : '';
  return `#/${encode(view)}${name === '' ? '' : `/${encode(name)}`}${search}`;
}

/** Half a character has no address. */
function encode(part: string): string {
  try {
    return encodeURIComponent(part);
  } catch {
    return '';
  }
}

function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
