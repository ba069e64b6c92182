/** One entry of a request's `tools`. */
export type ToolEntry = Readonly<Record<string, unknown>>;

/**
 * The fields that a provider's public reference names for one operation, by what they do to the provider's bill. A field
 * that is in no list is unknown, and `unknown_params` decides what becomes of it.
 */
export interface RequestFields {
  /** Cannot change the bill, except through tokens that the provider reports and the gateway charges. */
  readonly free?: readonly string[];
  /** Decide the bill. The gateway reads and holds for them, so they must be at the top level of the body. */
  readonly counted?: readonly string[];
  /** Tokens to think with, as a number or in an object. May not exceed the output limit that is held. */
  readonly budgets?: readonly string[];
  /** Change the bill in a way that has no price here. Refused, unless the operator allows them for a deployment. */
  readonly unpriced?: readonly string[];
  /** Free with these values, or lists of them, and unpriced with any other. */
  readonly only?: Readonly<Record<string, readonly unknown[]>>;
  /** Objects whose members are checked too. The gateway looks into no other object. */
  readonly inside?: Readonly<Record<string, RequestFields>>;
  /** Whether the client runs a tool of `tools`. A provider charges for the tools that it runs itself. */
  readonly isClientTool?: (tool: ToolEntry) => boolean;
}

export type FieldRule =
  | { readonly kind: "free" | "counted" | "budget" | "unpriced" }
  | { readonly kind: "only"; readonly values: readonly unknown[] }
  | { readonly kind: "inside"; readonly rules: FieldRules }
  | { readonly kind: "tools"; readonly isClientTool: (tool: ToolEntry) => boolean };

/** The rule of each listed field. */
export type FieldRules = ReadonlyMap<string, FieldRule>;

/** Calls compare with these two, because nearly every field of a call has one of them. */
export const FREE: FieldRule = { kind: "free" };
export const COUNTED: FieldRule = { kind: "counted" };
const BUDGET: FieldRule = { kind: "budget" };
const UNPRICED: FieldRule = { kind: "unpriced" };

/** Several lists as one table. A later list wins, and a tool may be one that any of them knows. */
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
 * Fields of any provider that make it search, route to other models, or run something. They are refused by this name
 * wherever they are sent, because a server that passes requests on may pass them on too.
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

/** Whether a value of `extra_headers` may be sent under a name. */
export type HeaderTest = (value: string, target: { readonly price?: { readonly tier?: unknown } | null }) => boolean;

/** Every value may. */
export const anyValue: HeaderTest = () => true;

/** Headers that identify a call in logs and traces and do nothing else, for every provider. */
export const tracingHeaders: Readonly<Record<string, HeaderTest>> = {
  "x-request-id": anyValue,
  "x-client-request-id": anyValue,
  traceparent: anyValue,
  tracestate: anyValue,
};
