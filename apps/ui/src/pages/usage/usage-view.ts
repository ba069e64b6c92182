import type { Operations } from "@tollgate/sdk/platform";

export type UsageReport = Operations["getUsage"]["answer"];
export type UsageRow = UsageReport["data"][number];

export const measures = [
  { value: "spend", label: "Spend" },
  { value: "requests", label: "Requests" },
  { value: "tokens", label: "Tokens" },
  { value: "errors", label: "Errors" },
] as const;
export type Measure = (typeof measures)[number]["value"];

export const dimensions = [
  { value: "model", label: "Model" },
  { value: "team", label: "Team" },
  { value: "key", label: "Key" },
  { value: "user", label: "User" },
  { value: "provider", label: "Provider" },
  { value: "endpoint", label: "Endpoint" },
  { value: "session", label: "Session" },
  { value: "none", label: "None" },
] as const;
export type Dimension = (typeof dimensions)[number]["value"];

/** Dimension that a row expands into; null if usage can't be filtered by the row's dimension. */
export const secondDimensions = {
  model: "key",
  team: "key",
  key: "model",
  user: "key",
  provider: "model",
  endpoint: null,
  session: null,
  none: null,
} as const satisfies Record<Dimension, Dimension | null>;

/** Key of all endpoints or sessions but those with the highest cost. No ID contains this character. */
export const OTHERS = "\0";

/** API grouping for each dimension. A user's usage is the usage of the keys that the user created. */
export const groupingOf = {
  model: "model",
  team: "team",
  key: "apiKey",
  user: "apiKey",
  provider: "provider",
  endpoint: "endpoint",
  session: "session",
} as const satisfies Record<Exclude<Dimension, "none">, string>;

/** Parses a query parameter as one of the allowed values. Falls back to the first allowed value. */
export function oneOf<Value extends string>(list: readonly { readonly value: Value }[], text: string): Value {
  const [first] = list;
  return (list.find(({ value }) => value === text) ?? first)?.value as Value;
}

/** Returns a row's value for a measure. Spend is in nano-USD. Failed requests count as errors. */
export function measureOf(measure: Measure, row: Omit<UsageRow, "group" | "usd">): bigint {
  if (measure === "spend") return row.cost;
  if (measure === "requests") return BigInt(row.requests);
  if (measure === "tokens") return BigInt(row.promptTokens + row.completionTokens);
  return BigInt(row.failed);
}

/** Returns the chart column of a row. */
export function columnOf({ group }: { readonly group: Readonly<Record<string, string>> }): string {
  return group.day ?? group.hour ?? "";
}

/** Returns the ID of an entity for a file; empty for the sum of several. */
export function idOf(key: string): string {
  return key === OTHERS ? "" : key;
}
