import { loadCatalog } from "@tollgate/catalog/catalog.ts";
import type { FallbackType } from "@tollgate/contracts/models/list-models-query.ts";
import type { ServedModel } from "@tollgate/db/catalog/served-models.ts";
import type { TargetRule } from "@tollgate/domain/network/outbound-target.ts";
import { RouteStates } from "@tollgate/domain/routing/route-states.ts";
import type { DeploymentSettings, RouterSettings, Settings } from "@tollgate/runtime/settings/settings.ts";
import type { ChosenModel } from "../call/chosen-model.ts";
import type { Deployment } from "../call/deployment.ts";
import { buildModelList, deploymentIdOf, isNamedIn, type ModelList } from "../models/build-model-list.ts";
import { addressOf } from "../models/describe-deployment.ts";
import { providerNameOf } from "../models/describe-model.ts";
import { supportedParamsMatching } from "../models/describe-model-group.ts";
import { expandPattern } from "../models/expand-pattern.ts";
import { soldFactsUnderPattern } from "../models/facts-under-pattern.ts";
import { findFallbacks } from "../models/find-fallbacks.ts";
import { findModel, type ModelPolicy, type NamedCaller } from "../models/find-model.ts";
import { type ListedModel, listVisibleModels } from "../models/list-visible-models.ts";
import { factsOfModel } from "../models/model-facts.ts";
import { ModelLookup } from "../models/model-lookup.ts";
import { Transports } from "../models/transports.ts";
import { operationKinds } from "../operations/operation-kinds.ts";
import { operationOfMode } from "../operations/operation-of-mode.ts";
import { providers } from "../providers/registry.ts";
import { toStoredDeployment } from "./stored-deployment.ts";

const NO_PARAMS: ReadonlySet<string> = new Set();
/** A caller without a team and without restrictions. */
const anyone: NamedCaller = {
  keyAliases: {},
  teamAliases: {},
  teamId: null,
  models: { key: [], team: [], user: [], organization: [] },
};

/** Answers what a gateway would serve with given settings, for processes that run no gateway. */
export const servedModels = {
  buildList: (settings: Settings, entries: readonly DeploymentSettings[]): ModelList =>
    buildModelList(settings, providers, loadCatalog(), new Transports(neverSends), new RouteStates(), {
      entries,
      onUnusable: () => {},
    }),
  listPublic: (settings: Settings, entries: readonly DeploymentSettings[]): readonly ListedModel[] => {
    const list = servedModels.buildList(settings, entries);
    const models = new ModelLookup(list, policyOf({ allowModelIdCalls: false, hideInaccessibleModels: true }));
    const view = {
      models,
      lists: { key: [], team: [], user: [], organization: [] },
      scope: { keyAliases: {}, teamAliases: {}, teamId: null, allowModelIdCalls: false },
      seesEveryTeam: false,
    };
    return listVisibleModels(view, loadCatalog()).filter(({ kind }) => kind !== "hidden_alias");
  },
  find: (list: ModelList, { general }: Settings, name: string): ChosenModel =>
    findModel(list, anyone, name, policyOf(general)),
  toSettings: (model: Omit<ServedModel, "sealedApiKey">, rule: TargetRule): DeploymentSettings =>
    toStoredDeployment({ ...model, sealedApiKey: null }, null, rule),
  isNamedIn,
  deploymentIdOf,
  providerNameOf,
  supportedParamsOf: (deployment: Deployment, captures: readonly string[] | null, asked: string) =>
    supportedParamsMatching(deployment, captures, asked, loadCatalog()),
  addressOf,
  expandPattern: (deployment: Deployment) => expandPattern(deployment, loadCatalog()),
  factsUnderPattern: (deployment: Deployment, captures: readonly string[], asked: string) =>
    soldFactsUnderPattern(deployment, captures, asked, loadCatalog()).facts,
  factsOfModel: (names: readonly string[]) => factsOfModel(names, loadCatalog()),
  findFallbacks: (router: RouterSettings, type: FallbackType, model: string) => findFallbacks(router, type, model),
  paramsOfMode: (mode: string | null): ReadonlySet<string> =>
    operationKinds[operationOfMode(mode)]?.fields.params ?? NO_PARAMS,
  providerKinds: () =>
    [...providers.values()]
      .filter(({ isOnlyForFiles }) => isOnlyForFiles !== true)
      .map(({ name, defaultApiBase, localTransport }) => ({
        name,
        needsBaseUrl: defaultApiBase === null && localTransport === undefined,
      })),
  isSimulated: (provider: string): boolean => providers.get(provider)?.localTransport !== undefined,
};

function policyOf({
  allowModelIdCalls,
  hideInaccessibleModels,
}: Pick<Settings["general"], "allowModelIdCalls" | "hideInaccessibleModels">): ModelPolicy {
  const catalog = loadCatalog();
  return {
    allowModelIdCalls,
    hideInaccessibleModels,
    inferProvider: (bareName) => catalog.inferProvider(bareName) ?? null,
    catalog,
  };
}

/** Replaces the connection to the provider, because listing models makes no calls. */
const neverSends = () => ({
  send: (): never => {
    throw new Error("listing models does not send requests");
  },
  close: async () => {},
});
