import { Failure } from "@tollgate/contracts/failures.ts";
import type { Deployment, OfferedOperation } from "../../model-list/deployment.ts";
import type { Call } from "../call.ts";
import { checkFields } from "./check-fields.ts";

/** Returns the deployment's offer for the operation. Throws if the deployment doesn't offer it. */
export function offeredBy(call: Call, deployment: Deployment): OfferedOperation {
  const offered = deployment.offers[call.operation];
  if (offered !== undefined) return offered;
  throw new Failure("invalid_request", `Model '${call.model.shownName}' does not support this operation.`, {
    param: "model",
    fix: "Choose a model that supports it. GET /model_group/info lists what each model supports.",
  });
}

/**
 * Values that clients send for unused parameters. The values have no effect, so unsupported parameters with these
 * values are dropped.
 */
const neutralValues: Readonly<Record<string, unknown>> = {
  n: 1,
  logprobs: false,
  frequency_penalty: 0,
  presence_penalty: 0,
  parallel_tool_calls: true,
  store: false,
  echo: false,
  best_of: 1,
};

/**
 * Returns the fields to drop for this deployment. A known parameter that the model doesn't support is sent if it was
 * explicitly allowed, dropped if dropping was requested, and rejected otherwise.
 */
export function fitParameters(call: Call, deployment: Deployment, offered: OfferedOperation): ReadonlySet<string> {
  const { members, request } = call.body;
  const dropped = checkFields(call, deployment, offered);
  if (offered.takesEveryParam) return dropped;
  let unsupported: string[] | null = null;
  for (const { name } of members) {
    if (!call.kind.fields.params.has(name) || offered.supportedParams.has(name)) continue;
    if ((request as Record<string, unknown>)[name] == null) continue;
    if (deployment.allowedParams.includes(name) || request.allowed_openai_params?.includes(name)) continue;
    const asksNothing = Object.is(neutralValues[name], (request as Record<string, unknown>)[name]);
    if (!asksNothing && !(request.drop_params ?? deployment.dropsParams)) {
      throw new Failure(
        "unsupported_parameter",
        `Model '${call.model.shownName}' does not support '${name}'. Remove it, or send drop_params: true.`,
        { param: name },
      );
    }
    unsupported ??= [];
    unsupported.push(name);
  }
  if (unsupported === null && deployment.additionalDropParams.length === 0) return dropped;
  return new Set([...dropped, ...(unsupported ?? []), ...deployment.additionalDropParams]);
}
