import { ErrorResponse } from "@tollgate/contracts/error-bodies.ts";
import { Failure } from "@tollgate/contracts/failures.ts";
import { informationFailures } from "@tollgate/contracts/information-failures.ts";
import { ListModelsQuery } from "@tollgate/contracts/models/list-models-query.ts";
import { type ModelEntry, ModelList } from "@tollgate/contracts/models/model-entry.ts";
import { versionedPaths } from "@tollgate/contracts/operations.ts";
import { type Caller, isAdministrator } from "../../call/caller.ts";
import { describeAccessGroup, describeModel } from "../../models/describe-model.ts";
import { findFallbacks } from "../../models/find-fallbacks.ts";
import { type ListedModel, listAccessGroups, listVisibleModels } from "../../models/list-visible-models.ts";
import { callableBy, type ModelView, viewOfEverything, viewOfTeam } from "../../models/model-view.ts";
import type { ApiContext } from "../api-context.ts";
import { answerJson, type KeyedInput, type KeyedOperation } from "../api-operation.ts";

/** Lists the models that a caller or a team can name. */
export const listModels: KeyedOperation<ListModelsQuery> = {
  id: "listModels",
  summary: "List models",
  tag: "models",
  method: "GET",
  paths: versionedPaths("/models"),
  auth: "key",
  routeGroup: "information",
  billing: "free",
  bodyLimitBytes: 0,
  timeoutMs: 10_000,
  query: ListModelsQuery,
  answers: {
    200: { description: "The models in configuration order, followed by wildcard models by name.", schema: ModelList },
    404: { description: "The team does not exist.", schema: ErrorResponse },
    ...informationFailures,
  },

  async handle(input, context) {
    const { query } = input;
    const view = await chooseView(input, context);
    const models = query.only_model_access_groups === true ? [] : listedIn(view, query, context);
    const withGroups = query.only_model_access_groups === true || query.include_model_access_groups === true;
    const groups = withGroups ? listAccessGroups(view) : [];
    // Access groups come after configured models and before models that only the catalog lists.
    const data: ModelEntry[] = [
      ...models.filter(({ kind }) => kind !== "expansion").map((model) => describe(model, query, context)),
      ...groups.map((name) => withMetadata(describeAccessGroup(name), query, [])),
      ...models.filter(({ kind }) => kind === "expansion").map((model) => describe(model, query, context)),
    ];
    return answerJson({ object: "list", data } satisfies ModelList);
  },
};

async function chooseView({ caller, query }: KeyedInput<ListModelsQuery>, context: ApiContext): Promise<ModelView> {
  const { models } = context.current();
  if (query.scope === "expand" && (await canExpand(caller, context))) return viewOfEverything(models, caller);
  const teamId = query.team_id ?? null;
  if (teamId === null) return callableBy(models, caller);
  if (teamId === caller.teamId) return viewOfTeam(models, caller, { id: teamId, models: caller.models.team });
  const team = await context.findTeam(teamId);
  if (team === null) throw new Failure("not_found", "This team does not exist.", { param: "team_id" });
  if (!isAdministrator(caller) && !(await context.isKeyOfTeamMember(caller.keyId, teamId))) {
    throw new Failure(
      "not_team_member",
      "The team is in another organization, or the creator of this key is neither its member nor an administrator.",
      { param: "team_id" },
    );
  }
  return viewOfTeam(models, caller, team);
}

/**
 * Reports whether the caller can list all models. Administrators can, and so can keys whose creator leads the
 * organization or a team. Returns false if the creator's roles can't be looked up.
 */
async function canExpand(caller: Caller, context: ApiContext): Promise<boolean> {
  return isAdministrator(caller) || context.isKeyOfLeader(caller.keyId).catch(() => false);
}

function listedIn(view: ModelView, query: ListModelsQuery, { catalog }: ApiContext): readonly ListedModel[] {
  const hasPatterns = query.return_wildcard_routes === true;
  return listVisibleModels(view, catalog).filter(
    ({ kind }) => kind !== "hidden_alias" && (kind !== "pattern" || hasPatterns),
  );
}

function describe(model: ListedModel, query: ListModelsQuery, context: ApiContext): ModelEntry {
  const { router } = context.current().settings;
  const fallbacks = findFallbacks(router, query.fallback_type ?? "general", model.groupName);
  return withMetadata(describeModel(model), query, fallbacks);
}

function withMetadata(entry: ModelEntry, query: ListModelsQuery, fallbacks: readonly string[]): ModelEntry {
  return query.include_metadata === true ? { ...entry, metadata: { fallbacks: [...fallbacks] } } : entry;
}
