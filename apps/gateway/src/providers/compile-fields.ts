import type { FieldRule, FieldRules, HeaderTest, RequestFields, ToolEntry } from "../call/request-fields.ts";

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

/** Accepts every value. */
export const anyValue: HeaderTest = () => true;

/** Headers that only identify a call in logs and traces. They are allowed for every provider. */
export const tracingHeaders: Readonly<Record<string, HeaderTest>> = {
  "x-request-id": anyValue,
  "x-client-request-id": anyValue,
  traceparent: anyValue,
  tracestate: anyValue,
};
