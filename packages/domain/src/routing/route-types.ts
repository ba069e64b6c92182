import type { FailureClass } from "./failure-class.ts";
import type { RetryBudget, TargetState } from "./target-state.ts";

/** A failed upstream call. */
export interface RouteFailure {
  readonly class: FailureClass;
  /** True if this target can't serve the request but another one might, such as a model without a requested feature. */
  readonly isUnfit?: boolean;
  /** The upstream's Retry-After, or null. */
  readonly retryAfterMs: number | null;
}

/** A deployment as a routing candidate. */
export interface RouteTarget {
  readonly id: string;
  readonly weight: number | null;
  readonly rpm: number | null;
  readonly tpm: number | null;
  readonly maxParallel: number | null;
  /** Targets with a lower level are used first; null comes last. */
  readonly order: number | null;
  readonly tags: readonly string[];
  readonly region: string | null;
  readonly maxInputTokens: number | null;
  readonly cooldownMs: number | null;
  readonly numRetries: number | null;
  /** Sum of the prices of an input and an output token, in pico-USD; null if unknown. */
  readonly priceSum: bigint | null;
  readonly supportsResponseSchema: boolean;
  /** True if the requested name matches a pattern, so that an unknown model is the client's mistake. */
  readonly isNamedByClient: boolean;
  readonly state: TargetState;
}

/** Targets that serve one name. Created by `createRouteGroup` once per model list, never per call. */
export interface RouteGroup<T extends RouteTarget> {
  readonly name: string;
  readonly targets: readonly T[];
  readonly rules: GroupRules;
  readonly budget: RetryBudget;
  /** True if only health and strategy decide between the targets, so that choosing allocates no list. */
  readonly isPlain: boolean;
  /** Weights for `simple-shuffle` over all targets; null for equal weights. */
  readonly weights: readonly number[] | null;
}

/** Routing options of one call. Most calls have no options and use `noRoutingOptions`. */
export interface RoutingOptions {
  /** Combined tags from the body, the header, the key, and the team. */
  readonly tags: readonly string[];
  /** Regions that may serve the call; null for any. */
  readonly regions: readonly string[] | null;
  /** Estimated input tokens; 0 if unknown. */
  readonly inputTokens: number;
  readonly isStream: boolean;
  /** True if `response_format` contains a schema and `drop_params` doesn't allow dropping it. */
  readonly wantsResponseSchema: boolean;
  readonly numRetries: number | null;
  /** Groups to try on any failure; `findGroup` checks the caller's access to each. */
  readonly fallbacks: readonly string[] | null;
  readonly contextWindowFallbacks: FallbackLists | null;
  readonly contentPolicyFallbacks: FallbackLists | null;
  readonly disableFallbacks: boolean;
  /** Ranks targets by how well they can serve the request; null if all targets can serve it equally well. */
  readonly rank: RankTarget | null;
}

/**
 * Returns 0 if a target supports all of a request, 1 if it may serve the request but another target is better suited,
 * and 2 if it can't serve the request.
 */
export type RankTarget = (target: RouteTarget) => 0 | 1 | 2;

export const noRoutingOptions: RoutingOptions = {
  tags: [],
  regions: null,
  inputTokens: 0,
  isStream: false,
  wantsResponseSchema: false,
  numRetries: null,
  fallbacks: null,
  contextWindowFallbacks: null,
  contentPolicyFallbacks: null,
  disableFallbacks: false,
  rank: null,
};

/** Fallback groups by group. */
export type FallbackLists = Readonly<Record<string, readonly string[]>>;

type Strategy =
  | "simple-shuffle"
  | "least-busy"
  | "latency-based-routing"
  | "usage-based-routing-v2"
  | "cost-based-routing";

/** A number for each failure class; null applies the general rule. */
export type ByClass = Readonly<Record<FailureClass, number | null>>;

/** Router settings common to all groups. */
export interface RouterRules {
  readonly numRetries: number;
  readonly maxRetriesPerRequest: number;
  /** Maximum number of upstream calls, at most six regardless of the settings. */
  readonly maxUpstreamCalls: number;
  readonly leastRetryWaitMs: number;
  readonly cooldownMs: number;
  readonly disableCooldowns: boolean;
  readonly allowedFails: number | null;
  readonly allowedFailsByClass: ByClass;
  readonly checksBeforeCall: boolean;
  /** True if a target's rpm and tpm are limits, not only weights. */
  readonly enforcesRateLimits: boolean;
  readonly filtersTags: boolean;
  readonly matchesAnyTag: boolean;
  readonly usesHealthChecks: boolean;
  readonly fallbacks: FallbackLists;
  readonly contextWindowFallbacks: FallbackLists;
  readonly contentPolicyFallbacks: FallbackLists;
  readonly defaultFallbacks: readonly string[];
  readonly maxFallbacks: number;
}

/** Effective router settings for one group, so that calls don't look up settings by name. */
export interface GroupRules {
  readonly router: RouterRules;
  readonly strategy: Strategy;
  readonly latencyTtlMs: number;
  readonly latencyBuffer: number;
  readonly latencyCount: number;
  /** The group's retry policy. The general policy supplies missing values. */
  readonly retriesByClass: ByClass;
}

export type RefusalReason =
  | "no_targets"
  | "cooling"
  | "tags"
  | "region"
  | "unsupported"
  | "context_window"
  | "pre_call"
  | "busy";

/** The next step after a failure. */
export type RouteStep<T extends RouteTarget> =
  | {
      readonly kind: "call";
      readonly group: RouteGroup<T>;
      readonly target: T;
      readonly waitMs: number;
      /** True if the group differs from the previous group. */
      readonly isFallback: boolean;
    }
  /** Stop, and return the last error to the caller. */
  | { readonly kind: "stop" };
