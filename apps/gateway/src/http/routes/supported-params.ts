import { ErrorResponse } from "@tollgate/contracts/error-bodies.ts";
import { Failure } from "@tollgate/contracts/failures.ts";
import { informationFailures } from "@tollgate/contracts/information-failures.ts";
import { versionedPaths } from "@tollgate/contracts/operations.ts";
import { SupportedParamsQuery, SupportedParamsResponse } from "@tollgate/contracts/utilities/supported-params.ts";
import type { Caller } from "../../call/caller.ts";
import type { Deployment } from "../../call/deployment.ts";
import { inAll, supportedParamsOf, supportedParamsUnder } from "../../models/describe-model.ts";
import { factsOfModel } from "../../models/model-facts.ts";
import type { ModelLookup } from "../../models/model-lookup.ts";
import type { ApiContext } from "../api-context.ts";
import { answerJson, type KeyedOperation } from "../api-operation.ts";

/** Lists the parameters that all deployments of a group support, or those of any known provider model. */
export const supportedParams: KeyedOperation<SupportedParamsQuery> = {
  id: "listSupportedParams",
  summary: "List a model's supported parameters",
  tag: "utilities",
  method: "GET",
  paths: versionedPaths("/utils/supported_openai_params"),
  auth: "key",
  routeGroup: "information",
  billing: "free",
  bodyLimitBytes: 0,
  timeoutMs: 10_000,
  query: SupportedParamsQuery,
  answers: {
    200: { description: "The parameter names.", schema: SupportedParamsResponse },
    400: { description: "The model is unknown.", schema: ErrorResponse },
    ...informationFailures,
  },

  handle({ caller, query }, context) {
    const deployments = findDeployments(context.current().models, caller, query.model);
    const params =
      deployments.length === 0 ? paramsOfName(query.model, context) : inAll(deployments.map(supportedParamsOf));
    if (params === null) {
      throw new Failure("invalid_request", `Could not map model=${query.model}.`, { param: "model" });
    }
    return answerJson({ supported_openai_params: [...params] } satisfies SupportedParamsResponse);
  },
};

/** Returns the deployments of a model group; none if no group has this name. */
function findDeployments(models: ModelLookup, caller: Caller, asked: string): readonly Deployment[] {
  try {
    return models.find(caller, asked).targets;
  } catch (error) {
    if (error instanceof Failure && error.code === "model_not_found") return [];
    throw error;
  }
}

/** Returns the parameters of a model that isn't configured, based on its provider's API format and the catalog. */
function paramsOfName(name: string, { catalog, findProvider }: ApiContext): readonly string[] | null {
  const slash = name.indexOf("/");
  const providerName = slash < 0 ? catalog.inferProvider(name) : name.slice(0, slash);
  const provider = providerName === undefined ? undefined : findProvider(providerName);
  if (provider === undefined) return null;
  return supportedParamsUnder(provider, name.slice(slash + 1), factsOfModel([name], catalog));
}
