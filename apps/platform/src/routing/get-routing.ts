import { RoutingRules } from "@tollgate/contracts/management/routing.ts";
import { runAsAdministrator } from "@tollgate/db/tenancy.ts";
import { readHealth } from "../deployments/read-health.ts";
import { readStoredModels } from "../deployments/read-stored-models.ts";
import { operation, read } from "../operation.ts";

export const getRouting = operation({
  ...read,
  id: "getRouting",
  summary: "Get the routing rules: model groups, strategies, fallbacks",
  tag: "admin",
  path: "/api/admin/routing",
  auth: "administrator",
  scope: "own",
  answers: { 200: { description: "The rules in effect", schema: RoutingRules } },
  handle: async ({ caller }, services) => {
    const { db, deployments, monitor } = services;
    const seen = await monitor.look();
    const stored = await runAsAdministrator(db, readStoredModels, caller.userId);
    const rules = deployments.routing(stored, seen?.deployments ?? new Map());
    const healthOf = await readHealth(services);
    const groups = rules.groups.map((group) => ({
      ...group,
      deployments: group.deployments.map((deployment) => ({
        ...deployment,
        health: healthOf({ ...deployment, group: group.name }),
      })),
    }));
    return { status: 200, body: { ...rules, groups } };
  },
});
