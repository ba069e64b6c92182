import type { RateCard } from "@tollgate/domain/pricing/rate-card.ts";

/** One entry of a request's `tools`. */
export type ToolEntry = Readonly<Record<string, unknown>>;

/**
 * Fields that a provider's public reference lists for one operation, grouped by their effect on the provider's bill. A
 * field that isn't in any list is unknown, and `unknown_params` determines how the gateway handles it.
 */
export interface RequestFields {
  /** Fields that can't change the bill, except through tokens that the provider reports and the gateway charges. */
  readonly free?: readonly string[];
  /**
   * Fields that determine the bill. The gateway reads them to calculate the hold, so they must be at the top level of
   * the body.
   */
  readonly counted?: readonly string[];
  /** Thinking budgets, as a number or in an object. They must not exceed the output limit that the hold covers. */
  readonly budgets?: readonly string[];
  /**
   * Fields that change the bill in a way that the gateway has no price for. They are refused, unless the operator
   * allows them for a deployment.
   */
  readonly unpriced?: readonly string[];
  /** Fields that make the provider search the web. They are refused unless a search has a price. */
  readonly searches?: readonly string[];
  /** Fields that name a service tier. They are refused unless the tier has a price. */
  readonly tiers?: readonly string[];
  /** Fields that name the region that processes a request. They are refused unless the region has a price. */
  readonly regions?: readonly string[];
  /** Fields that make the provider run a tool, with its type. They are refused unless the tool has a price. */
  readonly runs?: Readonly<Record<string, string>>;
  /** Fields that are free with these values, or with lists of these values, and unpriced with any other value. */
  readonly only?: Readonly<Record<string, readonly unknown[]>>;
  /** Fields that are objects whose members are also checked. The gateway doesn't check the members of other objects. */
  readonly inside?: Readonly<Record<string, RequestFields>>;
  /** Reports whether the client runs a tool in `tools`. Providers charge for tools that they run themselves. */
  readonly isClientTool?: (tool: ToolEntry) => boolean;
  /** True if responses state how often the provider ran each tool. Otherwise, a price per use could not be charged. */
  readonly reportsToolUse?: boolean;
}

export type FieldRule =
  | { readonly kind: "free" | "counted" | "budget" | "unpriced" | "search" | "tier" | "region" }
  | { readonly kind: "run"; readonly tool: string; readonly reportsUse: boolean }
  | { readonly kind: "only"; readonly values: readonly unknown[] }
  | { readonly kind: "inside"; readonly rules: FieldRules }
  | { readonly kind: "tools"; readonly isClientTool: (tool: ToolEntry) => boolean; readonly reportsUse: boolean };

/** The rule for each listed field. */
export type FieldRules = ReadonlyMap<string, FieldRule>;

/** The properties of a deployment on which the cost of a header depends. */
export interface HeaderTarget {
  readonly price?: { readonly tier?: { readonly aboveInputTokens: number } | null } | null;
  readonly facts?: { readonly maxInputTokens?: number | null; readonly rateCard?: RateCard | null };
  /** True if the key is the caller's own, so that the provider bills the caller. */
  readonly usesOwnKey?: boolean;
}

/** Reports whether a header in `extra_headers` may be sent with this value. */
export type HeaderTest = (value: string, target: HeaderTarget) => boolean;
