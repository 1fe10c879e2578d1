/** A value, or a promise of it: what a pluggable part may return. */
export type MaybePromise<T> = T | Promise<T>;
