import { Failure, type FailureFacts } from "@tollgate/contracts/failures.ts";
import { serviceTiersOf } from "@tollgate/domain/pricing/rate-card.ts";
import type { Call } from "../call/call.ts";
import type { Deployment, OfferedOperation } from "../call/deployment.ts";
import type { FieldRule, FieldRules, ToolEntry } from "../call/request-fields.ts";
import { requestedMaxOutput } from "../operations/estimate-input.ts";
import { type NamedTier, namedTiers } from "../operations/requested-facts.ts";
import { kindsOf } from "../operations/requested-tools.ts";
import { COUNTED, FREE, tracingHeaders } from "./compile-fields.ts";
import { priceOfTool, unitOfTool } from "./provider-tools.ts";

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
const neutralValues: Readonly<Record<string, readonly unknown[]>> = {
  n: [1],
  logprobs: [false],
  frequency_penalty: [0],
  presence_penalty: [0],
  parallel_tool_calls: [true],
  service_tier: ["auto", "default"],
  echo: [false],
  best_of: [1],
};

/**
 * Parameters that don't change the response: they identify the end user, label the request in the provider's account,
 * or are hints for the provider's cache. A provider that has no such parameter doesn't receive it.
 */
const harmlessParams: ReadonlySet<string> = new Set([
  "user",
  "safety_identifier",
  "store",
  "prompt_cache_key",
  "prompt_cache_retention",
]);

/** Reports whether a parameter can be dropped without changing the response. */
export function isHarmless(name: string, value: unknown): boolean {
  return harmlessParams.has(name) || neutralValues[name]?.includes(value) === true;
}

/** Reports whether a parameter is sent even to a model that isn't known to support it. */
export function isAllowedParam(name: string, { body }: Call, { allowedParams }: Deployment): boolean {
  return allowedParams.includes(name) || body.request.allowed_openai_params?.includes(name) === true;
}

/**
 * Returns the fields to drop for this deployment. A known parameter that the model doesn't support is sent if it was
 * explicitly allowed, dropped if it is harmless or dropping was requested, and rejected otherwise.
 */
export function fitParameters(call: Call, deployment: Deployment, offered: OfferedOperation): ReadonlySet<string> {
  if (isPlain(call, deployment, offered)) return call.body.dropped;
  const dropped = dropUnsupported(call, deployment, offered);
  checkServiceTiers(call.body.request, dropped, deployment);
  return dropped;
}

/** Reports whether a call has only fields that need no check, like most calls. */
function isPlain({ body }: Call, { additionalDropParams }: Deployment, { plainFields }: OfferedOperation): boolean {
  const { request, dropped, extraHeaders } = body;
  if (dropped.size > 0 || extraHeaders.length > 0 || additionalDropParams.length > 0) return false;
  // Iterates over the parser's names, because their hashes are already computed.
  for (const name in request) if (!plainFields.has(name)) return false;
  return true;
}

function dropUnsupported(call: Call, deployment: Deployment, offered: OfferedOperation): ReadonlySet<string> {
  const { members, request } = call.body;
  const dropped = checkFields(call, deployment, offered);
  if (offered.takesEveryParam) return dropped;
  let unsupported: string[] | null = null;
  for (const { name } of members) {
    if (!offered.unsupportedParams.has(name)) continue;
    const value = (request as Record<string, unknown>)[name];
    if (value == null || isAllowedParam(name, call, deployment)) continue;
    if (!isHarmless(name, value) && !(request.drop_params ?? deployment.dropsParams)) {
      throw new Failure(
        "unsupported_parameter",
        `Model '${call.model.shownName}' does not support '${name}'. Remove it, or send drop_params: true.`,
        { param: name },
      );
    }
    unsupported ??= [];
    unsupported.push(name);
    // Metadata is sent only with stored completions.
    if (name === "store") unsupported.push("metadata");
  }
  if (unsupported === null && deployment.additionalDropParams.length === 0) return dropped;
  return new Set([...dropped, ...(unsupported ?? []), ...deployment.additionalDropParams]);
}

/** The tier of a provider's batch API. A single request isn't served at it, so it must not be charged at its price. */
const BATCH = "batch";

/**
 * Refuses service tiers without a price. Tiers that cost the base price need none, and neither do calls with a caller's
 * own key, whose provider bills the caller.
 */
function checkServiceTiers(request: object, dropped: ReadonlySet<string>, deployment: Deployment): void {
  if (deployment.usesOwnKey) return;
  for (const named of namedTiers(request)) if (!dropped.has(named.field)) checkServiceTier(named, deployment);
}

function checkServiceTier({ field, tier }: NamedTier, deployment: Deployment): void {
  if (isAllowed(deployment, field)) return;
  const { rateCard } = deployment.facts;
  const priced = rateCard === null ? [] : serviceTiersOf(rateCard).filter((name) => name !== BATCH);
  if (priced.includes(tier)) return;
  if (field === "speed") {
    throw new Failure("unsupported_parameter", billMessage(field), {
      param: field,
      fix: "Remove it, or ask the operator to set price_rules for service_tier: fast on the deployment.",
    });
  }
  const names = ["auto", "default", ...priced].map((name) => `'${name}'`).join(", ");
  if (tier === BATCH) {
    throw new Failure("unsupported_parameter", "A single request is not served at the tier of a batch API.", {
      param: field,
      fix: `Send one of ${names}.`,
    });
  }
  throw new Failure("unsupported_parameter", "No price is configured for this service tier.", {
    param: field,
    fix: `Send one of ${names}, or ask the operator to set the tier's prices, such as input_cost_per_token_priority.`,
  });
}

type ToolsRule = Extract<FieldRule, { kind: "tools" }>;
type Rules = Pick<OfferedOperation, "fieldRules" | "extraRules" | "unsupportedParams">;
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
    const isDropped = value === null || isLeftOut(name, value, offered.unsupportedParams);
    if (!isDropped && deployment.unknownParams === "reject") throw unknownField(name, deployment);
    unknown ??= [];
    unknown.push(name);
  }
  if (request.extra_body != null) checkExtraBody(call, deployment, offered.extraRules, request.extra_body as Fields);
  if (extraHeaders.length > 0) checkHeaders(extraHeaders, deployment);
  return unknown === null ? dropped : new Set([...dropped, ...unknown]);
}

/** Reports whether a field is not sent to this model, because it would have no effect on the response. */
function isLeftOut(name: string, value: unknown, unsupportedParams: ReadonlySet<string>): boolean {
  // Metadata is sent only with stored completions.
  if (name === "metadata") return unsupportedParams.has("store");
  return unsupportedParams.has(name) && isHarmless(name, value);
}

/** Checks `extra_body`. The caller sets its fields on purpose, so no field is dropped silently. */
function checkExtraBody(call: Call, deployment: Deployment, rules: FieldRules, extra: Fields): void {
  for (const [name, value] of Object.entries(extra))
    checkInside(call, deployment, rules.get(name), value, "extra_body", name);
}

/** Kinds of fields that the hold depends on. */
const heldKinds: ReadonlySet<string> = new Set(["search", "tier", "region", "run"]);

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
  // The hold covers only what the request itself asks for.
  if (rule === COUNTED || heldKinds.has(rule.kind)) {
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
      return checkTools(rule, value, param, deployment);
    case "search":
      return checkSearch(value, param, deployment);
    case "tier":
      // The price of the tier itself is checked with `service_tier`.
      if (value !== "standard" && value !== "fast") throw unpriced(param);
      return;
    case "region":
      return checkRegion(value, param, deployment);
    case "run":
      return checkPrice(rule.tool, param, deployment, rule.reportsUse);
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

/** Rejects tools that the provider runs and bills, unless they have a price and their use is known. */
function checkTools(
  { isClientTool, reportsUse }: ToolsRule,
  value: unknown,
  param: string,
  deployment: Deployment,
): void {
  const { allowedFields } = deployment;
  const tools: readonly unknown[] = Array.isArray(value) ? value : [value];
  for (let index = 0; index < tools.length; index += 1) {
    const tool = tools[index];
    const isObject = typeof tool === "object" && tool !== null && !Array.isArray(tool);
    const place = `${param}.${index}`;
    if (!isObject) throw unknownTool(place);
    if (isClientTool(tool as ToolEntry) || namesOf(tool as ToolEntry).every(isAllowedTool)) continue;
    for (const kind of kindsOf(tool as ToolEntry)) checkPrice(kind, place, deployment, reportsUse);
    if (deployment.usesOwnKey) continue;
    checkStores(tool as ToolEntry, place);
    checkContainer(tool as ToolEntry, place);
  }

  function isAllowedTool(name: string): boolean {
    return allowedFields.has(`tools.${name}`);
  }
}

/** Tools that search in stores of the provider's account, which the request names by their IDs. */
const storeTools: ReadonlySet<string> = new Set(["file_search", "collections_search"]);

/**
 * Refuses a search in files of the operator's own account at the provider, because the gateway doesn't know which
 * callers may read them.
 */
function checkStores(tool: ToolEntry, place: string): void {
  if (!kindsOf(tool).some((kind) => storeTools.has(kind))) return;
  throw new Failure("unsupported_tool", "This tool searches in files of the operator's account at the provider.", {
    param: shown(place),
    fix: `Ask the operator to add ${namesOf(tool)
      .map((name) => `tools.${shown(name)}`)
      .join(" and ")} to the deployment's allowed_params, if all callers may read all of its files.`,
  });
}

/** The memory of a container that a price per session is for. Providers bill larger containers at higher rates. */
const PRICED_MEMORY = "1g";

/**
 * Refuses containers that cost more than their price, and whatever is in the operator's own account at the provider:
 * files, and containers of earlier requests, which can belong to other callers and have any size. A large container
 * can't be sold at a multiple of the price either, because later requests of the same conversation run in it without
 * naming it.
 */
function checkContainer({ container }: ToolEntry, place: string): void {
  if (typeof container === "string") {
    throw new Failure("invalid_request", "Container IDs are not supported.", {
      param: `${place}.container`,
      fix: "Send a container of the type 'auto'.",
    });
  }
  if (typeof container !== "object" || container === null) return;
  const { memory_limit: memory, file_ids: files } = container as Fields;
  if (memory != null && memory !== PRICED_MEMORY) {
    const param = `${place}.container.memory_limit`;
    throw new Failure("unsupported_parameter", billMessage(param), {
      param,
      fix: "Send '1g', or ask the operator to add tools.code_interpreter to the deployment's allowed_params.",
    });
  }
  if (files == null || (Array.isArray(files) && files.length === 0)) return;
  throw new Failure("invalid_request", "File IDs are not supported.", {
    param: `${place}.container.file_ids`,
    fix: "Send the file itself in 'file_data' or 'image_url'.",
  });
}

/** The type of search that a price per search is for. Perplexity bills other types at more than twice the fee. */
const PRICED_SEARCH = "fast";

/** Refuses a field that makes the provider search, unless a search of this type has a price. */
function checkSearch(value: unknown, param: string, { provider, price, usesOwnKey }: Deployment): void {
  const type = (value as { readonly search_type?: unknown } | null)?.search_type;
  if (type != null && type !== PRICED_SEARCH && !usesOwnKey) throw unpriced(`${param}.search_type`);
  const known = priceOfTool(provider.name, "web_search", price);
  if (value === false || known.kind === "priced") return;
  const setting = known.kind === "unpriced" ? known.setting : "a price";
  throw new Failure("unsupported_parameter", billMessage(param), {
    param: shown(param),
    fix: `Remove it, or ask the operator to set ${setting} on the deployment.`,
  });
}

/** Refuses a region without a price. The global region has the base price, and callers' own keys need none. */
function checkRegion(value: unknown, param: string, { facts, usesOwnKey }: Deployment): void {
  if (usesOwnKey || value === "global") return;
  if (facts.rateCard?.rules.some(({ when }) => when.region === value) === true) return;
  throw new Failure("unsupported_parameter", billMessage(param), {
    param: shown(param),
    fix: "Remove it, or ask the operator to set price_rules for this region on the deployment.",
  });
}

/** Returns the names of a tool as written: its type or, in Google's format, its members. */
function namesOf(tool: ToolEntry): readonly string[] {
  const names = typeof tool.type === "string" ? [tool.type] : Object.keys(tool);
  return names.length === 0 ? [""] : names;
}

/** Refuses a tool that the provider runs, unless its price is known. The error names the setting for the price. */
function checkPrice(kind: string, param: string, deployment: Deployment, reportsUse: boolean): void {
  const { provider, price, usesOwnKey } = deployment;
  const known = priceOfTool(provider.name, kind, price);
  if (known.kind === "unknown") throw unknownTool(param);
  // The provider bills callers with their own key itself, and for some tools, it bills only tokens.
  if (!reportsUse && !usesOwnKey && unitOfTool(provider.name, kind) !== null) {
    throw new Failure(
      "unsupported_tool",
      "The provider bills this tool, but its responses don't report its use here.",
      {
        param: shown(param),
        fix: "Use the Responses API, or ask the operator to add the tool to the deployment's allowed_params.",
      },
    );
  }
  if (known.kind === "priced") return;
  throw new Failure("unsupported_tool", "The provider runs and bills this tool, and no price is configured for it.", {
    param: shown(param),
    fix: `Send only client-side tools, or ask the operator to set ${known.setting} on the deployment.`,
  });
}

function unknownTool(param: string): Failure {
  return new Failure("unsupported_tool", "The provider runs and bills this tool, and no price is configured for it.", {
    param: shown(param),
    fix: "Send only client-side tools, or ask the operator to add it to the deployment's allowed_params.",
  });
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
  return unsupported(param, billMessage(param));
}

function billMessage(param: string): string {
  return `'${shown(param)}' can change the provider's bill, and no price is configured for it.`;
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
