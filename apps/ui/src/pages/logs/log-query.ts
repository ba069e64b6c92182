import { type Operations, parseUsd } from "@tollgate/sdk/platform";

export type LogsQuery = NonNullable<Operations["listLogs"]["query"]>;
export type TailQuery = NonNullable<Operations["streamLogs"]["query"]>;

/** What the address of the logs says, and what holds where it says nothing. */
export const logDefaults = {
  range: "24h",
  // A stretch that was chosen in the histogram, as times; it goes before the range.
  from: "",
  until: "",
  search: "",
  status: [],
  model: [],
  key: [],
  team: [],
  cost: "",
  provider: [],
  code: [],
  endpoint: [],
  deployment: [],
  duration: "",
  stream: "",
  sort: "-createdAt",
  hide: [],
  open: "",
  live: "",
} as const;

export type LogState = {
  readonly [Name in keyof typeof logDefaults]: (typeof logDefaults)[Name] extends string ? string : readonly string[];
};

/** The filters of a state as the interface wants them; a filter that cannot be read is none. */
export function tailQueryOf(state: LogState): TailQuery {
  const cost = state.cost === "" ? null : parseUsd(state.cost);
  const duration = /^\d{1,9}$/.test(state.duration) ? Number(state.duration) : null;
  return {
    ...list("status", state.status),
    ...list("model", state.model),
    ...list("apiKey", state.key),
    ...list("teamId", state.team),
    ...list("provider", state.provider),
    ...list("errorCode", state.code),
    ...list("endpoint", state.endpoint),
    ...list("deploymentId", state.deployment),
    ...(cost !== null && { minCost: cost }),
    ...(duration !== null && { minLatencyMs: duration }),
    ...(state.stream !== "" && { stream: state.stream === "true" }),
    ...(state.search !== "" && { search: state.search }),
  } as TailQuery;
}

/** Only the part of the address that a saved view keeps: what is looked at, not what is open. */
export function viewOf(search: string): string {
  const values = new URLSearchParams(search);
  values.delete("open");
  values.delete("live");
  return values.toString();
}

function list(name: string, values: readonly string[]) {
  return values.length === 0 ? {} : { [name]: values };
}
