import { hash, randomBytes, timingSafeEqual } from 'node:crypto';

/** The refusal of a request. */
export interface Refusal {
  readonly status: 401 | 403;
  readonly error: string;
}

/** A guard's decision: a refusal, or headers for the answer. */
export type Admission = Refusal | { readonly headers: Readonly<Record<string, string>> };

/** Decides whether a request is admitted. */
export type Guard = (request: Request) => Promise<Admission>;

/** A guard for the loopback: only the holder of the token is admitted, and no other page can use that holder's browser. */
export function tokenGuard(
  token: string,
  isHost: (host: string) => boolean,
  noToken: (request: Request) => string,
): Guard {
  // Browsers send cookies to all ports of a host, so each inspector has a cookie name of its own.
  const cookie = `tool-search-${hash('sha256', token).slice(0, 8)}`;
  return async (request) => {
    if (!isHost(hostOf(request)))
      return { status: 403, error: 'This inspector is asked by its address on the loopback.' };
    const given = new URL(request.url).searchParams.get('token');
    if (given !== null && isSame(given, token)) {
      const { pathname } = new URL(request.url);
      return {
        headers: { 'set-cookie': `${cookie}=${token}; Path=${pathname.split(';')[0]}; HttpOnly; SameSite=Strict` },
      };
    }
    const kept = cookiesOf(request).get(cookie);
    if (kept !== undefined && isSame(kept, token)) return { headers: {} };
    return { status: 401, error: noToken(request) };
  };
}

/** A guard that asks the developer's own function. Only `true` admits a request. */
export function ownGuard(authorize: (request: Request) => boolean | Promise<boolean>): Guard {
  const refusal: Refusal = { status: 403, error: 'The option "authorize" of this inspector does not permit it.' };
  return async (request) => {
    try {
      return (await authorize(request)) === true ? { headers: {} } : refusal;
    } catch {
      return refusal;
    }
  };
}

export function newToken(): string {
  return randomBytes(24).toString('base64url');
}

/**
 * Whether another page causes the request. Such a page may link to the inspector, and nothing else. Clients that are no
 * browsers send no such headers.
 */
export function isFromElsewhere(request: Request): boolean {
  const site = request.headers.get('sec-fetch-site');
  const isOpened = request.method === 'GET' && request.headers.get('sec-fetch-mode') === 'navigate';
  if (site !== null) return site !== 'same-origin' && site !== 'none' && !isOpened;
  const origin = request.headers.get('origin');
  return origin !== null && URL.parse(origin)?.host !== hostOf(request);
}

/** Whether a `Host` is a name of the loopback, with or without a port. Other names that resolve to the loopback are refused. */
export function isLoopback(host: string): boolean {
  return /^(?:localhost|127\.0\.0\.1|\[::1\])(?::\d{1,5})?$/i.test(host);
}

export function hostOf(request: Request): string {
  return request.headers.get('host') ?? new URL(request.url).host;
}

/** Compares in constant time. */
function isSame(given: string, token: string): boolean {
  return timingSafeEqual(hash('sha256', given, 'buffer'), hash('sha256', token, 'buffer'));
}

function cookiesOf(request: Request): ReadonlyMap<string, string> {
  const pairs = (request.headers.get('cookie') ?? '').split(';').map((pair) => pair.trim().split('='));
  return new Map(pairs.map(([name = '', value = '']) => [name, value]));
}
