import { ErrorResponse } from "@tollgate/contracts/error-bodies.ts";
import { Failure } from "@tollgate/contracts/failures.ts";
import { HealthQuery, HealthReport } from "@tollgate/contracts/health.ts";
import { informationFailures } from "@tollgate/contracts/information-failures.ts";
import { isAdministrator } from "../../call/caller.ts";
import type { Deployment } from "../../call/deployment.ts";
import type { DeploymentHealth } from "../../health/health-checks.ts";
import { addressOf } from "../../models/describe-deployment.ts";
import { listVisibleModels } from "../../models/list-visible-models.ts";
import { displayNameOf, visibleTo } from "../../models/model-view.ts";
import type { ApiContext } from "../api-context.ts";
import { answerJson, type KeyedInput, type KeyedOperation } from "../api-operation.ts";

/**
 * Checks deployment health by calling each deployment with the smallest possible request. The operator pays for the
 * calls, so only administrators can cause them. Other callers get what is known without a call.
 */
export const probeHealth: KeyedOperation<HealthQuery> = {
  id: "getHealth",
  summary: "Check deployment health",
  tag: "health",
  method: "GET",
  paths: ["/health"],
  auth: "key",
  routeGroup: "information",
  billing: "free",
  bodyLimitBytes: 0,
  timeoutMs: 600_000,
  query: HealthQuery,
  answers: {
    ...informationFailures,
    200: { description: "The health of each deployment.", schema: HealthReport },
    404: { description: "The model or deployment does not exist.", schema: ErrorResponse },
    503: { description: "No deployment of the named model is responding.", schema: HealthReport },
  },

  async handle(input, context) {
    const isNamed = input.query.model != null || input.query.model_id != null;
    const maySpend = isAdministrator(input.caller);
    const deployments = findDeployments(input, context);
    const { healthChecks } = context;
    const found = maySpend ? await healthChecks.check(deployments, isNamed) : healthChecks.known(deployments);
    const report = describe(found, maySpend);
    const isDown = isNamed && report.unhealthy_count > 0 && report.healthy_count === 0;
    return answerJson(report, isDown ? 503 : 200);
  },
};

function findDeployments({ caller, query }: KeyedInput<HealthQuery>, context: ApiContext): readonly Deployment[] {
  const { models } = context.current();
  const named = query.model == null ? null : models.find(caller, query.model).targets;
  const visible = listVisibleModels(visibleTo(models, caller), context.catalog).flatMap((model) => model.deployments);
  const usable = new Set((named ?? visible).map(({ id }) => id));
  const found = models.list.deployments.filter(
    ({ id }) => usable.has(id) && (query.model_id == null || query.model_id === id),
  );
  if (query.model_id != null && found.length === 0) {
    throw new Failure("not_found", "This deployment does not exist, or you do not have access to it.", {
      param: "model_id",
    });
  }
  return found;
}

function describe(found: readonly DeploymentHealth[], showsAddress: boolean): HealthReport {
  const healthy: HealthReport["healthy_endpoints"] = [];
  const unhealthy: HealthReport["unhealthy_endpoints"] = [];
  for (const { deployment, error } of found) {
    const address = showsAddress ? addressOf(deployment) : null;
    const endpoint = {
      model: displayNameOf(deployment),
      model_id: deployment.id,
      ...(address !== null && { api_base: address }),
    };
    if (error === null) healthy.push(endpoint);
    else unhealthy.push({ ...endpoint, error });
  }
  return {
    healthy_endpoints: healthy,
    unhealthy_endpoints: unhealthy,
    healthy_count: healthy.length,
    unhealthy_count: unhealthy.length,
  };
}
