import type { Database } from "@tollgate/db/connect.ts";
import { runAsAdministrator } from "@tollgate/db/tenancy.ts";
import { type PairPerformance, readPerformance } from "@tollgate/db/usage/read-performance.ts";
import { beginWideReport } from "@tollgate/db/usage/report-scope.ts";
import type { StoredModel } from "../deployments/deployment-source.ts";
import { readStoredModels } from "../deployments/read-stored-models.ts";
import type { HubGroup, HubSource } from "./hub-source.ts";
import { createStaleWhileRevalidate } from "./stale-while-revalidate.ts";

/** Contents of the hub, up to a few seconds old. */
export interface HubContents {
  readonly groups: readonly HubGroup[];
  readonly stored: ReadonlyMap<string, StoredModel>;
  /** Performance by requested model name. */
  readonly performance: ReadonlyMap<string, readonly PairPerformance[]>;
}

export interface Hub {
  isPublic(): boolean;
  read(): Promise<HubContents>;
}

interface HubParts {
  readonly source: HubSource;
  readonly db: Database;
  readonly reportDb: Database;
  readonly now: () => Date;
}

const MODELS_MS = 5_000;
/**
 * Cache duration for the performance data. Reading it aggregates all organizations' calls, so visitors share the
 * result.
 */
const PERFORMANCE_MS = 60_000;
export const HUB_CELL_MS = 3_600_000;
export const HUB_CELLS = 24;

/** Reads models and their performance, and shares the result among all visitors. */
export function createHub({ source, db, reportDb, now }: HubParts): Hub {
  const clock = () => now().getTime();
  const models = createStaleWhileRevalidate(MODELS_MS, clock, async () => {
    const all = await db.transaction().execute(readStoredModels);
    const served = all.filter(({ status }) => status !== "disabled");
    return { groups: source.list(served), stored: new Map(served.map((model) => [model.id, model])) };
  });
  const performance = createStaleWhileRevalidate(PERFORMANCE_MS, clock, async () => {
    const toMs = (Math.floor(clock() / HUB_CELL_MS) + 1) * HUB_CELL_MS;
    const time = { fromMs: toMs - HUB_CELLS * HUB_CELL_MS, toMs };
    const pairs = await runAsAdministrator(reportDb, async (transaction) => {
      await beginWideReport(transaction);
      const everywhere = { organizationId: null, teamIds: null, shownFromMs: time.fromMs };
      return readPerformance(transaction, { ...everywhere, time, cellMs: HUB_CELL_MS });
    });
    return Map.groupBy(pairs, ({ model }) => model);
  });
  return {
    isPublic: () => source.isPublic(),
    read: async () => {
      const [shown, lately] = await Promise.all([models(), performance()]);
      return { ...shown, performance: lately };
    },
  };
}
