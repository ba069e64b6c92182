import type { ListedModel } from "../catalogue/model-source.ts";
import type { StoredModel } from "../deployments/deployment-source.ts";

/** What gateways of this installation serve, by their own rules: the settings files and these stored models. */
export interface HubSource {
  /** Whether anybody may look at the hub. */
  isPublic(): boolean;
  /** Every name that somebody of no team in particular can call. */
  list(stored: readonly StoredModel[]): readonly HubGroup[];
}

/** A group of deployments as the hub shows it. */
export interface HubGroup extends Omit<ListedModel, "provider"> {
  readonly providers: readonly string[];
  /** OpenAI parameters of its operation: those that every deployment takes, and the others. */
  readonly supportedParams: readonly string[];
  readonly unsupportedParams: readonly string[];
  /** Of all deployments together; null where one is not limited. */
  readonly rpm: number | null;
  readonly tpm: number | null;
  readonly fallbacks: readonly string[];
  /** Names under its stars; null when it has none. */
  readonly examples: readonly string[] | null;
  /** Every name that a list of permitted models may know it by. */
  readonly names: readonly string[];
  readonly accessGroups: readonly string[];
  /** The model of the database that it is; null for one of the settings files. */
  readonly storedId: string | null;
  /** Where it is configured, for administrators. */
  readonly source: string;
}
