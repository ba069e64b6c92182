import { dropOrRefuse, type FitParams, renameParams } from "./fit-params.ts";

const sampling = ["top_p", "logprobs", "top_logprobs"];
const fixed = ["presence_penalty", "frequency_penalty", "logit_bias"];
const limitByNewName = renameParams({ max_tokens: "max_completion_tokens" });

/**
 * Returns the parameters that a reasoning model rejects. Azure deployments have custom names, to which the same name
 * rules apply.
 */
export function refusedByReasoning(model: string): readonly string[] {
  const kind = reasoningKind(model);
  if (kind === null) return [];
  // Reasoning models since o3 reject `stop`. Models with optional reasoning accept sampling parameters.
  return [...fixed, ...(kind === "optional" ? [] : sampling), ...(/(?:^|\/)o1/.test(model) ? [] : ["stop"])];
}

/**
 * Adapts parameters to reasoning models, which accept only the newer name of the output limit and only the default
 * temperature.
 */
export const fitReasoning: FitParams = (call, target, edits, dropped) => {
  const { temperature, max_tokens: limit } = call.body.request;
  if (temperature == null && limit == null) return dropped;
  const kind = reasoningKind(target.upstreamModel);
  if (kind === null) return dropped;
  const left = limit == null ? dropped : limitByNewName(call, target, edits, dropped);
  if (kind === "optional" || temperature == null || temperature === 1 || left.has("temperature")) return left;
  const message = `Model '${call.model.shownName}' supports only a temperature of 1.`;
  return dropOrRefuse(call, target, left, "temperature", message);
};

/** Reports whether a model can reason before it responds. */
export function thinks(model: string): boolean {
  return reasoningKind(model) !== null;
}

/** Returns whether a model reasons always, optionally, or never (null). */
function reasoningKind(model: string): "always" | "optional" | null {
  const name = model.slice(model.lastIndexOf("/") + 1);
  if (/^o\d/.test(name)) return "always";
  const version = /^gpt-(\d+)(\.\d+)?/.exec(name);
  if (version === null || Number(version[1]) < 5 || name.includes("-chat")) return null;
  return Number(version[1]) === 5 && version[2] === undefined ? "always" : "optional";
}
