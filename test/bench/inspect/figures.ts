/**
 * Notes for each key when it was pressed, and when the last change that it brought was painted, before the next key. A
 * message that is sent in the frame of a change arrives after that frame was painted.
 */
export const KEYS = `(() => {
  globalThis.times = [];
  const { port1, port2 } = new MessageChannel();
  port1.onmessage = () => {
    const now = performance.now();
    const last = globalThis.times.at(-1);
    if (!last) return;
    last.end = now;
    performance.measure('key press', { start: last.start, end: now });
  };
  addEventListener('keydown', ({ timeStamp }) => globalThis.times.push({ start: timeStamp, end: timeStamp }), true);
  new MutationObserver(() => requestAnimationFrame(() => port2.postMessage('')))
    .observe(document.getElementById('inspect'), { subtree: true, childList: true, characterData: true, attributes: true });
})()`;

export function median(values: readonly number[]): number {
  return percentile(values, 0.5);
}

/** The value that so large a share of the others does not exceed. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((one, other) => one - other);
  return sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? 0;
}
