import type { Capabilities } from "@tollgate/catalog/capabilities.ts";
import type { Price } from "@tollgate/domain/pricing/price-call.ts";
import type { GroupMember } from "@tollgate/domain/routing/resolve-model.ts";
import type { RouteTarget } from "@tollgate/domain/routing/route-types.ts";
import type { Secret } from "@tollgate/domain/secret.ts";
import type { UnknownParams } from "@tollgate/runtime/settings/settings.ts";
import type { OperationName } from "./operation-traits.ts";
import type { PreparedTarget, Provider, Translation, Transport, UpstreamTarget } from "./provider.ts";
import type { FieldRules } from "./request-fields.ts";

/** Model metadata. Configured metadata takes precedence over the catalog. */
export interface ModelFacts extends Capabilities {
  readonly mode: string | null;
  readonly maxInputTokens: number | null;
  readonly maxOutputTokens: number | null;
  readonly price: Price | null;
  /** Prices by quality and size, such as `high/1024x1024`, for models that bill images this way. */
  readonly imagePrices: ReadonlyMap<string, Price>;
  /** True if the model may bill output that its response doesn't contain; null if unknown. */
  readonly billsHiddenTokens: boolean | null;
  /** Maximum tokens of an input image of any size. */
  readonly maxImageTokens: number;
}

/** An operation that a deployment offers. */
export interface OfferedOperation {
  readonly translation: Translation;
  readonly supportedParams: ReadonlySet<string>;
  /** True if no parameter ever has to be dropped or rejected. Calls are then not checked. */
  readonly takesEveryParam: boolean;
  /** Effects of request fields on the provider's bill. */
  readonly fieldRules: FieldRules;
  /**
   * Effects of `extra_body` fields, which are merged into the upstream request. The upstream request may be for a
   * different operation than the client's.
   */
  readonly extraRules: FieldRules;
}

/**
 * `finish` reads the response to the end, so that its usage is known. `abort` cancels the upstream request.
 * `abort_streams` cancels only streams. The usage of a partial non-streamed response can't be counted, and the provider
 * may finish such a response anyway.
 */
export type DisconnectPolicy = "finish" | "abort" | "abort_streams";

/** One target of a group: an upstream model with a URL and a credential. */
export interface Deployment extends GroupMember, UpstreamTarget, RouteTarget {
  readonly id: string;
  /** The deployment ID, encoded for headers. */
  readonly headerId: string;
  readonly groupName: string;
  readonly provider: Provider;
  readonly transport: Transport;
  /** `<provider>/<model>`. A pattern's model contains stars, which are replaced for each call. */
  readonly model: string;
  readonly upstreamModel: string;
  /** The model name as JSON bytes, and the request headers. They are prebuilt, because every call sends them. */
  readonly prepared: PreparedTarget;
  readonly apiBase: string | null;
  readonly apiKey: Secret | null;
  readonly apiVersion: string | null;
  /** Null if no price is configured, which doesn't mean that the model is free. */
  readonly price: Price | null;
  /** Version ID of the price in the ledger; null if unpriced. */
  readonly priceVersionId: string | null;
  readonly facts: ModelFacts;
  readonly isFromDatabase: boolean;
  readonly accessGroups: readonly string[];
  readonly timeoutSeconds: number | null;
  readonly streamTimeoutSeconds: number | null;
  /** Handling of an upstream response after the client has disconnected. */
  readonly onDisconnect: DisconnectPolicy;
  /** True if unsupported parameters are dropped instead of rejected. */
  readonly dropsParams: boolean;
  /** Operations that this deployment offers. */
  readonly offers: Readonly<Partial<Record<OperationName, OfferedOperation>>>;
  readonly allowedParams: readonly string[];
  readonly additionalDropParams: readonly string[];
  /** Handling of fields and headers that are not on the provider's lists. */
  readonly unknownParams: UnknownParams;
  /** Additional fields that the operator allows. `tools.<type>` allows a tool type. */
  readonly allowedFields: ReadonlySet<string>;
  /** Additional headers that the operator allows, in lowercase. */
  readonly allowedHeaders: ReadonlySet<string>;
  /** The model that a pattern's health check calls. A pattern without such a model isn't checked. */
  readonly healthCheckModel: string | null;
  readonly healthCheckTimeoutSeconds: number | null;
  /** The parameters as configured, without secrets, for `/model/info`. */
  readonly shownParams: Readonly<Record<string, unknown>>;
  readonly shownInfo: Readonly<Record<string, unknown>>;
}

/**
 * A price and its version ID in the ledger. A null price means that no price is configured. It doesn't mean that the
 * model is free.
 */
export interface Priced extends Pick<Deployment, "price" | "priceVersionId"> {
  /** The model that the price belongs to. Defaults to the deployment's model. A deployment is itself a `Priced`. */
  readonly pricedModel?: string;
}
