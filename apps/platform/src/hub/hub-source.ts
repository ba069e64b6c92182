import type { ListedModel } from "../catalog/model-source.ts";
import type { StoredModel } from "../deployments/deployment-source.ts";

/** Models that this installation's gateways serve, from the settings files and from the database. */
export interface HubSource {
  /** Reports whether the hub is public. */
  isPublic(): boolean;
  /** Lists the models that a caller without a team can call. */
  list(stored: readonly StoredModel[]): readonly HubGroup[];
}

/** A model group in the hub. */
export interface HubGroup extends Omit<ListedModel, "provider"> {
  readonly providers: readonly string[];
  /** OpenAI parameters that all deployments support; `unsupportedParams` lists the rest. */
  readonly supportedParams: readonly string[];
  readonly unsupportedParams: readonly string[];
  /** Sum of the limits of all deployments; null if any deployment has no limit. */
  readonly rpm: number | null;
  readonly tpm: number | null;
  readonly fallbacks: readonly string[];
  /** Example names that match the wildcard; null if the group isn't a wildcard. */
  readonly examples: readonly string[] | null;
  /** All names by which a model allowlist may refer to the group. */
  readonly names: readonly string[];
  readonly accessGroups: readonly string[];
  /** ID of the stored model; null if the model comes from the settings files. */
  readonly storedId: string | null;
  /** Location of the group's configuration, shown to administrators. */
  readonly source: string;
}
