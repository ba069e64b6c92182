import { SimulatedRoute, SimulateRouteBody } from "@tollgate/contracts/management/routing.ts";
import { runAsAdministrator } from "@tollgate/db/tenancy.ts";
import { readStoredModels } from "../deployments/read-stored-models.ts";
import { operation, write } from "../operation.ts";

/**
 * Simulates which deployment a call would be routed to now, with the real routing rules. Makes no call and changes no
 * counter.
 */
export const simulateRoute = operation({
  ...write,
  id: "simulateRoute",
  summary: "Simulate the routing of a request without sending it",
  tag: "admin",
  path: "/api/admin/routing/simulate",
  auth: "administrator",
  scope: "own",
  rate: "read",
  idempotency: "none",
  body: SimulateRouteBody,
  answers: { 200: { description: "The route, step by step", schema: SimulatedRoute } },
  handle: async ({ body, caller }, { db, deployments, monitor }) => {
    const seen = await monitor.look();
    const stored = await runAsAdministrator(db, readStoredModels, caller.userId);
    return { status: 200, body: deployments.simulate(stored, seen?.deployments ?? new Map(), body) };
  },
});
