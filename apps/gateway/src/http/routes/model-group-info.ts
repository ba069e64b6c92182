import { informationFailures } from "@tollgate/contracts/information-failures.ts";
import { ModelGroupInfoQuery, ModelGroupInfoResponse } from "@tollgate/contracts/models/model-group-info.ts";
import { versionedPaths } from "@tollgate/contracts/operations.ts";
import { describeModelGroup } from "../../models/describe-model-group.ts";
import type { VisibleModel } from "../../models/find-visible-model.ts";
import { findVisibleModel } from "../../models/find-visible-model.ts";
import { listVisibleModels } from "../../models/list-visible-models.ts";
import { type ModelView, visibleTo } from "../../models/model-view.ts";
import type { ApiContext } from "../api-context.ts";
import { answerJson, type KeyedOperation } from "../api-operation.ts";

/** Describes the groups that a caller can use, combining the limits, prices, and capabilities of their deployments. */
export const modelGroupInfo: KeyedOperation<ModelGroupInfoQuery> = {
  id: "getModelGroupInfo",
  summary: "Get model group information",
  tag: "models",
  method: "GET",
  paths: versionedPaths("/model_group/info"),
  auth: "key",
  routeGroup: "information",
  billing: "free",
  bodyLimitBytes: 0,
  timeoutMs: 10_000,
  query: ModelGroupInfoQuery,
  answers: {
    200: { description: "One entry per model group. Empty for an unknown group.", schema: ModelGroupInfoResponse },
    ...informationFailures,
  },

  handle({ caller, query }, context) {
    const { settings, models } = context.current();
    const found = findGroups(visibleTo(models, caller), query.model_group ?? null, context);
    const isHubPublic = settings.general.enablePublicModelHub;
    return answerJson({ data: found.map((model) => describeModelGroup(model, context.catalog, isHubPublic)) });
  },
};

function findGroups(view: ModelView, asked: string | null, { catalog }: ApiContext): readonly VisibleModel[] {
  if (asked === null) {
    return listVisibleModels(view, catalog).filter(({ kind }) => kind === "group" || kind === "expansion");
  }
  const model = findVisibleModel(view, asked);
  return model === null ? [] : [model];
}
