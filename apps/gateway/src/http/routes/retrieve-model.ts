import { ErrorResponse } from "@tollgate/contracts/error-bodies.ts";
import { Failure } from "@tollgate/contracts/failures.ts";
import { ModelEntry, ModelPathParameters } from "@tollgate/contracts/models/model-entry.ts";
import { versionedPaths } from "@tollgate/contracts/operations.ts";
import { answerJson, type KeyedOperation } from "../edge/api-operation.ts";
import { describeModel } from "../model-list/describe-model.ts";
import { findVisibleModel } from "../model-list/find-visible-model.ts";
import { callableBy } from "../model-list/model-view.ts";
import { informationFailures } from "./information-failures.ts";

/** Retrieves a model by name. The response is the same for unknown models and for models that the caller cannot use. */
export const retrieveModel: KeyedOperation = {
  id: "retrieveModel",
  summary: "Retrieve a model",
  tag: "models",
  method: "GET",
  paths: versionedPaths("/models/{model_id}"),
  auth: "key",
  routeGroup: "information",
  billing: "free",
  bodyLimitBytes: 0,
  timeoutMs: 10_000,
  pathParameters: ModelPathParameters,
  answers: {
    200: { description: "The model.", schema: ModelEntry },
    404: { description: "The model does not exist, or the caller has no access to it.", schema: ErrorResponse },
    ...informationFailures,
  },

  handle({ caller, params }, context) {
    const { model_id: asked = "" } = params;
    const model = findVisibleModel(callableBy(context.current().models, caller), asked);
    if (model === null) {
      throw new Failure("model_not_found", `The model '${asked}' does not exist or you do not have access to it.`, {
        param: "model_id",
      });
    }
    return answerJson(describeModel(model));
  },
};
