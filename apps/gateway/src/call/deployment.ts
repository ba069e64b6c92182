import type { Capabilities } from "@tollgate/catalog/capabilities.ts";
import type { ModelCapabilities } from "@tollgate/catalog/model-capabilities.ts";
import type { PriceAdjustment } from "@tollgate/domain/pricing/adjust-price.ts";
import type { OptionalPrices } from "@tollgate/domain/pricing/billing-units.ts";
import type { Price } from "@tollgate/domain/pricing/price-call.ts";
import type { PriceSet } from "@tollgate/domain/pricing/price-terms.ts";
import type { PriceVersion } from "@tollgate/domain/pricing/price-version.ts";
import type { PriceRule } from "@tollgate/domain/pricing/rate-card.ts";
import type { GroupMember } from "@tollgate/domain/routing/resolve-model.ts";
import type { RouteTarget } from "@tollgate/domain/routing/route-types.ts";
import type { Secret } from "@tollgate/domain/secret.ts";
import type { UnknownParams } from "@tollgate/runtime/settings/settings.ts";
import type { OperationName } from "./operation-traits.ts";
import type { PreparedTarget, Provider, Translation, Transport, UpstreamTarget } from "./provider.ts";
import type { FieldRules } from "./request-fields.ts";

/** How the prices of a deployment are made. */
export interface Selling {
  /** Metadata with the prices before adjustments. */
  readonly base: ModelFacts;
  /** True if the settings define the base prices, and false if they are the catalog's. */
  readonly ownsPrices: boolean;
  /** True if the settings' prices are what the provider charges. */
  readonly pricesAreCosts: boolean;
  /** Margins and discounts, in the order in which they apply. */
  readonly adjustments: readonly PriceAdjustment[];
}

/** Model metadata. Configured metadata takes precedence over the catalog. */
export interface ModelFacts extends Capabilities, PriceSet {
  readonly mode: string | null;
  readonly maxInputTokens: number | null;
  readonly maxOutputTokens: number | null;
  /** Set if the catalog's price is disputed and an operator has to confirm it first. */
  readonly isPriceRefused?: true;
  /** Fees for models whose other prices are in the catalog, on a deployment for many models. */
  readonly fees?: ConfiguredFees;
  /** True if the model may bill output that its response doesn't contain; null if unknown. */
  readonly billsHiddenTokens: boolean | null;
  /** Maximum tokens of an input image of any size. */
  readonly maxImageTokens: number;
  /** What the model reads, writes, and is known to lack. */
  readonly capabilities: ModelCapabilities;
  /** Supported parameters as configured; null if they follow from the provider and the catalog. */
  readonly configuredParams: readonly string[] | null;
}

/** Prices and conditions that are configured without a price for tokens. */
export interface ConfiguredFees {
  readonly prices: OptionalPrices;
  readonly rules: readonly PriceRule[];
}

/** An operation that a deployment offers. */
export interface OfferedOperation {
  readonly translation: Translation;
  readonly supportedParams: ReadonlySet<string>;
  /** Parameters of the operation that the model doesn't support. They are dropped or rejected. */
  readonly unsupportedParams: ReadonlySet<string>;
  /** Features that the content of a request may need and that the model lacks, as bits. */
  readonly missingFeatures: number;
  /** Fields that are sent unchanged, whatever their value. Calls that have only these are not checked further. */
  readonly plainFields: ReadonlySet<string>;
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

/** How a deployment serves calls with a caller's own provider API key. */
export interface OwnKeyTerms {
  /** The price of such calls. The provider bills the tokens to the caller's own account. */
  readonly price: Price;
  readonly priceVersionId: string;
  /** Version of the operator's cost, which is 0; null if the price is 0 too. */
  readonly cost: PriceVersion | null;
  readonly transport: Transport;
  readonly state: RouteTarget["state"];
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
  /** Terms for calls with a caller's own key; null if the deployment takes no such keys. */
  readonly ownKey: OwnKeyTerms | null;
  /** True if the deployment has no key of its own, so that every call needs the caller's. */
  readonly needsOwnKey: boolean;
  /** True for the copy of a deployment that serves one call with the caller's own key. */
  readonly usesOwnKey: boolean;
  /** Null if no price is configured, which doesn't mean that the model is free. */
  readonly price: Price | null;
  /** Version ID of the price in the ledger; null if unpriced. */
  readonly priceVersionId: string | null;
  /** Version of the provider's price; null or absent if calls are sold at it. */
  readonly cost?: PriceVersion | null;
  readonly facts: ModelFacts;
  /** The provider's prices; null or absent if calls are sold at them. */
  readonly providerPrices?: PriceSet | null;
  /** How the prices are made, for models that match a pattern and for models that respond instead of another. */
  readonly selling?: Selling;
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
export interface Priced extends Pick<Deployment, "price" | "priceVersionId" | "cost"> {
  /** The model that the price belongs to. Defaults to the deployment's model. A deployment is itself a `Priced`. */
  readonly pricedModel?: string;
  /** What the provider serves at this price; null or absent if the price has no condition. */
  readonly condition?: string | null;
  /** Other prices that the same call can be charged, depending on what the provider serves. */
  readonly alternatives?: readonly Priced[];
}
