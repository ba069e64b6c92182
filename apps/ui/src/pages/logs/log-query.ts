import { type Operations, parseUsd } from "@tollgate/sdk/platform";

export type LogsQuery = NonNullable<Operations["listLogs"]["query"]>;
export type TailQuery = NonNullable<Operations["streamLogs"]["query"]>;

/** Default values of the log page's URL parameters. */
export const logDefaults = {
  range: "24h",
  // Time range selected in the histogram. It overrides `range`.
  from: "",
  until: "",
  search: "",
  // Text to find in stored prompts and responses.
  content: "",
  class: [],
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
  cached: "",
  session: "",
  sort: "-createdAt",
  hide: [],
  open: "",
  live: "",
} as const;

export type LogState = {
  readonly [Name in keyof typeof logDefaults]: (typeof logDefaults)[Name] extends string ? string : readonly string[];
};

/** Returns the filters as query parameters. Invalid filters are ignored. */
export function tailQueryOf(state: LogState): TailQuery {
  const cost = state.cost === "" ? null : parseUsd(state.cost);
  const duration = /^\d{1,9}$/.test(state.duration) ? Number(state.duration) : null;
  return {
    ...list("class", state.class),
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
    ...(state.cached !== "" && { cached: state.cached === "true" }),
    ...(state.session !== "" && { session: state.session }),
    ...(state.search !== "" && { search: state.search }),
  } as TailQuery;
}

/** Returns the query of the list. A search in stored contents is always sorted by time. */
export function listQueryOf(state: LogState, time: Pick<LogsQuery, "startDate" | "endDate">): LogsQuery {
  const query = { ...tailQueryOf(state), ...time };
  return state.content === "" ? { ...query, sort: state.sort as "cost" } : { ...query, content: state.content };
}

/** Returns the part of the URL that a saved view stores: filters, not open panels. */
export function viewOf(search: string): string {
  const values = new URLSearchParams(search);
  values.delete("open");
  values.delete("live");
  return values.toString();
}

function list(name: string, values: readonly string[]) {
  return values.length === 0 ? {} : { [name]: values };
}
