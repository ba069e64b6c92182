import type { AdmissionRule } from "@tollgate/domain/credit/admission.ts";
import type { NanoUsd } from "@tollgate/domain/money.ts";
import type { Secret } from "@tollgate/domain/secret.ts";
import type { ShownSection } from "./describe-settings.ts";
import type { PlatformSettings } from "./platform-settings.ts";
import type { unknownParamsChoices } from "./schema/gateway-section.ts";
import type { GuardrailCheck } from "./schema/guardrail-options.ts";
import type { disconnectPolicies, modelModes } from "./schema/model-list.ts";
import type { preCallChecks, routingStrategies } from "./schema/router-section.ts";

/** Everything the settings files say, checked, with every default filled in. Immutable: a reload makes a new one. */
export interface Settings {
  readonly deployments: readonly DeploymentSettings[];
  readonly gateway: GatewaySettings;
  readonly router: RouterSettings;
  readonly general: GeneralSettings;
  readonly billing: BillingSettings;
  readonly platform: PlatformSettings;
  readonly guardrails: readonly GuardrailSettings[];
  readonly assistants: AssistantsSettings;
  /** The variables the files themselves set. They stand before the process's own, which is never written. */
  readonly environment: Readonly<Record<string, Secret>>;
  /** All of it as an administrator may look at it, with where each setting is written. */
  readonly shown: readonly ShownSection[];
}

export interface DeploymentSettings {
  readonly modelName: string;
  readonly params: DeploymentParams;
  readonly info: DeploymentInfo;
  readonly source: { readonly file: string; readonly line: number };
}

export interface DeploymentParams {
  /** `<provider>/<upstream model>` as written; the provider may be missing. */
  readonly model: string;
  /** Whom calls go to; null for a wildcard that leaves it to the name a client sends. */
  readonly provider: string | null;
  /** The model without its provider. */
  readonly upstreamModel: string;
  readonly apiBase: string | null;
  readonly apiKey: Secret | null;
  readonly apiVersion: string | null;
  /** What some providers need besides, under the names of the file: `aws_region_name`, `vertex_project`, … */
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
  /** Request fields and headers that callers may send besides those on the provider's list. */
  readonly allowedParams: readonly string[];
  readonly allowedHeaders: readonly string[];
  /** Null leaves it to the gateway's settings. */
  readonly unknownParams: UnknownParams | null;
  readonly cooldownSeconds: number | null;
  readonly numRetries: number | null;
  readonly region: string | null;
  /** Null leaves it to what the catalog knows of the model. */
  readonly onDisconnect: (typeof disconnectPolicies)[number] | null;
  readonly configurableClientsideAuthParams: readonly string[];
  readonly prices: DeploymentPrices;
  /** The parameters as written, without secrets: what may be shown. */
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

/** Pico-USD per token. Null is unknown, never free. */
export interface TokenPrices {
  readonly input: bigint | null;
  readonly output: bigint | null;
  readonly cacheRead: bigint | null;
  readonly cacheWrite: bigint | null;
}

/** Pico-USD per unit, as the operator set them. */
export interface DeploymentPrices extends TokenPrices {
  readonly reasoning: bigint | null;
  readonly audioInput: bigint | null;
  readonly audioOutput: bigint | null;
  /** Prices of calls whose prompt has more tokens than that. */
  readonly tier: TokenPrices & { readonly aboveInputTokens: number };
  readonly inputPerCharacter: bigint | null;
  readonly inputPerSecond: bigint | null;
  readonly outputPerSecond: bigint | null;
  readonly outputPerImage: bigint | null;
  readonly inputPerQuery: bigint | null;
  readonly inputPerPixel: bigint | null;
}

/** What becomes of request fields that are not on the list of a deployment's provider. */
export type UnknownParams = (typeof unknownParamsChoices)[number];

export interface GatewaySettings {
  readonly dropParams: boolean;
  readonly requestTimeoutSeconds: number;
  /** For deployments that do not say it themselves. Never `forward` with billing on. */
  readonly unknownParams: UnknownParams;
  readonly errorCodeStyle: "semantic" | "status";
  readonly cache: CacheSettings;
  readonly enableJsonSchemaValidation: boolean;
  readonly includeCostInStreamingUsage: boolean;
  readonly disableTokenCounter: boolean;
  readonly emulateN: boolean;
  readonly allowMock: boolean;
  readonly maxBudgetNanoUsd: bigint | null;
  /** Such as `30d`; null for a budget that never starts anew. */
  readonly budgetDuration: string | null;
  readonly costMargin: Readonly<Record<string, CostAdjustment>>;
  readonly costDiscount: Readonly<Record<string, CostAdjustment>>;
}

export interface CostAdjustment {
  /** Of the price, in millionths. */
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

export interface RoutingGroupSettings {
  readonly name: string;
  readonly models: readonly string[];
  readonly routingStrategy: RoutingStrategy;
  readonly strategy: StrategySettings;
}

/** A number for each kind of error; null leaves the general rule. */
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
  readonly enableTagFiltering: boolean;
  readonly tagFilteringMatchAny: boolean;
  readonly enableHealthCheckRouting: boolean;
  readonly redisUrl: Secret | null;
}

export interface ListenerSettings {
  readonly host: string | null;
  readonly port: number;
  readonly keyHeaders: readonly string[];
}

/** What an OpenTelemetry collector is sent. */
export interface TelemetrySettings {
  /** Without a slash at its end; the path of each signal follows it. */
  readonly endpoint: string;
  readonly headers: Readonly<Record<string, Secret>>;
  /** Of calls whose caller does not say whether they are traced. */
  readonly sampleRatio: number;
  readonly serviceName: string;
  /** Whether attributes are sent under the names they had before too. */
  readonly sendsFormerNames: boolean;
}

export interface GeneralSettings {
  readonly masterKey: Secret | null;
  readonly databaseUrl: Secret | null;
  /** Lower case, in order of precedence. */
  readonly keyHeaders: readonly string[];
  readonly listeners: readonly ListenerSettings[];
  /** Such as `/gateway`; empty when addresses begin at the root. */
  readonly serverRootPath: string;
  readonly allowedHosts: readonly string[];
  readonly trustedProxies: readonly string[];
  /** Where a platform in a process of its own calls from, besides this computer. */
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
  /** In each process. */
  readonly globalMaxParallelRequests: number | null;
  readonly maxConnectionsPerAddress: number;
  /** Of a key without a limit of its own. */
  readonly maxParallelRequests: number | null;
  readonly rateLimitWindowSeconds: number;
  readonly tokenRateLimitType: "total" | "input" | "output";
  readonly rejectClientsideMetadataTags: boolean;
  /** Null when the file does not say: off in a service, on in development. */
  readonly storePromptsInSpendLogs: boolean | null;
  readonly backgroundHealthChecks: boolean;
  readonly healthCheckIntervalSeconds: number;
  readonly healthCheckTimeoutSeconds: number;
  readonly requireAuthForMetrics: boolean;
  readonly metricsLabels: readonly ("key" | "user" | "end_user")[];
  /** Null when nothing is sent to a collector. */
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

export type GuardrailMode = "pre_call" | "during_call" | "post_call" | "logging_only";

/** When a guardrail runs, and what it looks for. */
export type GuardrailSettings = GuardrailCheck & {
  readonly name: string;
  readonly modes: readonly GuardrailMode[];
  readonly defaultOn: boolean;
  readonly onError: "block" | "allow";
};

export interface AssistantsSettings {
  readonly mode: "native" | "passthrough";
  /** The upstream of passthrough, as written; secrets are wrapped. */
  readonly upstream: Readonly<Record<string, unknown>> | null;
  /** Runs under way at once in one worker process. */
  readonly slots: number;
  /** Of threads in which nothing happens; null keeps them. */
  readonly retentionDays: number | null;
}
