import type { Deployment, OfferedOperation } from "../call/deployment.ts";
import type { OperationName } from "../call/operation-traits.ts";
import type { Provider, TargetSettings, Translation } from "../call/provider.ts";
import type { FieldRules } from "../call/request-fields.ts";
import { bridgeCompletions } from "../operations/completions/bridge-completions.ts";
import { bridgeMessages } from "../operations/messages/bridge-messages.ts";
import { operationKinds } from "../operations/operation-kinds.ts";
import { bridgeResponses } from "../operations/responses/bridge-responses.ts";
import { compileFields } from "../providers/compile-fields.ts";

/**
 * Returns the operations that a deployment offers, based on the operations that its provider supports. `mode` is the
 * model's main purpose.
 */
export function offeredOperations(
  provider: Provider,
  upstreamModel: string,
  mode: string | null,
  additionalDropParams: readonly string[],
  target: ResponsesTarget,
): Deployment["offers"] {
  const offers: Partial<Record<OperationName, OfferedOperation>> = {};
  for (const name of Object.keys(operationKinds) as OperationName[]) {
    const kind = operationKinds[name];
    const translation = translationOf(name, provider, mode, target);
    if (translation === undefined || kind === undefined) continue;
    const supportedParams = new Set(translation.supportedParams(upstreamModel));
    const takesEveryParam =
      additionalDropParams.length === 0 && [...kind.fields.params].every((param) => supportedParams.has(param));
    const isNative = translation === provider.translations[name];
    offers[name] = {
      translation,
      supportedParams,
      takesEveryParam,
      fieldRules: rulesOf(provider, name),
      extraRules: rulesOf(provider, isNative ? name : "chat.completions"),
    };
  }
  return offers;
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
