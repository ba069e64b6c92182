import { bridgeCompletions } from "../operations/completions/bridge-completions.ts";
import type { OperationName } from "../operations/operation-kind.ts";
import { operationKinds } from "../operations/operation-kinds.ts";
import type { Provider, Translation } from "../providers/provider.ts";
import type { Deployment, OfferedOperation } from "./deployment.ts";

/** What a deployment can be asked for: what its provider's dialect has words for. `mode` is what its model is mainly for. */
export function offeredOperations(
  provider: Provider,
  upstreamModel: string,
  mode: string | null,
  additionalDropParams: readonly string[],
): Deployment["offers"] {
  const offers: Partial<Record<OperationName, OfferedOperation>> = {};
  for (const name of Object.keys(operationKinds) as OperationName[]) {
    const kind = operationKinds[name];
    const translation = name === "completions" ? completionsOf(provider, mode) : provider.translations[name];
    if (translation === undefined || kind === undefined) continue;
    const supportedParams = new Set(translation.supportedParams(upstreamModel));
    const takesEveryParam =
      additionalDropParams.length === 0 && [...kind.fields.params].every((param) => supportedParams.has(param));
    offers[name] = { translation, supportedParams, takesEveryParam };
  }
  return offers;
}

/** Text completions: of models made for them, or where every model does; all others are asked as the chat models they are. */
function completionsOf({ translations, completesText }: Provider, mode: string | null): Translation | undefined {
  const { completions: native, "chat.completions": chat } = translations;
  if (native !== undefined && (completesText === true || mode === "completion")) return native;
  return chat === undefined ? undefined : bridgeCompletions(chat);
}
