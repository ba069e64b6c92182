import { ModelPage, ModelPageQuery } from "@tollgate/contracts/administration/model-management.ts";
import { informationFailures } from "@tollgate/contracts/information-failures.ts";
import { isAdministrator } from "../../call/caller.ts";
import { describeDeployment } from "../../models/describe-deployment.ts";
import { listVisibleModels } from "../../models/list-visible-models.ts";
import { displayNameOf, visibleTo } from "../../models/model-view.ts";
import { answerJson, type KeyedOperation } from "../api-operation.ts";

const DEFAULT_SIZE = 50;

/** Returns a page of the deployments behind the models that a caller can use. */
export const modelPage: KeyedOperation<ModelPageQuery> = {
  id: "listModelInfo",
  summary: "List deployments by page",
  tag: "models",
  method: "GET",
  paths: ["/v2/model/info"],
  auth: "key",
  routeGroup: "information",
  billing: "free",
  bodyLimitBytes: 0,
  timeoutMs: 10_000,
  query: ModelPageQuery,
  answers: {
    200: { description: "A page of deployments, without secrets.", schema: ModelPage },
    ...informationFailures,
  },

  handle({ caller, query }, context) {
    const { settings, models } = context.current();
    const { page = 1, size = DEFAULT_SIZE } = query;
    const visible = listVisibleModels(visibleTo(models, caller), context.catalog);
    const usable = new Set(visible.flatMap(({ deployments }) => deployments));
    const search = query.search?.toLowerCase() ?? "";
    const found = models.list.deployments.filter((deployment) => {
      const name = displayNameOf(deployment);
      return (
        usable.has(deployment) &&
        (query.modelId ?? deployment.id) === deployment.id &&
        (query.model ?? name) === name &&
        name.toLowerCase().includes(search)
      );
    });
    const showsCosts = isAdministrator(caller);
    const view = { showsAddress: showsCosts || settings.general.exposeApiBase, showsCosts };
    return answerJson({
      data: found.slice((page - 1) * size, page * size).map((deployment) => describeDeployment(deployment, view)),
      total_count: found.length,
      current_page: page,
      total_pages: Math.ceil(found.length / size),
      size,
    });
  },
};
