import type { Settings } from "@tollgate/runtime/settings/settings.ts";
import { buildServedList } from "./build-served-list.ts";
import type { DeploymentSource } from "./deployment-source.ts";
import { describeDeployments } from "./describe-deployments.ts";
import { describeRouting } from "./describe-routing.ts";
import type { GatewayModels } from "./gateway-models.ts";
import { simulateRoute } from "./simulate-route.ts";

/** Describes the deployments that gateways serve, based on the same settings and rules. Doesn't need a gateway. */
export function createDeploymentSource(
  models: GatewayModels,
  settings: () => Settings,
  now: () => Date,
): DeploymentSource {
  return {
    list: (stored, live) => describeDeployments(buildServedList(models, settings(), stored, live), live, now()),
    routing: (stored, live) => describeRouting(buildServedList(models, settings(), stored, live), live, now()),
    simulate: (stored, live, question) =>
      simulateRoute(buildServedList(models, settings(), stored, live), question, now()),
  };
}
