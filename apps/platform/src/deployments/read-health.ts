import { runAsAdministrator } from "@tollgate/db/tenancy.ts";
import { type RecentCounts, readRecentCounts } from "@tollgate/db/usage/read-recent-counts.ts";
import {
  HEALTH_WINDOW_MS,
  type HealthState,
  healthOf,
  type LiveState,
} from "@tollgate/domain/figures/deployment-health.ts";
import { addCounts, NO_REQUESTS } from "@tollgate/domain/figures/request-class.ts";
import { matchPattern } from "@tollgate/domain/routing/match-pattern.ts";
import type { Services } from "../services.ts";

interface ListedDeployment {
  readonly group: string;
  readonly provider: string;
  readonly status: LiveState;
}

/** Reads the last hour's requests, and returns the function that gives a deployment's health, as the health page does. */
export async function readHealth({ reportDb, now }: Services): Promise<(listed: ListedDeployment) => HealthState> {
  const since = new Date(now().getTime() - HEALTH_WINDOW_MS);
  const counts = await runAsAdministrator(reportDb, (transaction) => readRecentCounts(transaction, since));
  const byProvider = Map.groupBy(counts, ({ provider }) => provider);
  return ({ group, provider, status }) => {
    const own = (byProvider.get(provider) ?? []).filter(({ model }) => serves(group, model));
    return healthOf(status, addCounts(own.map((each: RecentCounts) => ({ ...NO_REQUESTS, ...each }))));
  };
}

/** Reports whether a deployment of a model group, which can be a pattern, serves this model. */
export function serves(group: string, model: string): boolean {
  return group.includes("*") ? matchPattern(group, model) !== null : group === model;
}
