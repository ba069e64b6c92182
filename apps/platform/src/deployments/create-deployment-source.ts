import type { DeploymentSource } from "@tollgate/platform/deployments/deployment-source.ts";
import type { Settings } from "@tollgate/runtime/settings/settings.ts";
import { buildServedList } from "./build-served-list.ts";
import { describeDeployments } from "./describe-deployments.ts";
import { describeRouting } from "./describe-routing.ts";
import { simulateRoute } from "./simulate-route.ts";

/** Describes the deployments that gateways serve, based on the same settings and rules. Doesn't need a gateway. */
export function createDeploymentSource(settings: () => Settings, now: () => Date): DeploymentSource {
  return {
    list: (stored, live) => describeDeployments(buildServedList(settings(), stored, live), live, now()),
    routing: (stored, live) => describeRouting(buildServedList(settings(), stored, live), live, now()),
    simulate: (stored, live, question) => simulateRoute(buildServedList(settings(), stored, live), question, now()),
  };
}
