import type { Deployment, ModelFacts, OfferedOperation } from "../call/deployment.ts";
import type { OperationName } from "../call/operation-traits.ts";
import type { Provider, TargetSettings, Translation } from "../call/provider.ts";
import type { FieldRules } from "../call/request-fields.ts";
import { bridgeCompletions } from "../operations/completions/bridge-completions.ts";
import { bridgeMessages } from "../operations/messages/bridge-messages.ts";
import { operationKinds } from "../operations/operation-kinds.ts";
import { operationOfMode } from "../operations/operation-of-mode.ts";
import { bridgeResponses } from "../operations/responses/bridge-responses.ts";
import { compileFields, isPlainField } from "../providers/compile-fields.ts";
import { missingFeatures, missingParams } from "./missing-params.ts";

/** The metadata on which the supported parameters of a model depend. */
type OfferedModel = Pick<ModelFacts, "mode" | "capabilities" | "configuredParams">;

/**
 * Parameters that a configured list doesn't exclude. Lists in LiteLLM's files often contain only what is special about
 * a model.
 */
const neverExcluded: ReadonlySet<string> = new Set([
  "stream",
  "stream_options",
  "max_tokens",
  "max_completion_tokens",
  "max_output_tokens",
]);

/**
 * Returns the operations that a deployment offers, based on the operations that its provider supports and on the
 * capabilities of its model. Everything that a call has to know is compiled here, once per model list.
 */
export function offeredOperations(
  provider: Provider,
  upstreamModel: string,
  model: OfferedModel,
  additionalDropParams: readonly string[],
  target: ResponsesTarget,
): Deployment["offers"] {
  const offers: Partial<Record<OperationName, OfferedOperation>> = {};
  for (const name of Object.keys(operationKinds) as OperationName[]) {
    const kind = operationKinds[name];
    const translation = translationOf(name, provider, model.mode, target);
    if (translation === undefined || kind === undefined) continue;
    const supportedParams = supportedBy(translation, upstreamModel, name, model);
    const unsupportedParams = new Set(
      [...kind.fields.params, ...missingParams(model.capabilities, name)].filter(
        (param) => !supportedParams.has(param),
      ),
    );
    const isNative = translation === provider.translations[name];
    const fieldRules = rulesOf(provider, name);
    offers[name] = {
      translation,
      supportedParams,
      unsupportedParams,
      missingFeatures: missingFeatures(model.capabilities),
      takesEveryParam: additionalDropParams.length === 0 && unsupportedParams.size === 0,
      plainFields: plainFieldsOf(fieldRules, unsupportedParams),
      fieldRules,
      extraRules: rulesOf(provider, isNative ? name : "chat.completions"),
    };
  }
  return offers;
}

/**
 * Returns the parameters that a model supports: the configured ones, or the ones of the provider's API that the catalog
 * doesn't know the model to lack.
 */
export function supportedBy(
  translation: Translation,
  upstreamModel: string,
  operation: OperationName,
  { mode, capabilities, configuredParams }: OfferedModel,
): ReadonlySet<string> {
  const taken = translation.supportedParams(upstreamModel);
  if (configuredParams !== null && operation === operationOfMode(mode)) {
    return new Set([...configuredParams, ...taken.filter((param) => neverExcluded.has(param))]);
  }
  const missing = missingParams(capabilities, operation);
  return new Set(missing.length === 0 ? taken : taken.filter((param) => !missing.includes(param)));
}

const rulesByProvider = new WeakMap<Provider, Map<OperationName, FieldRules>>();

/** Returns a provider's field rules. The rules are cached, because wildcards create deployments on demand. */
function rulesOf(provider: Provider, operation: OperationName): FieldRules {
  let rules = rulesByProvider.get(provider);
  if (rules === undefined) {
    rules = new Map();
    rulesByProvider.set(provider, rules);
  }
  let made = rules.get(operation);
  if (made === undefined) {
    made = compileFields(provider.requestFields(operation));
    rules.set(operation, made);
  }
  return made;
}

const plainFields = new WeakMap<FieldRules, Map<string, ReadonlySet<string>>>();

/** Returns the fields that need no check. The set is shared by all deployments that lack the same parameters. */
function plainFieldsOf(rules: FieldRules, unsupportedParams: ReadonlySet<string>): ReadonlySet<string> {
  const byLacking = plainFields.get(rules) ?? new Map<string, ReadonlySet<string>>();
  plainFields.set(rules, byLacking);
  const lacking = [...unsupportedParams].sort().join();
  const known = byLacking.get(lacking);
  if (known !== undefined) return known;
  const names = [...rules].filter(([name, rule]) => isPlainField(name, rule) && !unsupportedParams.has(name));
  const made = new Set(names.map(([name]) => name));
  byLacking.set(lacking, made);
  return made;
}

/** Returns the provider's own translation of an operation, or a bridge to chat if the provider has none. */
function translationOf(
  name: OperationName,
  provider: Provider,
  mode: string | null,
  target: ResponsesTarget,
): Translation | undefined {
  const { [name]: native, "chat.completions": chat } = provider.translations;
  if (name === "completions") return completionsOf(provider, mode);
  if (name === "responses") return responsesOf(provider, mode, target);
  if (native !== undefined || chat === undefined) return native;
  return name === "messages" ? bridgeMessages(chat) : undefined;
}

/**
 * Returns the translation of text completions: native for completion models or if every model supports completions,
 * otherwise through chat.
 */
function completionsOf({ translations, completesText }: Provider, mode: string | null): Translation | undefined {
  const { completions: native, "chat.completions": chat } = translations;
  if (native !== undefined && (completesText === true || mode === "completion")) return native;
  return chat === undefined ? undefined : bridgeCompletions(chat);
}

type ResponsesTarget = Pick<TargetSettings, "apiBase" | "apiVersion">;

/**
 * Returns the translation of Responses: native if the upstream or the model is known to support Responses, otherwise
 * through chat.
 */
function responsesOf(
  { translations, hasResponses }: Provider,
  mode: string | null,
  target: ResponsesTarget,
): Translation | undefined {
  const { responses: native, "chat.completions": chat } = translations;
  if (native !== undefined && (hasResponses?.(target) === true || mode === "responses")) return native;
  return chat === undefined ? undefined : bridgeResponses(chat);
}
