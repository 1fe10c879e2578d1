/** A place in the page, encoded in the hash of the address: `#/tools/send_email?scorer=bm25`. */
export interface Route {
  /** The id of the view. */
  readonly view: string;
  /** The item that the view shows, such as the name of a tool; empty for the view itself. */
  readonly name: string;
  /** Settings of the view. */
  readonly settings: ReadonlyMap<string, string>;
}

/** Views of earlier versions, with the views that replaced them. */
const MOVED: Readonly<Record<string, string>> = {
  ...{ confusions: 'cases', map: 'cases', tokens: 'tools', funnel: 'overview', user: 'tools' },
};

/** The route of an address, or that of the first view. Never throws. */
export function readRoute(hash: string): Route {
  const [path = '', search = ''] = hash.split(/\?(.*)/s);
  const [, view = '', ...rest] = path.split('/');
  const id = decode(view) || 'overview';
  return { view: MOVED[id] ?? id, name: decode(rest.join('/')), settings: new Map(new URLSearchParams(search)) };
}

/** The address of a place, without empty settings. */
export function hashOf(view: string, name = '', settings: Readonly<Record<string, string>> = {}): string {
  const entries = Object.entries(settings).filter(([, value]) => value !== '');
  const search = entries.length > 0 ? `?${new URLSearchParams(entries)}` : '';
  return `#/${encode(view)}${name === '' ? '' : `/${encode(name)}`}${search}`;
}

/** A lone surrogate cannot be encoded. */
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
