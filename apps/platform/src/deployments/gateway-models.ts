import type { Capabilities } from "@tollgate/catalog/capabilities.ts";
import type { ModelCapabilities } from "@tollgate/catalog/model-capabilities.ts";
import type { FallbackType } from "@tollgate/contracts/models/list-models-query.ts";
import type { TargetRule } from "@tollgate/domain/network/outbound-target.ts";
import type { Price } from "@tollgate/domain/pricing/price-call.ts";
import type { GroupRules, RouteGroup, RouteTarget } from "@tollgate/domain/routing/route-types.ts";
import type { DeploymentSettings, RouterSettings, Settings } from "@tollgate/runtime/settings/settings.ts";
import type { ProviderKind } from "../catalog/model-source.ts";
import type { StoredModel } from "./deployment-source.ts";

/** What the platform asks a gateway's code about the models that it would serve. No call is made. */
export interface GatewayModels {
  /** Builds the model list of a gateway with these settings and these stored models. */
  buildList(settings: Settings, entries: readonly DeploymentSettings[]): GatewayModelList;
  /**
   * Lists the models that a caller without a team can call, including wildcards and excluding hidden names. Omits
   * stored models that a gateway couldn't serve.
   */
  listPublic(settings: Settings, entries: readonly DeploymentSettings[]): readonly GatewayListing[];
  /** Finds a model for a caller without a team and without restrictions. Throws a `Failure` if it doesn't exist. */
  find(list: GatewayModelList, settings: Settings, name: string): RouteGroup<GatewayDeployment>;
  /** Returns a stored model's settings, without its credential. Throws if the model can't be served. */
  toSettings(model: StoredModel, rule: TargetRule): DeploymentSettings;
  /** Reports whether the settings define this name. If so, they take precedence over the database. */
  isNamedIn(settings: Settings, name: string): boolean;
  deploymentIdOf(entry: DeploymentSettings): string;
  /** Returns the displayed provider name, which the settings may override. */
  providerNameOf(deployment: GatewayDeployment): string;
  /**
   * Returns the parameters that a deployment is known to support. `captures` is null unless the model matches a wildcard.
   */
  supportedParamsOf(
    deployment: GatewayDeployment,
    captures: readonly string[] | null,
    asked: string,
  ): readonly string[];
  /** Returns the base URL without credentials and query; null if there is none. */
  addressOf(deployment: GatewayDeployment): string | null;
  /** Returns the catalog's names that match a wildcard deployment. */
  expandPattern(deployment: GatewayDeployment): readonly string[];
  /** Returns the metadata of a model that matches a wildcard deployment. */
  factsUnderPattern(deployment: GatewayDeployment, captures: readonly string[], asked: string): GatewayModelFacts;
  /** Returns the catalog's metadata for the first known name. */
  factsOfModel(names: readonly string[]): GatewayModelFacts;
  findFallbacks(router: RouterSettings, type: FallbackType, model: string): readonly string[];
  /** Returns the parameters of the operation that models of this mode serve. */
  paramsOfMode(mode: string | null): ReadonlySet<string>;
  /** Returns the provider kinds that stored models can use. */
  providerKinds(): readonly ProviderKind[];
  /** Reports whether a provider needs no credential, because the gateway simulates it. */
  isSimulated(provider: string): boolean;
}

/** The model list that a gateway would build. */
export interface GatewayModelList {
  readonly groups: { readonly byId: ReadonlyMap<string, GatewayDeployment> };
  readonly deployments: readonly GatewayDeployment[];
  /** Group names in configuration order, including wildcards. */
  readonly groupNames: readonly string[];
  readonly rulesOf: (name: string, configuredName: string) => GroupRules;
}

/** A deployment in that list. It can't be called. */
export interface GatewayDeployment extends RouteTarget {
  readonly groupName: string;
  /** `<provider>/<model>`. */
  readonly model: string;
  readonly upstreamModel: string;
  readonly price: Price | null;
  /** Metadata with the price before margins. */
  readonly selling?: { readonly base: GatewayModelFacts };
  readonly facts: GatewayModelFacts;
  readonly isFromDatabase: boolean;
  readonly accessGroups: readonly string[];
  readonly shownInfo: Readonly<Record<string, unknown>>;
}

/** Model metadata. Configured metadata takes precedence over the catalog. */
export interface GatewayModelFacts extends Capabilities {
  readonly mode: string | null;
  readonly maxInputTokens: number | null;
  readonly maxOutputTokens: number | null;
  readonly price: Price | null;
  readonly capabilities: ModelCapabilities;
}

/** A name in the public list, with the deployments that serve it. */
export interface GatewayListing {
  readonly id: string;
  readonly kind: "group" | "pattern" | "alias" | "hidden_alias" | "expansion";
  /** Name of the group that serves the model, or the requested model name if it matched a wildcard. */
  readonly groupName: string;
  readonly deployments: readonly GatewayDeployment[];
  /** Text matched by the wildcard's stars; null for an exact group. */
  readonly captures: readonly string[] | null;
}
