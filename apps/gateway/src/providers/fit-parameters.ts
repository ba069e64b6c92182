import { Failure, type FailureFacts } from "@tollgate/contracts/failures.ts";
import type { Call } from "../call/call.ts";
import type { Deployment, OfferedOperation } from "../call/deployment.ts";
import type { FieldRule, FieldRules, ToolEntry } from "../call/request-fields.ts";
import { requestedMaxOutput } from "../operations/estimate-input.ts";
import { COUNTED, FREE, tracingHeaders } from "./compile-fields.ts";

/** Returns the deployment's offer for the operation. Throws if the deployment doesn't offer it. */
export function offeredBy(call: Call, deployment: Deployment): OfferedOperation {
  const offered = deployment.offers[call.operation];
  if (offered !== undefined) return offered;
  throw new Failure("invalid_request", `Model '${call.model.shownName}' does not support this operation.`, {
    param: "model",
    fix: "Choose a model that supports it. GET /model_group/info lists what each model supports.",
  });
}

/**
 * Values that clients send for unused parameters. The values have no effect, so unsupported parameters with these
 * values are dropped.
 */
const neutralValues: Readonly<Record<string, unknown>> = {
  n: 1,
  logprobs: false,
  frequency_penalty: 0,
  presence_penalty: 0,
  parallel_tool_calls: true,
  store: false,
  echo: false,
  best_of: 1,
};

/**
 * Returns the fields to drop for this deployment. A known parameter that the model doesn't support is sent if it was
 * explicitly allowed, dropped if dropping was requested, and rejected otherwise.
 */
export function fitParameters(call: Call, deployment: Deployment, offered: OfferedOperation): ReadonlySet<string> {
  const { members, request } = call.body;
  const dropped = checkFields(call, deployment, offered);
  if (offered.takesEveryParam) return dropped;
  let unsupported: string[] | null = null;
  for (const { name } of members) {
    if (!call.kind.fields.params.has(name) || offered.supportedParams.has(name)) continue;
    if ((request as Record<string, unknown>)[name] == null) continue;
    if (deployment.allowedParams.includes(name) || request.allowed_openai_params?.includes(name)) continue;
    const asksNothing = Object.is(neutralValues[name], (request as Record<string, unknown>)[name]);
    if (!asksNothing && !(request.drop_params ?? deployment.dropsParams)) {
      throw new Failure(
        "unsupported_parameter",
        `Model '${call.model.shownName}' does not support '${name}'. Remove it, or send drop_params: true.`,
        { param: name },
      );
    }
    unsupported ??= [];
    unsupported.push(name);
  }
  if (unsupported === null && deployment.additionalDropParams.length === 0) return dropped;
  return new Set([...dropped, ...(unsupported ?? []), ...deployment.additionalDropParams]);
}

type Rules = Pick<OfferedOperation, "fieldRules" | "extraRules">;
type Fields = Readonly<Record<string, unknown>>;

/** Members that providers use to limit a model's reasoning. */
const budgetNames = ["budget_tokens", "token_budget", "max_tokens", "thinking_budget"] as const;

/**
 * Checks the fields and headers of a call against the lists for the deployment's provider, and returns the fields to
 * drop. A caller must not be able to cause provider costs that the gateway doesn't charge for, so unlisted fields are
 * rejected, or dropped if the operator configured that. Deployments that forward all fields are not checked.
 */
function checkFields(call: Call, deployment: Deployment, offered: Rules): ReadonlySet<string> {
  const { request, dropped, extraHeaders } = call.body;
  if (deployment.unknownParams === "forward") return dropped;
  const { fieldRules } = offered;
  let unknown: string[] | null = null;
  for (const name in request) {
    const rule = fieldRules.get(name);
    if (rule === FREE || rule === COUNTED || dropped.has(name)) continue;
    const value = (request as Fields)[name];
    // Null counts as absent, because clients send it for every unused field that they support.
    if (rule !== undefined && value === null) continue;
    if (rule !== undefined || deployment.allowedFields.has(name)) {
      checkValue(call, deployment, rule ?? FREE, value, name);
      continue;
    }
    if (value !== null && deployment.unknownParams === "reject") throw unknownField(name, deployment);
    unknown ??= [];
    unknown.push(name);
  }
  if (request.extra_body != null) checkExtraBody(call, deployment, offered.extraRules, request.extra_body as Fields);
  if (extraHeaders.length > 0) checkHeaders(extraHeaders, deployment);
  return unknown === null ? dropped : new Set([...dropped, ...unknown]);
}

/** Checks `extra_body`. The caller sets its fields on purpose, so no field is dropped silently. */
function checkExtraBody(call: Call, deployment: Deployment, rules: FieldRules, extra: Fields): void {
  for (const [name, value] of Object.entries(extra))
    checkInside(call, deployment, rules.get(name), value, "extra_body", name);
}

function checkInside(
  call: Call,
  deployment: Deployment,
  rule: FieldRule | undefined,
  value: unknown,
  place: string,
  name: string,
): void {
  const param = `${place}.${name}`;
  if (rule === FREE || isAllowed(deployment, param)) return;
  if (rule === undefined) throw unknownField(param, deployment);
  if (rule === COUNTED) {
    throw new Failure("invalid_request", `'${shown(name)}' affects the cost and cannot be sent in ${place}.`, {
      param: shown(param),
      fix: "Send it at the top level of the body, using this operation's field names.",
    });
  }
  if (value !== null) checkValue(call, deployment, rule, value, param);
}

/** Reports whether the operator allows a field. The name applies at the top level and in `extra_body`. */
function isAllowed({ allowedFields }: Deployment, param: string): boolean {
  return allowedFields.size > 0 && allowedFields.has(param.replace(/^extra_body\./, ""));
}

/** Checks a field whose rule depends on its value. */
function checkValue(call: Call, deployment: Deployment, rule: FieldRule, value: unknown, param: string): void {
  if (isAllowed(deployment, param)) return;
  switch (rule.kind) {
    case "free":
    case "counted":
      return;
    case "budget":
      return checkBudget(call, deployment, value, param);
    case "tools":
      return checkTools(rule.isClientTool, value, param, deployment);
    case "only":
      if (!(Array.isArray(value) ? value : [value]).every((one) => rule.values.includes(one))) throw unpriced(param);
      return;
    case "inside":
      if (typeof value !== "object" || value === null || Array.isArray(value)) throw unpriced(param);
      for (const [name, member] of Object.entries(value)) {
        checkInside(call, deployment, rule.rules.get(name), member, param, name);
      }
      return;
    case "unpriced":
      // `false` turns the feature off, so it costs nothing.
      if (value !== false) throw unpriced(param);
  }
}

/**
 * Rejects a reasoning budget above the output limit. Some providers allow it, but the hold covers only the output
 * limit.
 */
function checkBudget(call: Call, deployment: Deployment, value: unknown, param: string): void {
  const limit = requestedMaxOutput(call, deployment) ?? call.outputLimit;
  if (limit === null) return;
  const budgets = typeof value === "object" ? budgetNames.map((name) => (value as Fields)[name]) : [value];
  if (budgets.every((budget) => typeof budget !== "number" || budget <= limit)) return;
  throw new Failure("invalid_request", `'${shown(param)}' is larger than the output limit of ${limit} tokens.`, {
    param: shown(param),
    fix: "Send a larger max_tokens or a smaller budget.",
  });
}

function checkTools(
  isClientTool: (tool: ToolEntry) => boolean,
  value: unknown,
  param: string,
  { allowedFields }: Deployment,
): void {
  const tools: readonly unknown[] = Array.isArray(value) ? value : [value];
  for (let index = 0; index < tools.length; index += 1) {
    const tool = tools[index];
    const isObject = typeof tool === "object" && tool !== null && !Array.isArray(tool);
    if (isObject && (isClientTool(tool as ToolEntry) || kindsOf(tool as ToolEntry).every(isAllowedTool))) continue;
    throw new Failure("unsupported_tool", "The provider runs and bills this tool, and no price is configured for it.", {
      param: shown(`${param}.${index}`),
      fix: "Send only client-side tools, or ask the operator to add it to the deployment's allowed_params.",
    });
  }

  function isAllowedTool(kind: string): boolean {
    return allowedFields.has(`tools.${kind}`);
  }
}

/** Returns the names of a tool, which are its type or, in Google's format, its members. */
function kindsOf(tool: ToolEntry): readonly string[] {
  const names = typeof tool.type === "string" ? [tool.type] : Object.keys(tool);
  return names.length === 0 ? [""] : names;
}

/** Checks headers, given as alternating names and values. */
function checkHeaders(headers: readonly string[], deployment: Deployment): void {
  for (let index = 0; index < headers.length; index += 2) {
    const name = (headers[index] as string).toLowerCase();
    if (deployment.allowedHeaders.has(name)) continue;
    const allows = tracingHeaders[name] ?? deployment.provider.requestHeaders?.[name];
    if (allows?.(headers[index + 1] as string, deployment) === true) continue;
    const what = allows === undefined ? `The header '${name}'` : `This value of the header '${name}'`;
    throw new Failure("unsupported_parameter", `${what} is not allowed in extra_headers.`, {
      param: `extra_headers.${name}`,
      fix: "Remove it, or ask the operator to add it to the deployment's allowed_headers.",
    });
  }
}

function unpriced(param: string): Failure {
  return unsupported(param, `'${shown(param)}' can change the provider's bill, and no price is configured for it.`);
}

function unknownField(param: string, { provider, unknownParams }: Deployment): Failure {
  const message = `'${shown(param)}' is not a known field for ${provider.name} (gw_settings.unknown_params: ${unknownParams}).`;
  return unsupported(param, message);
}

function unsupported(param: string, message: string): Failure {
  const facts: FailureFacts = {
    param: shown(param),
    fix: "Remove it, or ask the operator to add it to the deployment's allowed_params.",
  };
  return new Failure("unsupported_parameter", message, facts);
}

/** Decodes a field name, which is in bytes. */
function shown(name: string): string {
  return Buffer.from(name, "latin1").toString("utf8");
}
