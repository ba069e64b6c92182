import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { client } from "../../api/client.ts";
import { useCall } from "../../api/queries.ts";
import { type Dimension, groupingOf, OTHERS, type UsageRow } from "./usage-view.ts";

const PAGE_SIZE = 100;
/** Maximum number of keys whose names are loaded. Other keys are shown as the end of their ID. */
const MAX_KEYS = 1_000;
const STALE_MS = 60_000;
/** Placeholder user ID for keys whose creator was deleted. */
const NO_CREATOR = "deleted";

/** Labels, by dimension, for requests that were refused before the model or provider was known, or name no session. */
const emptyNames: Partial<Record<Dimension, string>> = {
  model: "Not recorded",
  provider: "Not sent to a provider",
  session: "No session",
};

export interface Names {
  readonly isReady: boolean;
  readonly nameOf: (dimension: Dimension, key: string) => string;
  /** Returns a row's entity in a dimension. */
  readonly entityOf: (dimension: Dimension, row: UsageRow) => string;
  readonly keys: readonly { readonly id: string; readonly name: string; readonly token: string | null }[];
  readonly teams: readonly { readonly id: string; readonly name: string }[];
  readonly makers: ReadonlyMap<string, string>;
}

/** Returns the names of keys, teams, and users, and who created each key. */
export function useNames(): Names {
  const keys = useQuery({ queryKey: ["listApiKeys", "names"], queryFn: readKeys, staleTime: STALE_MS });
  const teams = useCall("listTeams", { query: { pageSize: PAGE_SIZE } }, { staleMs: STALE_MS });
  return useMemo(() => {
    const keyList = keys.data ?? [];
    const teamList = teams.data?.data ?? [];
    const byId = new Map(keyList.map((key) => [key.id, key]));
    const teamNames = new Map(teamList.map(({ id, name }) => [id, name]));
    const makerOf = (keyId: string) => String(byId.get(keyId)?.createdBy?.id ?? NO_CREATOR);
    const makers = new Map(
      keyList.flatMap(({ createdBy }) =>
        createdBy === null ? [] : [[String(createdBy.id), createdBy.name ?? `User ${createdBy.id}`] as const],
      ),
    );
    return {
      isReady: !keys.isPending,
      keys: keyList,
      teams: teamList,
      makers,
      nameOf: (dimension, key) => {
        if (dimension === "none") return "All";
        if (key === "") return emptyNames[dimension] ?? "None";
        if (key === OTHERS) return `Other ${dimension}s`;
        if (dimension === "key") return byId.get(key)?.name ?? `Key …${key.slice(-6)}`;
        if (dimension === "team") return teamNames.get(key) ?? `Team …${key.slice(-6)}`;
        if (dimension === "user") return makers.get(key) ?? "Former user";
        return key;
      },
      entityOf: (dimension, { group, isOther }) => {
        if (dimension === "none") return "all";
        if (isOther === true) return OTHERS;
        const key = group[groupingOf[dimension]] ?? "";
        return dimension === "user" ? makerOf(key) : key;
      },
    };
  }, [keys.data, keys.isPending, teams.data]);
}

async function readKeys() {
  const found = [];
  for await (const key of client.all("listApiKeys", { query: { pageSize: PAGE_SIZE, status: ["all"] } })) {
    found.push(key);
    if (found.length >= MAX_KEYS) break;
  }
  return found;
}
