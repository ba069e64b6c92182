import { useCall } from "../../api/queries.ts";
import { useNow } from "../../components/use-now.ts";
import { isOver, momentOf, type ThreadRun } from "./assistant-objects.ts";

const MINUTE_MS = 60_000;
const EVERY_MS = 10_000;
const MAX_ROWS = 100;

/**
 * Returns the cost of each run, from its requests in the logs, whose request IDs start with the run ID. Runs whose
 * requests are too old or not settled yet are missing.
 */
export function useRunCosts(keyId: string, runs: readonly ThreadRun[]): ReadonlyMap<string, bigint> {
  const [newest, oldest] = [runs[0], runs.at(-1)];
  const endMs = Math.max(0, ...runs.map((run) => endOf(run) ?? 0)) * 1_000 + MINUTE_MS;
  // Requests are settled shortly after their run ends.
  const isFresh = useNow().getTime() < endMs;
  const logs = useCall(
    "listLogs",
    {
      query: {
        apiKey: [keyId],
        endpoint: ["assistants.run"],
        search: "run_",
        pageSize: MAX_ROWS,
        startDate: new Date(momentOf(oldest?.created_at ?? 0).getTime() - MINUTE_MS).toISOString(),
        endDate: new Date(endMs).toISOString(),
      },
    },
    { enabled: newest !== undefined && isOver(newest), refetchMs: isFresh ? EVERY_MS : false },
  );
  const costs = new Map<string, bigint>();
  for (const { requestId, cost } of logs.data?.data ?? []) {
    const run = requestId.split("-", 1)[0] ?? "";
    costs.set(run, (costs.get(run) ?? 0n) + (cost ?? 0n));
  }
  return costs;
}

/** Returns the time at which a run ended; null while the run is active. */
export function endOf(run: ThreadRun): number | null {
  return run.completed_at ?? run.failed_at ?? run.cancelled_at;
}
