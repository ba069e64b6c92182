import { Failure } from "@tollgate/contracts/failures.ts";
import type { Deployment } from "../../model-list/deployment.ts";
import type { Call } from "../call.ts";

/** Adds the last deployment tried and the number of attempts to a failure, for the response headers. */
export function nameDeployment(failure: Failure, deployment: Deployment, call: Call): Failure {
  const { facts } = failure;
  const { model, retries, maxRetries, fallbacks } = call;
  const route = { modelId: deployment.id, modelGroup: model.shownHeader, retries, maxRetries, fallbacks };
  return new Failure(failure.code, failure.message, {
    ...facts,
    detail: { ...facts.detail, ...route },
    cause: failure,
  });
}
