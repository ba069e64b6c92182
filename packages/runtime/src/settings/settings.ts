import type { AdmissionRule } from "@tollgate/domain/credit/admission.ts";
import type { NanoUsd } from "@tollgate/domain/money.ts";
import type { OptionalPrices } from "@tollgate/domain/pricing/billing-units.ts";
import type { PriceTier } from "@tollgate/domain/pricing/price-call.ts";
import type { PriceRule } from "@tollgate/domain/pricing/rate-card.ts";
import type { Secret } from "@tollgate/domain/secret.ts";
import type { ShownSection } from "./describe-settings.ts";
import type { PlatformSettings } from "./platform-settings.ts";
import type { unknownParamsChoices } from "./schema/gateway-section.ts";
import type { GuardrailCheck } from "./schema/guardrail-options.ts";
import type { disconnectPolicies, modelModes } from "./schema/model-list.ts";
import type { preCallChecks, routingStrategies } from "./schema/router-section.ts";

/** All settings, validated and with defaults. Immutable: a reload creates a new object. */
export interface Settings {
  readonly deployments: readonly DeploymentSettings[];
  readonly gateway: GatewaySettings;
  readonly router: RouterSettings;
  readonly general: GeneralSettings;
  readonly billing: BillingSettings;
  readonly prices: PriceSettings;
  readonly platform: PlatformSettings;
  readonly guardrails: readonly GuardrailSettings[];
  readonly assistants: AssistantsSettings;
  /** Variables set in the files. They take precedence over the process environment, which is never modified. */
  readonly environment: Readonly<Record<string, Secret>>;
  /** All settings as shown to administrators, each with its location. */
  readonly shown: readonly ShownSection[];
}

export interface DeploymentSettings {
  readonly modelName: string;
  readonly params: DeploymentParams;
  readonly info: DeploymentInfo;
  readonly source: { readonly file: string; readonly line: number };
}

export interface DeploymentParams {
  /** `<provider>/<upstream model>` as written; the provider is optional. */
  readonly model: string;
  /** The provider; null for a wildcard whose provider depends on the client's model name. */
  readonly provider: string | null;
  /** The model without its provider. */
  readonly upstreamModel: string;
  readonly apiBase: string | null;
  readonly apiKey: Secret | null;
  readonly apiVersion: string | null;
  /** Additional provider options under their names in the file: `aws_region_name`, `vertex_project`, … */
  readonly providerOptions: Readonly<Record<string, string | Secret>>;
  readonly rpm: number | null;
  readonly tpm: number | null;
  readonly weight: number | null;
  readonly order: number | null;
  readonly timeoutSeconds: number | null;
  readonly streamTimeoutSeconds: number | null;
  readonly maxParallelRequests: number | null;
  readonly tags: readonly string[];
  readonly dropParams: boolean | null;
  readonly allowedOpenaiParams: readonly string[];
  readonly additionalDropParams: readonly string[];
  /** Request fields and headers that callers may send in addition to the provider's list. */
  readonly allowedParams: readonly string[];
  readonly allowedHeaders: readonly string[];
  /** Null to use the gateway's setting. */
  readonly unknownParams: UnknownParams | null;
  readonly cooldownSeconds: number | null;
  readonly numRetries: number | null;
  readonly region: string | null;
  /** Null to use the catalog's value for the model. */
  readonly onDisconnect: (typeof disconnectPolicies)[number] | null;
  /** Prices of calls with a caller's own provider API key; null if callers can't send a key. A missing price is 0. */
  readonly ownKeyPrices: OptionalPrices | null;
  readonly prices: DeploymentPrices;
  /** True if these prices are what the provider charges, even if the catalog has others. */
  readonly pricesAreCosts: boolean;
  /** Prices that apply under conditions. */
  readonly priceRules: readonly PriceRule[];
  /** Parameters as written, without secrets, for display. */
  readonly shown: Readonly<Record<string, unknown>>;
}

export interface DeploymentInfo {
  readonly id: string | null;
  readonly baseModel: string | null;
  readonly mode: (typeof modelModes)[number] | null;
  readonly accessGroups: readonly string[];
  readonly maxInputTokens: number | null;
  readonly maxOutputTokens: number | null;
  readonly teamId: string | null;
  readonly teamPublicModelName: string | null;
  readonly healthCheckModel: string | null;
  readonly healthCheckTimeoutSeconds: number | null;
  readonly shown: Readonly<Record<string, unknown>>;
}

/** Pico-USD per unit, as set by the operator. */
export interface DeploymentPrices extends OptionalPrices {
  /** Prices for long prompts. */
  readonly tier: PriceTier;
}

/** Handling of request fields that are not on the list of a deployment's provider. */
export type UnknownParams = (typeof unknownParamsChoices)[number];

export interface GatewaySettings {
  readonly dropParams: boolean;
  readonly requestTimeoutSeconds: number;
  /** Default for deployments without their own value. Never `forward` with billing on. */
  readonly unknownParams: UnknownParams;
  readonly errorCodeStyle: "semantic" | "status";
  readonly cache: CacheSettings;
  readonly enableJsonSchemaValidation: boolean;
  readonly includeCostInStreamingUsage: boolean;
  readonly disableTokenCounter: boolean;
  readonly emulateN: boolean;
  readonly allowMock: boolean;
  readonly maxBudgetNanoUsd: bigint | null;
  /** Budget period, for example `30d`; null for a budget that never resets. */
  readonly budgetDuration: string | null;
  readonly costMargin: Readonly<Record<string, CostAdjustment>>;
  readonly costDiscount: Readonly<Record<string, CostAdjustment>>;
}

export interface CostAdjustment {
  /** Fraction of the price, in millionths. */
  readonly shareMillionths: bigint;
  readonly fixedNanoUsd: bigint;
}

export interface CacheSettings {
  readonly enabled: boolean;
  readonly type: "memory" | "redis";
  readonly ttlSeconds: number;
  readonly namespace: string | null;
  readonly mode: "default_on" | "default_off";
  readonly supportedCallTypes: readonly ("completion" | "embedding" | "transcription" | "rerank")[];
  readonly scope: "team" | "key" | "global";
  readonly redisUrl: Secret | null;
}

export type RoutingStrategy = Exclude<(typeof routingStrategies)[number], "usage-based-routing">;

export interface StrategySettings {
  readonly ttlSeconds: number;
  readonly lowestLatencyBuffer: number;
  readonly maxLatencyListSize: number;
}

interface RoutingGroupSettings {
  readonly name: string;
  readonly models: readonly string[];
  readonly routingStrategy: RoutingStrategy;
  readonly strategy: StrategySettings;
}

/** A number per error type; null applies the general rule. */
export interface ErrorPolicy {
  readonly badRequest: number | null;
  readonly authentication: number | null;
  readonly timeout: number | null;
  readonly rateLimit: number | null;
  readonly contentPolicyViolation: number | null;
  readonly internalServer: number | null;
}

export type FallbackLists = Readonly<Record<string, readonly string[]>>;

export interface RouterSettings {
  readonly routingStrategy: RoutingStrategy;
  readonly strategy: StrategySettings;
  readonly routingGroups: readonly RoutingGroupSettings[];
  readonly modelGroupAlias: Readonly<Record<string, { readonly model: string; readonly hidden: boolean }>>;
  readonly fallbacks: FallbackLists;
  readonly contextWindowFallbacks: FallbackLists;
  readonly contentPolicyFallbacks: FallbackLists;
  readonly defaultFallbacks: readonly string[];
  readonly maxFallbacks: number;
  readonly midStreamFallback: boolean;
  readonly numRetries: number;
  readonly maxNumRetriesPerRequest: number;
  readonly maxUpstreamCalls: number;
  readonly retryAfterSeconds: number;
  readonly retryPolicy: ErrorPolicy;
  readonly modelGroupRetryPolicy: Readonly<Record<string, ErrorPolicy>>;
  readonly timeoutSeconds: number | null;
  readonly streamTimeoutSeconds: number | null;
  readonly totalTimeoutSeconds: number;
  readonly allowedFails: number | null;
  readonly allowedFailsPolicy: ErrorPolicy;
  readonly cooldownSeconds: number;
  readonly disableCooldowns: boolean;
  readonly enablePreCallChecks: boolean;
  readonly optionalPreCallChecks: readonly (typeof preCallChecks)[number][];
  /** How long a session stays on its deployment after its last call; 0 if sessions are not pinned. */
  readonly deploymentAffinitySeconds: number;
  readonly enableTagFiltering: boolean;
  readonly tagFilteringMatchAny: boolean;
  readonly enableHealthCheckRouting: boolean;
  readonly redisUrl: Secret | null;
}

interface ListenerSettings {
  readonly host: string | null;
  readonly port: number;
  readonly keyHeaders: readonly string[];
}

/** OpenTelemetry export settings. */
export interface TelemetrySettings {
  /** URL without a trailing slash. The path of each signal is appended. */
  readonly endpoint: string;
  readonly headers: Readonly<Record<string, Secret>>;
  /** Sampling ratio for calls whose caller makes no tracing decision. */
  readonly sampleRatio: number;
  readonly serviceName: string;
  /** True if attributes are also sent under their former names. */
  readonly sendsFormerNames: boolean;
}

export interface GeneralSettings {
  readonly masterKey: Secret | null;
  readonly databaseUrl: Secret | null;
  /** Header names in lowercase, in order of precedence. */
  readonly keyHeaders: readonly string[];
  readonly listeners: readonly ListenerSettings[];
  /** Common prefix of all paths, for example `/gateway`; empty if paths start at the root. */
  readonly serverRootPath: string;
  readonly allowedHosts: readonly string[];
  readonly trustedProxies: readonly string[];
  /** IP addresses of a platform that runs in a separate process, in addition to this host. */
  readonly internalAddresses: readonly string[];
  readonly storeModelInDb: boolean;
  readonly maxRequestSizeMb: number;
  readonly maxFileSizeMb: number;
  readonly completionModel: string | null;
  readonly moderationModel: string | null;
  readonly disableAdminUi: boolean;
  readonly enablePublicModelHub: boolean;
  readonly exposeApiBase: boolean;
  readonly exposeUpstreamHeaders: boolean;
  readonly hideInaccessibleModels: boolean;
  readonly allowModelIdCalls: boolean;
  /** Maximum number of concurrent requests per process. */
  readonly globalMaxParallelRequests: number | null;
  readonly maxConnectionsPerAddress: number;
  /** HTTP parser for plain requests to inference routes. */
  readonly httpParser: "own" | "node";
  /** HTTP client for requests to upstreams. */
  readonly upstreamHttpClient: "own" | "undici";
  /** Default limit for keys without one. */
  readonly maxParallelRequests: number | null;
  readonly rateLimitWindowSeconds: number;
  readonly tokenRateLimitType: "total" | "input" | "output";
  readonly rejectClientsideMetadataTags: boolean;
  /** Null if not set. The default is off in a service and on in development. */
  readonly storePromptsInSpendLogs: boolean | null;
  readonly backgroundHealthChecks: boolean;
  readonly healthCheckIntervalSeconds: number;
  readonly healthCheckTimeoutSeconds: number;
  readonly requireAuthForMetrics: boolean;
  readonly metricsLabels: readonly ("key" | "user" | "end_user")[];
  /** Null if telemetry is off. */
  readonly telemetry: TelemetrySettings | null;
  readonly alerting: readonly "webhook"[];
}

export interface BillingSettings {
  readonly provider: "fake" | "stripe" | "off";
  readonly admission: AdmissionRule;
  readonly maxHoldNanoUsd: NanoUsd;
  readonly outputStep: number;
  readonly capOutput: boolean;
  readonly holdFactor: number;
  readonly exposeBalance: boolean;
  readonly failOpen: boolean;
}

/** How prices of the catalog are used. */
export interface PriceSettings {
  /** What applies while sources disagree: the higher price, or none. */
  readonly disputed: "higher" | "refuse";
  /** Maximum age of the catalog's prices in days. */
  readonly maxAgeDays: number;
  /** Public key that verifies editions; null for the built-in key. */
  readonly publicKey: string | null;
}

export type GuardrailMode = "pre_call" | "during_call" | "post_call" | "logging_only";

/** A guardrail: what it detects, and when it runs. */
export type GuardrailSettings = GuardrailCheck & {
  readonly name: string;
  readonly modes: readonly GuardrailMode[];
  readonly defaultOn: boolean;
  readonly onError: "block" | "allow";
};

export interface AssistantsSettings {
  readonly mode: "native" | "passthrough";
  /** Upstream for passthrough mode, as written, with secrets wrapped. */
  readonly upstream: Readonly<Record<string, unknown>> | null;
  /** Maximum number of concurrent runs per worker process. */
  readonly slots: number;
  /** Share of an organization in the slots relative to others, by organization ID. Others have 1. */
  readonly organizationWeights: Readonly<Record<string, number>>;
  /** Maximum number of queued runs of a key, and of an organization. */
  readonly queuedRunsPerKey: number;
  readonly queuedRunsPerOrganization: number;
  /** Maximum number of open streams of run events of a key, and of an organization, in each gateway process. */
  readonly listenersPerKey: number;
  readonly listenersPerOrganization: number;
  /** Maximum stored size of a key, of an organization, and of an organization without credit if billing is enabled. */
  readonly storedMbPerKey: number;
  readonly storedMbPerOrganization: number;
  readonly storedMbWithoutCredit: number;
  /** Retention period for inactive threads; null to keep them forever. */
  readonly retentionDays: number | null;
}
