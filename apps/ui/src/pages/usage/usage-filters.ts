import type { Filter } from "../../components/filter.ts";
import type { FilterNames, FilterState } from "./usage-controls.tsx";
import type { Names } from "./use-names.ts";
import type { UsageFilter } from "./use-usage.ts";

/** Returns the usage filters, with options from the organization's lists and recently called models. */
export function filtersOf(
  names: Names,
  called: readonly { readonly model: string; readonly provider: string | null }[],
): readonly Filter<FilterNames>[] {
  const plain = (values: readonly string[]) => [...new Set(values)].sort().map((value) => ({ value, label: value }));
  return [
    { name: "model", label: "Model", kind: "many", options: plain(called.map(({ model }) => model)) },
    {
      name: "provider",
      label: "Provider",
      kind: "many",
      options: plain(called.flatMap(({ provider }) => provider ?? [])),
    },
    {
      name: "team",
      label: "Team",
      kind: "many",
      options: names.teams.map(({ id, name }) => ({ value: id, label: name })),
    },
    {
      name: "key",
      label: "Key",
      kind: "many",
      options: names.keys.map(({ id, name, token }) => ({
        value: id,
        label: name,
        note: `…${(token ?? id).slice(-4)}`,
      })),
    },
    {
      name: "user",
      label: "User",
      kind: "many",
      options: [...names.makers].map(([value, label]) => ({ value, label })),
    },
  ];
}

/** Returns the filters as query parameters; empty ones are omitted. */
export function filterOf({ model, provider, team, key, user }: FilterState): UsageFilter {
  return {
    ...(model.length > 0 && { model }),
    ...(provider.length > 0 && { provider }),
    ...(team.length > 0 && { teamId: team }),
    ...(key.length > 0 && { apiKey: key }),
    ...(user.length > 0 && { userId: user.map(Number) }),
  };
}

/** Reports whether a model and its provider match the filters. */
export function keepsModel(
  { model, provider }: FilterState,
  entry: { readonly model: string; readonly provider: string | null },
): boolean {
  const isModel = model.length === 0 || model.includes(entry.model);
  return isModel && (provider.length === 0 || provider.includes(entry.provider ?? ""));
}
