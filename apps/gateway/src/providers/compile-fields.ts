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
  /** Fields that are free with these values, or with lists of these values, and unpriced with any other value. */
  readonly only?: Readonly<Record<string, readonly unknown[]>>;
  /** Fields that are objects whose members are also checked. The gateway doesn't check the members of other objects. */
  readonly inside?: Readonly<Record<string, RequestFields>>;
  /** Reports whether the client runs a tool in `tools`. Providers charge for tools that they run themselves. */
  readonly isClientTool?: (tool: ToolEntry) => boolean;
}

export type FieldRule =
  | { readonly kind: "free" | "counted" | "budget" | "unpriced" }
  | { readonly kind: "only"; readonly values: readonly unknown[] }
  | { readonly kind: "inside"; readonly rules: FieldRules }
  | { readonly kind: "tools"; readonly isClientTool: (tool: ToolEntry) => boolean };

/** The rule for each listed field. */
export type FieldRules = ReadonlyMap<string, FieldRule>;

/**
 * The two rules that apply to nearly every field. They are shared constants, so that calls can compare rules by
 * identity.
 */
export const FREE: FieldRule = { kind: "free" };
export const COUNTED: FieldRule = { kind: "counted" };
const BUDGET: FieldRule = { kind: "budget" };
const UNPRICED: FieldRule = { kind: "unpriced" };

/**
 * Compiles several lists into one table. A later list takes precedence, and a tool is accepted if any list accepts it.
 */
export function compileFields(lists: readonly RequestFields[]): FieldRules {
  const rules = new Map<string, FieldRule>();
  for (const { free, counted, budgets, unpriced, only, inside } of lists) {
    for (const name of free ?? []) rules.set(name, FREE);
    for (const name of counted ?? []) rules.set(name, COUNTED);
    for (const name of budgets ?? []) rules.set(name, BUDGET);
    for (const name of unpriced ?? []) rules.set(name, UNPRICED);
    for (const [name, values] of Object.entries(only ?? {})) rules.set(name, { kind: "only", values });
    for (const [name, members] of Object.entries(inside ?? {})) {
      rules.set(name, { kind: "inside", rules: compileFields([members]) });
    }
  }
  const tests = lists.flatMap(({ isClientTool }) => isClientTool ?? []);
  const [only] = tests;
  if (only !== undefined) {
    const isClientTool = tests.length === 1 ? only : (tool: ToolEntry) => tests.some((test) => test(tool));
    rules.set("tools", { kind: "tools", isClientTool });
  }
  return rules;
}

/**
 * Fields that make at least one provider search, route to other models, or run tools. They are refused for every
 * provider, because a server that forwards requests may also forward these fields.
 */
export const unpricedEverywhere: RequestFields = {
  unpriced: [
    "web_search_options",
    "search_parameters",
    "search_options",
    "enable_search",
    "models",
    "route",
    "provider",
    "plugins",
    "transforms",
    "preset",
    "mcp_servers",
    "data_sources",
    "deferred",
  ],
};

/** Reports whether a header in `extra_headers` may be sent with this value. */
export type HeaderTest = (value: string, target: { readonly price?: { readonly tier?: unknown } | null }) => boolean;

/** Accepts every value. */
export const anyValue: HeaderTest = () => true;

/** Headers that only identify a call in logs and traces. They are allowed for every provider. */
export const tracingHeaders: Readonly<Record<string, HeaderTest>> = {
  "x-request-id": anyValue,
  "x-client-request-id": anyValue,
  traceparent: anyValue,
  tracestate: anyValue,
};
