import { ErrorResponse } from "@tollgate/contracts/error-bodies.ts";
import { Failure } from "@tollgate/contracts/failures.ts";
import { informationFailures } from "@tollgate/contracts/information-failures.ts";
import { ModelEntry, ModelPathParameters } from "@tollgate/contracts/models/model-entry.ts";
import { versionedPaths } from "@tollgate/contracts/operations.ts";
import { describeModel } from "../../models/describe-model.ts";
import { findVisibleModel } from "../../models/find-visible-model.ts";
import { callableBy } from "../../models/model-view.ts";
import { suggestModels } from "../../models/suggest-models.ts";
import { answerJson, type KeyedOperation } from "../api-operation.ts";

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
  params: ModelPathParameters,
  answers: {
    200: { description: "The model.", schema: ModelEntry },
    404: { description: "The model does not exist, or the caller has no access to it.", schema: ErrorResponse },
    ...informationFailures,
  },

  handle({ caller, params }, context) {
    const { model_id: asked = "" } = params;
    const { models } = context.current();
    const model = findVisibleModel(callableBy(models, caller), asked);
    if (model === null) {
      const message = `The model '${asked}' does not exist or you do not have access to it.`;
      const detail = { unknownModel: asked };
      throw suggestModels(new Failure("model_not_found", message, { param: "model_id", detail }), models, caller);
    }
    return answerJson(describeModel(model));
  },
};
