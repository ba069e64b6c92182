import type { UseQueryResult } from "@tanstack/react-query";
import type { Operations } from "@tollgate/sdk/platform";
import { useCall } from "../../api/queries.ts";
import { useZone } from "../../components/zone.ts";
import { type Month, thisMonth } from "./this-month.ts";

export interface TeamSpend {
  readonly month: Month;
  readonly zone: string;
  readonly keys: UseQueryResult<Operations["listApiKeys"]["answer"], Error>;
  /** Returns a key's spend this month; null while loading. */
  readonly ofKey: (id: string) => bigint | null;
  /** Spend of all keys, including deleted ones. */
  readonly total: bigint | null;
  /** Returns this month's spend for a user's keys, and when the keys were last used. */
  readonly ofPerson: (userId: number) => { readonly cost: bigint | null; readonly lastUsedAt: string | null };
}

const MAX_KEYS = 100;

/** Returns the team's keys with their spend in the current month. */
export function useTeamSpend(teamId: string): TeamSpend {
  const zone = useZone();
  const month = thisMonth(zone);
  const keys = useCall("listApiKeys", { query: { teamId, pageSize: MAX_KEYS, sort: "-lastUsedAt" } });
  const usage = useCall("getUsage", { query: { startDate: month.startDate, teamId: [teamId], groupBy: ["apiKey"] } });
  const costs = new Map(usage.data?.data.map(({ group, cost }) => [group.apiKey ?? "", cost]));
  const ofKey = (id: string) => (usage.data === undefined ? null : (costs.get(id) ?? 0n));
  return {
    month,
    zone,
    keys,
    ofKey,
    total: usage.data?.totals.cost ?? null,
    ofPerson: (userId) => {
      const own = keys.data?.data.filter(({ createdBy }) => createdBy?.id === userId) ?? [];
      const times = own.map(({ lastUsedAt }) => lastUsedAt).filter((at) => at !== null);
      const isKnown = usage.data !== undefined && keys.data !== undefined;
      return {
        cost: isKnown ? own.reduce((sum, { id }) => sum + (ofKey(id) ?? 0n), 0n) : null,
        lastUsedAt: times.sort().at(-1) ?? null,
      };
    },
  };
}
