import { BadRequest } from "../participant-failure.ts";

/** Aggregation methods; see section 8 of the training contract. */
export type AggregationMethod =
  | { readonly name: "fedavg" }
  | { readonly name: "median" }
  | { readonly name: "trimmed_mean"; readonly beta: number }
  | { readonly name: "krum"; readonly f: number }
  | { readonly name: "multi_krum"; readonly f: number; readonly m: number }
  | { readonly name: "norm_clip"; readonly norm: number }
  | { readonly name: "fedavgm"; readonly learningRate: number; readonly momentum: number }
  | {
      readonly name: "fedadam";
      readonly learningRate: number;
      readonly beta1: number;
      readonly beta2: number;
      readonly epsilon: number;
    };

/** Parameters by method, in the order they are written. A number is the default; null means required. */
const PARAMETERS: Readonly<Record<AggregationMethod["name"], Readonly<Record<string, number | null>>>> = {
  fedavg: {},
  median: {},
  trimmed_mean: { beta: null },
  krum: { f: null },
  multi_krum: { f: null, m: null },
  norm_clip: { norm: null },
  fedavgm: { learningRate: 1, momentum: 0.9 },
  fedadam: { learningRate: 0.01, beta1: 0.9, beta2: 0.99, epsilon: 0.001 },
};

export const METHOD_NAMES = Object.keys(PARAMETERS) as readonly AggregationMethod["name"][];

/**
 * Parses an aggregation method as written in a plan, such as `fedavg`, `trimmed_mean(0.2)`, or `multi_krum(1, 3)`.
 * Throws BadRequest with the reason.
 */
export function parseMethod(text: string): AggregationMethod {
  const [, name = "", list] = /^([a-z_]+)(?:\(([^()]*)\))?$/.exec(text.trim()) ?? [];
  if (!Object.hasOwn(PARAMETERS, name)) {
    throw new BadRequest(`Unknown aggregation method ${JSON.stringify(text)}; use one of ${METHOD_NAMES.join(", ")}`);
  }
  const parameters = Object.entries(PARAMETERS[name as AggregationMethod["name"]]);
  const given = list === undefined || list.trim() === "" ? [] : list.split(",").map((value) => value.trim());
  if (given.length > parameters.length) throw new BadRequest(`${name} takes ${parameters.length} numbers`);
  const values = parameters.map(([parameter, preset], index) => {
    const value = given[index] === undefined ? preset : Number(given[index] || Number.NaN);
    if (value === null || Number.isNaN(value)) throw new BadRequest(`${name} requires a number for ${parameter}`);
    return [parameter, value] as const;
  });
  return { name, ...Object.fromEntries(values) } as AggregationMethod;
}

/** Reports whether a method works on changes relative to the model that the round started from. */
export function needsBase(method: AggregationMethod): boolean {
  return method.name === "norm_clip" || method.name === "fedavgm" || method.name === "fedadam";
}

/** Returns the reason that this method cannot aggregate `members` results, or undefined if it can. */
export function checkMethod(method: AggregationMethod, members: number): string | undefined {
  if (members < 1) return "no parameters to aggregate";
  switch (method.name) {
    case "fedavg":
      return undefined;
    case "median":
      return members < 3 ? `median requires at least 3 members, but there are ${members}` : undefined;
    case "trimmed_mean":
      return checkTrimming(method.beta, members);
    case "krum":
      return checkKrum("krum", method.f, members);
    case "multi_krum":
      return checkKrum("multi_krum", method.f, members) ?? checkChosen(method.m, members - method.f);
    case "norm_clip":
      return method.norm > 0 && method.norm < Number.POSITIVE_INFINITY
        ? undefined
        : "norm_clip requires a norm above 0";
    case "fedavgm":
      return checkRate("fedavgm", method.learningRate) ?? checkDecay("fedavgm", "momentum", method.momentum);
    case "fedadam":
      return (
        checkRate("fedadam", method.learningRate) ??
        checkDecay("fedadam", "beta1", method.beta1) ??
        checkDecay("fedadam", "beta2", method.beta2) ??
        (method.epsilon > 0 ? undefined : "fedadam requires an epsilon above 0")
      );
  }
}

/** Number of values that `trimmed_mean` drops at each end. */
export function trimmedPerSide(beta: number, members: number): number {
  return Math.floor(beta * members);
}

function checkTrimming(beta: number, members: number): string | undefined {
  if (!(beta > 0 && beta < 0.5)) return `trimmed_mean requires a share between 0 and 0.5, but got ${beta}`;
  if (members - 2 * trimmedPerSide(beta, members) >= 1) return undefined;
  return `trimmed_mean(${beta}) trims all ${members} members`;
}

function checkKrum(name: string, f: number, members: number): string | undefined {
  if (!Number.isSafeInteger(f) || f < 0) return `${name} requires a whole number of malicious members, but got ${f}`;
  if (members >= 2 * f + 3) return undefined;
  return `${name} with f = ${f} requires at least ${2 * f + 3} members, but there are ${members}`;
}

function checkChosen(m: number, most: number): string | undefined {
  if (Number.isSafeInteger(m) && m >= 1 && m <= most) return undefined;
  return `multi_krum can choose 1 to ${most} members here, but m is ${m}`;
}

function checkRate(name: string, rate: number): string | undefined {
  return rate > 0 && rate < Number.POSITIVE_INFINITY ? undefined : `${name} requires a learning rate above 0`;
}

function checkDecay(name: string, parameter: string, value: number): string | undefined {
  return value >= 0 && value < 1
    ? undefined
    : `${name} requires a ${parameter} of at least 0 and below 1, but got ${value}`;
}
