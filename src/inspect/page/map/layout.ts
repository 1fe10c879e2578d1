import type { Cluster } from './clusters.ts';

export interface Point {
  readonly x: number;
  readonly y: number;
}

/** A cluster with its place on the map. */
export interface PlacedCluster {
  readonly cluster: Cluster;
  readonly centre: Point;
  readonly radius: number;
  /** Units from left to right that are its own: for its tools, and for its words below them. */
  readonly room: number;
  /** The place of each tool, by its name. */
  readonly points: ReadonlyMap<string, Point>;
}

export interface MapLayout {
  readonly clusters: readonly PlacedCluster[];
  readonly height: number;
}

/** Units around the tools of a cluster: room for their dots. */
const MARGIN = 16;
/** Units below a cluster: room for its words. */
const CAPTION = 22;
const GAP = 14;
/** Units of a letter, about, and of the longest words that a cluster gets room for. */
export const LETTER = 6.2;
const WIDEST_CAPTION = 220;
/** Units between two tools that are alike. */
const DISTANCE = 30;
/** Units at which two tools no longer push each other: else chains of tools stretch. */
const REACH = 2.2 * DISTANCE;
/** The pull of the centre, which bends chains. */
const GRAVITY = 0.06;
const ROUNDS = 120;

/**
 * Places clusters in rows from left to right, in their order, and the tools of each by their links: those that are linked
 * near to each other, the others apart. The same clusters have the same places at the same width.
 */
export function layOut(clusters: readonly Cluster[], width: number): MapLayout {
  const drawn = clusters.map((cluster) => drawCluster(cluster, width));
  const placed: PlacedCluster[] = [];
  let top = 0;
  for (const row of rowsOf(drawn, width)) {
    const tallest = Math.max(...row.map(({ radius }) => radius));
    let left = 0;
    for (const { cluster, radius, room, points } of row) {
      const centre = { x: left + room / 2, y: top + tallest };
      const moved = Array.from(points, ([name, point]): [string, Point] => [
        name,
        { x: centre.x + point.x, y: centre.y + point.y },
      ]);
      placed.push({ cluster, centre, radius, room, points: new Map(moved) });
      left += room + GAP;
    }
    top += 2 * tallest + CAPTION + GAP;
  }
  return { clusters: placed, height: top };
}

type Drawn = Pick<PlacedCluster, 'cluster' | 'radius' | 'room' | 'points'>;

function rowsOf(drawn: readonly Drawn[], width: number): readonly (readonly Drawn[])[] {
  const rows: Drawn[][] = [];
  let left = Number.POSITIVE_INFINITY;
  for (const one of drawn) {
    if (left + one.room > width) {
      rows.push([]);
      left = 0;
    }
    rows.at(-1)?.push(one);
    left += one.room + GAP;
  }
  return rows;
}

/** The words that stand below a cluster. */
export function captionOf({ words }: Cluster): string {
  return words.slice(0, 2).join(' ');
}

/** The tools of a cluster around its centre, and the radius that holds them. */
function drawCluster(cluster: Cluster, width: number): Drawn {
  const { names, links } = cluster;
  const circle = (DISTANCE * names.length) / (2 * Math.PI);
  const points = names.map((_, at) => {
    const angle = (2 * Math.PI * at) / names.length;
    return { x: circle * Math.cos(angle), y: circle * Math.sin(angle) };
  });
  const numbers = new Map(names.map((name, at) => [name, at]));
  const ends = links.map(({ one, other }) => [numbers.get(one) ?? 0, numbers.get(other) ?? 0] as const);
  for (let round = 0; round < ROUNDS; round++) relax(points, ends, DISTANCE / 3 / (1 + round / 12));
  const middle = { x: mean(points.map(({ x }) => x)), y: mean(points.map(({ y }) => y)) };
  const centred = points.map(({ x, y }) => ({ x: x - middle.x, y: y - middle.y }));
  const reach = Math.max(...centred.map(({ x, y }) => Math.hypot(x, y)));
  const scale = Math.min(1, (width / 2 - MARGIN) / reach);
  const scaled = centred.map(({ x, y }) => ({ x: x * scale, y: y * scale }));
  const radius = reach * scale + MARGIN;
  const caption = Math.min(LETTER * (captionOf(cluster).length + 1), WIDEST_CAPTION, width);
  return {
    ...{ cluster, radius, room: Math.max(2 * radius, caption) },
    points: new Map(names.map((name, at) => [name, scaled[at] ?? { x: 0, y: 0 }])),
  };
}

/** One round of Fruchterman and Reingold's method: all push each other away, links pull, and no one goes far. */
function relax(points: { x: number; y: number }[], links: readonly (readonly [number, number])[], step: number): void {
  const forces = points.map(() => ({ x: 0, y: 0 }));
  const push = (one: number, other: number, strength: (distance: number) => number): void => {
    const [from, to, own, others] = [points[one], points[other], forces[one], forces[other]];
    if (!from || !to || !own || !others) return;
    const distance = Math.max(1, Math.hypot(to.x - from.x, to.y - from.y));
    const force = strength(distance) / distance;
    own.x += (to.x - from.x) * force;
    own.y += (to.y - from.y) * force;
    others.x -= (to.x - from.x) * force;
    others.y -= (to.y - from.y) * force;
  };
  for (let one = 0; one < points.length; one++) {
    for (let other = one + 1; other < points.length; other++) {
      push(one, other, (distance) => (distance > REACH ? 0 : -(DISTANCE * DISTANCE) / distance));
    }
  }
  for (const [one, other] of links) push(one, other, (distance) => (distance * distance) / DISTANCE);
  for (const [at, point] of points.entries()) {
    const x = (forces[at]?.x ?? 0) - GRAVITY * point.x;
    const y = (forces[at]?.y ?? 0) - GRAVITY * point.y;
    const length = Math.max(Math.hypot(x, y), 1e-9);
    point.x += (x / length) * Math.min(length, step);
    point.y += (y / length) * Math.min(length, step);
  }
}

function mean(numbers: readonly number[]): number {
  return numbers.reduce((sum, number) => sum + number, 0) / numbers.length;
}
