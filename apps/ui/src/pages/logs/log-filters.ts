import { useMe } from "../../api/me.ts";
import { useCall } from "../../api/queries.ts";
import { clearedFilters, describeFilter, type Filter, isFilterSet } from "../../components/filter.ts";
import type { Call } from "../../components/logged-call.ts";
import { type LogState, logDefaults } from "./log-query.ts";

type LogFilter = Filter<keyof LogState>;

const classes = [
  { value: "succeeded", label: "Succeeded" },
  { value: "failed", label: "Failed" },
  { value: "refused", label: "Refused" },
  { value: "rejected", label: "Rejected" },
  { value: "canceled", label: "Canceled" },
];

const storedText: LogFilter = { name: "content", label: "Stored text", kind: "text" };

/** Returns the filters of the list. Options come from the organization's lists and from the visible rows. */
export function useLogFilters(rows: readonly Call[], state: LogState): readonly LogFilter[] {
  const { organization } = useMe();
  const keys = useCall("listApiKeys", { query: { pageSize: 100 } }, { staleMs: 60_000 });
  const teams = useCall("listTeams", { query: { pageSize: 100 } }, { staleMs: 60_000 });
  const hub = useCall("listHubModels", {}, { staleMs: 300_000 });
  // A link can contain a text although the organization has turned off storage. Its filter can then be removed.
  const hasText = organization?.settings.logPrompts === true || state.content !== "";
  const models = (hub.data?.models ?? []).filter(({ pattern }) => pattern === null).map(({ id }) => id);
  return [
    { name: "class", label: "Status", kind: "many", options: classes },
    { name: "model", label: "Model", kind: "many", options: named([...models, ...rows.map(({ model }) => model)]) },
    {
      name: "key",
      label: "Key",
      kind: "many",
      options: (keys.data?.data ?? []).map(({ id, name, token }) => ({ value: id, label: name, note: token })),
    },
    {
      name: "team",
      label: "Team",
      kind: "many",
      options: (teams.data?.data ?? []).map(({ id, name }) => ({ value: id, label: name })),
    },
    ...(hasText ? [storedText] : []),
    { name: "cost", label: "Min cost ($)", kind: "text" },
    { name: "duration", label: "Min duration (ms)", kind: "number" },
    { name: "code", label: "Error code", kind: "many", options: named(rows.map(({ errorCode }) => errorCode)) },
    { name: "provider", label: "Provider", kind: "many", options: named(rows.map(({ provider }) => provider)) },
    { name: "endpoint", label: "Endpoint", kind: "many", options: named(rows.map(({ endpoint }) => endpoint)) },
    { name: "deployment", label: "Deployment", kind: "many", options: deploymentsOf(rows) },
    { name: "session", label: "Session", kind: "text" },
    {
      name: "stream",
      label: "Streaming",
      kind: "one",
      options: [
        { value: "true", label: "Streamed" },
        { value: "false", label: "Not streamed" },
      ],
    },
    {
      name: "cached",
      label: "Response cache",
      kind: "one",
      options: [
        { value: "true", label: "From the cache" },
        { value: "false", label: "From a provider" },
      ],
    },
  ];
}

/** Returns the active filters, each with a callback to remove it. */
export function activeLogFilters(
  filters: readonly LogFilter[],
  state: LogState,
  set: (change: Partial<LogState>) => void,
) {
  const chosen = filters
    .filter((filter) => isFilterSet(state, filter))
    .map((filter) => ({
      label: `${filter.label}: ${describeFilter(state, filter)}`,
      onRemove: () => set(clearedFilters(state, [filter])),
    }));
  const searched = { label: `“${state.search}”`, onRemove: () => set({ search: "" }) };
  return state.search === "" ? chosen : [searched, ...chosen];
}

/** Change that clears all filters except the time range. */
export const clearedLogFilters: Partial<LogState> = {
  ...Object.fromEntries(
    (
      [
        "search",
        "content",
        "class",
        "model",
        "key",
        "team",
        "cost",
        "duration",
        "code",
        "provider",
        "endpoint",
        "deployment",
        "stream",
        "cached",
        "session",
      ] as const
    ).map((name) => [name, logDefaults[name]]),
  ),
};

function named(values: readonly (string | null)[]) {
  const known = new Set(values.filter((value) => value !== null && value !== ""));
  return [...known].sort().map((value) => ({ value: value as string, label: value as string }));
}

function deploymentsOf(rows: readonly Call[]) {
  const known = new Map(rows.map((row) => [row.deploymentId, row]));
  return [...known].flatMap(([id, row]) =>
    id === null ? [] : [{ value: id, label: `${row.provider ?? "deployment"} ${id.slice(0, 8)}`, note: row.model }],
  );
}
