import { ErrorResponse } from "@tollgate/contracts/error-bodies.ts";
import { Failure } from "@tollgate/contracts/failures.ts";
import { informationFailures } from "@tollgate/contracts/information-failures.ts";
import { ModelInfoQuery, ModelInfoResponse } from "@tollgate/contracts/models/model-info.ts";
import { versionedPaths } from "@tollgate/contracts/operations.ts";
import { isAdministrator } from "../../call/caller.ts";
import { describeDeployment } from "../../models/describe-deployment.ts";
import { listVisibleModels } from "../../models/list-visible-models.ts";
import { visibleTo } from "../../models/model-view.ts";
import { answerJson, type KeyedOperation } from "../api-operation.ts";

/** Describes the deployments behind the models that a caller can use. */
export const modelInfo: KeyedOperation<ModelInfoQuery> = {
  id: "getModelInfo",
  summary: "Get deployment information",
  tag: "models",
  method: "GET",
  paths: versionedPaths("/model/info"),
  auth: "key",
  routeGroup: "information",
  billing: "free",
  bodyLimitBytes: 0,
  timeoutMs: 10_000,
  query: ModelInfoQuery,
  answers: {
    200: { description: "One entry per deployment, without secrets.", schema: ModelInfoResponse },
    404: { description: "The deployment does not exist, or the caller has no access to it.", schema: ErrorResponse },
    ...informationFailures,
  },

  handle({ caller, query }, context) {
    const { settings, models } = context.current();
    const visible = listVisibleModels(visibleTo(models, caller), context.catalog);
    const usable = new Set(visible.flatMap(({ deployments }) => deployments));
    const asked = query.gw_model_id ?? null;
    const found = models.list.deployments.filter(
      (deployment) => usable.has(deployment) && (asked === null || deployment.id === asked),
    );
    if (asked !== null && found.length === 0) {
      throw new Failure("not_found", "This deployment does not exist, or you do not have access to it.", {
        param: "gw_model_id",
      });
    }
    const showsCosts = isAdministrator(caller);
    const view = { showsAddress: showsCosts || settings.general.exposeApiBase, showsCosts };
    return answerJson({ data: found.map((deployment) => describeDeployment(deployment, view)) });
  },
};
