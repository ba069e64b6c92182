import type { RetryBudget } from "./retry-budget.ts";
import type { TargetState } from "./target-state.ts";

/** What went wrong with an upstream call, as far as routing cares. */
export const failureClasses = [
  "bad_request",
  /** The upstream refused our credential: 401 or 403. */
  "authentication",
  "not_found",
  "timeout",
  "conflict",
  "rate_limit",
  "context_window",
  "content_policy",
  "unprocessable",
  "internal",
  "unavailable",
  /** Nothing arrived: no address, no connection, or a reset before an answer began. */
  "connection",
  /** Raised here, before the network: never retried, never counted, never a reason to try another group. */
  "local",
] as const;

export type FailureClass = (typeof failureClasses)[number];

/** How one upstream call failed. */
export interface RouteFailure {
  readonly class: FailureClass;
  /** What the upstream asked for, or null. */
  readonly retryAfterMs: number | null;
}

/** A deployment, as far as choosing goes. */
export interface RouteTarget {
  readonly id: string;
  readonly weight: number | null;
  readonly rpm: number | null;
  readonly tpm: number | null;
  readonly maxParallel: number | null;
  /** Lower is used first; null comes last. */
  readonly order: number | null;
  readonly tags: readonly string[];
  readonly region: string | null;
  readonly maxInputTokens: number | null;
  readonly cooldownMs: number | null;
  readonly numRetries: number | null;
  /** Pico-USD of an input and an output token together; null is unknown. */
  readonly priceSum: bigint | null;
  readonly supportsResponseSchema: boolean;
  /** The client's name fills a pattern, so a model the upstream does not know is the client's mistake. */
  readonly isNamedByClient: boolean;
  readonly state: TargetState;
}

/** The targets that serve one name. Made by `createRouteGroup` once per model list, never per call. */
export interface RouteGroup<T extends RouteTarget> {
  readonly name: string;
  readonly targets: readonly T[];
  readonly rules: GroupRules;
  readonly budget: RetryBudget;
  /** Nothing but health and strategy decides between its targets, so no list has to be made for a choice. */
  readonly isPlain: boolean;
  /** Of `simple-shuffle` over all targets; null for an even choice. */
  readonly weights: readonly number[] | null;
}

/** What one call asks of the router. Most ask nothing: `noWishes`. */
export interface RoutingOptions {
  /** Of the body, the header, the key and the team, together. */
  readonly tags: readonly string[];
  /** Where the call may be served; null is anywhere. */
  readonly regions: readonly string[] | null;
  /** 0 is unknown. */
  readonly inputTokens: number;
  readonly isStream: boolean;
  /** It sends a `response_format` with a schema that may not be dropped. */
  readonly wantsResponseSchema: boolean;
  readonly numRetries: number | null;
  /** Groups to try on any failure; the caller's right to each is checked by `findGroup`. */
  readonly fallbacks: readonly string[] | null;
  readonly contextWindowFallbacks: FallbackLists | null;
  readonly contentPolicyFallbacks: FallbackLists | null;
  readonly disableFallbacks: boolean;
}

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
};

/** Groups to try instead, by group. */
export type FallbackLists = Readonly<Record<string, readonly string[]>>;

export type Strategy =
  | "simple-shuffle"
  | "least-busy"
  | "latency-based-routing"
  | "usage-based-routing-v2"
  | "cost-based-routing";

/** A number for each class of failure; null leaves the general rule. */
export type ByClass = Readonly<Record<FailureClass, number | null>>;

/** The router's settings that are the same for every group. */
export interface RouterRules {
  readonly numRetries: number;
  readonly maxRetriesPerRequest: number;
  /** Never more than six, whatever the settings say. */
  readonly maxUpstreamCalls: number;
  readonly leastRetryWaitMs: number;
  readonly cooldownMs: number;
  readonly disableCooldowns: boolean;
  readonly allowedFails: number | null;
  readonly allowedFailsByClass: ByClass;
  readonly checksBeforeCall: boolean;
  /** Whether rpm and tpm of a target are limits, and not only weights. */
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

/** The router's settings as they hold for one group, so that a call looks nothing up by name. */
export interface GroupRules {
  readonly router: RouterRules;
  readonly strategy: Strategy;
  readonly latencyTtlMs: number;
  readonly latencyBuffer: number;
  readonly latencyCount: number;
  /** The retry policy of the group, completed by the general one. */
  readonly retriesByClass: ByClass;
}

export type RefusalReason = "no_targets" | "cooling" | "tags" | "region" | "context_window" | "pre_call" | "busy";

/** What to do after a failure. */
export type RouteStep<T extends RouteTarget> =
  | {
      readonly kind: "call";
      readonly group: RouteGroup<T>;
      readonly target: T;
      readonly waitMs: number;
      /** Another group than the one before. */
      readonly isFallback: boolean;
    }
  /** The last error is returned. */
  | { readonly kind: "stop" };
