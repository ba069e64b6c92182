import { Failure } from "@tollgate/contracts/failures.ts";
import { informationFailures } from "@tollgate/contracts/information-failures.ts";
import { type Caller, isAdministrator } from "../../call/caller.ts";
import type { GuardedOperation } from "../api-operation.ts";

const METRICS_PATH = "/metrics";
const LEDGER_PATH = "/metrics/ledger";
const headers = { "content-type": "text/plain; version=0.0.4; charset=utf-8" };

const shared = {
  tag: "health",
  method: "GET",
  auth: "key",
  routeGroup: "information",
  billing: "free",
  bodyLimitBytes: 0,
  timeoutMs: 30_000,
  answers: {
    ...informationFailures,
    200: { description: "The metrics in the Prometheus text format.", contentType: "text/plain" },
  },
} as const satisfies Partial<GuardedOperation>;

/** Returns this gateway's metrics. */
export const metrics: GuardedOperation = {
  ...shared,
  id: "getMetrics",
  summary: "Get metrics",
  paths: [METRICS_PATH],
  needsKey: ({ general }) => general.requireAuthForMetrics,

  async handle({ caller }, { writeMetrics }) {
    requireScraper(caller, METRICS_PATH);
    return { status: 200, headers, content: await writeMetrics() };
  },
};

/**
 * Returns the ledger metrics. They are the same on every gateway and need a few database queries, so they have their
 * own path, which always requires a key.
 */
export const bookMetrics: GuardedOperation = {
  ...shared,
  id: "getLedgerMetrics",
  summary: "Get ledger metrics",
  paths: [LEDGER_PATH],
  needsKey: () => true,

  async handle({ caller }, { writeBookMetrics }) {
    requireScraper(caller, LEDGER_PATH);
    if (writeBookMetrics === null)
      throw new Failure("not_found", "This gateway has no ledger because it has no database.");
    return { status: 200, headers, content: await writeBookMetrics() };
  },
};

/** Requires an administrator's key or a key that may call this route, because metrics cover every team. */
function requireScraper(caller: Caller | null, path: string): void {
  if (caller === null || isAdministrator(caller) || caller.allowedRoutes?.includes(path)) return;
  throw new Failure("admin_only", "Metrics cover every team and require an administrator's key.", {
    fix: `Use an administrator's key, or a key whose allowed routes include ${path}.`,
  });
}
