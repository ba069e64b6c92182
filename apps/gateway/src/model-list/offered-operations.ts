import { bridgeCompletions } from "../operations/completions/bridge-completions.ts";
import { bridgeMessages } from "../operations/messages/bridge-messages.ts";
import type { OperationName } from "../operations/operation-kind.ts";
import { operationKinds } from "../operations/operation-kinds.ts";
import { bridgeResponses } from "../operations/responses/bridge-responses.ts";
import type { Provider, TargetSettings, Translation } from "../providers/provider.ts";
import { compileFields, type FieldRules } from "../providers/request-fields.ts";
import type { Deployment, OfferedOperation } from "./deployment.ts";

/** What a deployment can be asked for: what its provider's dialect has words for. `mode` is what its model is mainly for. */
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

/** The rules of a provider's fields, made once: wildcards make deployments as calls name them. */
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

/** An operation in the words of the provider, or in those of chat where it has none of its own. */
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

/** Text completions: of models made for them, or where every model does; all others are asked as the chat models they are. */
function completionsOf({ translations, completesText }: Provider, mode: string | null): Translation | undefined {
  const { completions: native, "chat.completions": chat } = translations;
  if (native !== undefined && (completesText === true || mode === "completion")) return native;
  return chat === undefined ? undefined : bridgeCompletions(chat);
}

type ResponsesTarget = Pick<TargetSettings, "apiBase" | "apiVersion">;

/** Responses: of upstreams that are known to have them, or of models said to be made for them; else by way of chat. */
function responsesOf(
  { translations, hasResponses }: Provider,
  mode: string | null,
  target: ResponsesTarget,
): Translation | undefined {
  const { responses: native, "chat.completions": chat } = translations;
  if (native !== undefined && (hasResponses?.(target) === true || mode === "responses")) return native;
  return chat === undefined ? undefined : bridgeResponses(chat);
}
