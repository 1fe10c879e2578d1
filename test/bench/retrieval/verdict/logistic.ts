/** One case of a regression: its features, whether it is true, and how much it counts. */
export interface Case {
  readonly features: readonly number[];
  readonly isTrue: boolean;
  readonly weight: number;
}

/** Weights by feature, and the log odds of a case without any. */
export interface Model {
  readonly weights: readonly number[];
  readonly intercept: number;
}

const STEPS = 30;
/** Ridge, as a share of the cases: it keeps features that say the same from running away from each other. */
const RIDGE = 1e-4;

/** A logistic regression by Newton's method: the same cases give the same model. */
export function regression(cases: readonly Case[]): Model {
  const total = cases.reduce((sum, { weight }) => sum + weight, 0);
  const size = (cases[0]?.features.length ?? 0) + 1;
  let model: number[] = Array.from({ length: size }, () => 0);
  for (let step = 0; step < STEPS; step++) {
    const slope = model.map((weight, at) => (at < size - 1 ? RIDGE * weight : 0));
    const bend = model.map((_, row) => model.map((__, column) => Number(row === column && row < size - 1) * RIDGE));
    for (const { features, isTrue, weight } of cases) {
      const inputs = [...features, 1];
      const guess = sigmoid(dot(model, inputs));
      const share = weight / total;
      for (const [row, input] of inputs.entries()) {
        slope[row] = (slope[row] ?? 0) + share * (guess - Number(isTrue)) * input;
        const line = bend[row] ?? [];
        for (const [column, other] of inputs.entries()) {
          line[column] = (line[column] ?? 0) + share * guess * (1 - guess) * input * other;
        }
      }
    }
    const change = solve(bend, slope);
    model = model.map((weight, at) => weight - (change[at] ?? 0));
  }
  return { weights: model.slice(0, -1), intercept: model.at(-1) ?? 0 };
}

/** How likely a case is true, from 0 to 1. */
export function likelihood({ weights, intercept }: Model, features: readonly number[]): number {
  return sigmoid(intercept + dot(weights, features));
}

function sigmoid(logOdds: number): number {
  return 1 / (1 + Math.exp(-logOdds));
}

function dot(one: readonly number[], other: readonly number[]): number {
  return one.reduce((sum, value, at) => sum + value * (other[at] ?? 0), 0);
}

/** Solves linear equations by Gauss's elimination, the largest pivot first. */
function solve(matrix: readonly (readonly number[])[], right: readonly number[]): readonly number[] {
  const rows = matrix.map((row, at) => [...row, right[at] ?? 0]);
  for (let at = 0; at < rows.length; at++) {
    const [pivot = []] = rows.splice(
      rows.reduce((best, row, place) => {
        return place > at && Math.abs(row[at] ?? 0) > Math.abs(rows[best]?.[at] ?? 0) ? place : best;
      }, at),
      1,
    );
    rows.splice(at, 0, pivot);
    for (const [place, row] of rows.entries()) {
      if (place === at) continue;
      const factor = (row[at] ?? 0) / (pivot[at] || 1);
      for (const [column, value] of pivot.entries()) row[column] = (row[column] ?? 0) - factor * value;
    }
  }
  return rows.map((row, at) => (row.at(-1) ?? 0) / (row[at] || 1));
}
