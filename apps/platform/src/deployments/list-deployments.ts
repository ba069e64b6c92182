import { AdminDeploymentList } from "@tollgate/contracts/management/deployment.ts";
import { runAsAdministrator } from "@tollgate/db/tenancy.ts";
import { operation, read } from "../operation.ts";
import type { ServedDeployment } from "./deployment-source.ts";
import { readHealth } from "./read-health.ts";
import { readStoredModels } from "./read-stored-models.ts";

/** Lists all deployments, from the settings files and the database. Live state is unknown while no gateway responds. */
export const listDeployments = operation({
  ...read,
  id: "listDeployments",
  summary: "List deployments with their source and status",
  tag: "admin",
  path: "/api/admin/deployments",
  auth: "administrator",
  // The handler also queries a gateway and must not hold a database connection during that query.
  scope: "own",
  answers: { 200: { description: "Deployments by model group", schema: AdminDeploymentList } },
  handle: async ({ caller }, services) => {
    const { db, deployments, monitor } = services;
    const seen = await monitor.look();
    const stored = await runAsAdministrator(db, readStoredModels, caller.userId);
    const listed = deployments.list(stored, seen?.deployments ?? new Map());
    const healthOf = await readHealth(services);
    const shown = listed.map((deployment) => ({ ...deployment, health: healthOf(deployment) }));
    return { status: 200, body: { deployments: shown, warnings: countWarnings(listed) } };
  },
});

function countWarnings(listed: readonly ServedDeployment[]): Record<"unpriced" | "stale" | "overridden", number> {
  const count = (isMeant: (deployment: ServedDeployment) => boolean) => listed.filter(isMeant).length;
  return {
    unpriced: count(({ priced }) => !priced),
    stale: count(({ stale }) => stale),
    overridden: count(({ priceSource }) => priceSource === "override"),
  };
}
