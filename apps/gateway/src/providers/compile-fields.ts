import type { FieldRule, FieldRules, HeaderTest, RequestFields, ToolEntry } from "../call/request-fields.ts";

/**
 * The two rules that apply to nearly every field. They are shared constants, so that calls can compare rules by
 * identity.
 */
export const FREE: FieldRule = { kind: "free" };
export const COUNTED: FieldRule = { kind: "counted" };

/** Fields that name a service tier. Whether a tier has a price depends on the deployment. */
const tierFields: ReadonlySet<string> = new Set(["service_tier", "speed"]);

/** Reports whether a field is sent whatever its value, unless the model lacks it. */
export function isPlainField(name: string, rule: FieldRule): boolean {
  return (rule === FREE || rule === COUNTED) && !tierFields.has(name);
}

/** Rules of the groups that are plain lists of names. A later group takes precedence. */
const simpleRules = [
  ["free", FREE],
  ["counted", COUNTED],
  ["budgets", { kind: "budget" }],
  ["unpriced", { kind: "unpriced" }],
  ["searches", { kind: "search" }],
  ["tiers", { kind: "tier" }],
  ["regions", { kind: "region" }],
] as const satisfies readonly (readonly [keyof RequestFields, FieldRule])[];

/**
 * Compiles several lists into one table. A later list takes precedence, and a tool is accepted if any list accepts it.
 */
export function compileFields(lists: readonly RequestFields[]): FieldRules {
  const rules = new Map<string, FieldRule>();
  for (const list of lists) {
    for (const [group, rule] of simpleRules) for (const name of list[group] ?? []) rules.set(name, rule);
    const { runs, only, inside, reportsToolUse: reportsUse = false } = list;
    for (const [name, tool] of Object.entries(runs ?? {})) rules.set(name, { kind: "run", tool, reportsUse });
    for (const [name, values] of Object.entries(only ?? {})) rules.set(name, { kind: "only", values });
    for (const [name, members] of Object.entries(inside ?? {})) {
      rules.set(name, { kind: "inside", rules: compileFields([members]) });
    }
  }
  const tests = lists.flatMap(({ isClientTool }) => isClientTool ?? []);
  const [only] = tests;
  if (only !== undefined) {
    const isClientTool = tests.length === 1 ? only : (tool: ToolEntry) => tests.some((test) => test(tool));
    const reportsUse = lists.some(({ reportsToolUse }) => reportsToolUse === true);
    rules.set("tools", { kind: "tools", isClientTool, reportsUse });
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
