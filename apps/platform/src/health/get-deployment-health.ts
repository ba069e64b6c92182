import { HealthBoard } from "@tollgate/contracts/management/health-board.ts";
import { runAsAdministrator } from "@tollgate/db/tenancy.ts";
import type { Caller } from "../caller.ts";
import type { GatewayStatus, ServedDeployment } from "../deployments/deployment-source.ts";
import { readStoredModels } from "../deployments/read-stored-models.ts";
import { operation, read } from "../operation.ts";
import { describePair } from "../performance/describe-pair.ts";
import { readEverywhere, readOrganization } from "../performance/get-performance.ts";
import { rangeOf } from "../performance/performance-range.ts";
import type { Services } from "../services.ts";
import { describeHealth } from "./describe-health.ts";
import { findIncidents } from "./find-incidents.ts";

const HOURS = 24;

/** Returns model health for one day. Administrators see all calls. Other users see only their own teams' calls. */
export const getDeploymentHealth = operation({
  ...read,
  id: "getDeploymentHealth",
  summary: "Get model health for one day and the current gateway status",
  tag: "usage",
  path: "/api/gw/health/deployments",
  auth: "user",
  scope: "own",
  answers: {
    200: { description: "Deployments for administrators; models and providers for other users", schema: HealthBoard },
  },
  handle: async ({ caller }, services) => {
    const isAdministrator = caller.role === "admin";
    const checkedAt = services.now();
    const range = rangeOf(HOURS, checkedAt);
    const pairs = await (isAdministrator ? readEverywhere : readOrganization)(caller, services, range);
    const performance = pairs.map((pair) => describePair(pair, range));
    const seen = await services.monitor.look();
    const listed = await listFor(caller, services, seen);
    const body: HealthBoard = {
      deployments: describeHealth(listed, performance, { isAdministrator, range, now: checkedAt }),
      gateway: {
        overheadP50Ms: seen?.overheadP50Ms ?? null,
        overheadP95Ms: seen?.overheadP95Ms ?? null,
        inFlight: seen?.inFlight ?? null,
        queueDepth: seen?.queueDepth ?? null,
      },
      incidents: findIncidents(performance, checkedAt),
      checkedAt,
    };
    return { status: 200, body };
  },
});

/** Lists the deployments. Stored models are public, but the credential status is read only for administrators. */
async function listFor(
  caller: Caller,
  { db, deployments }: Services,
  seen: GatewayStatus | null,
): Promise<readonly ServedDeployment[]> {
  const stored =
    caller.role === "admin"
      ? await runAsAdministrator(db, readStoredModels, caller.userId)
      : await db.transaction().execute(readStoredModels);
  return deployments.list(stored, seen?.deployments ?? new Map());
}
