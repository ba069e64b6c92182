import type { TranslatedCall } from "../provider.ts";

/** Names of features, and a date as the version: nothing else can stand in these headers. */
const version = /^\d{4}-\d{2}-\d{2}$/;
const features = /^[A-Za-z0-9_.,\- ]{1,2048}$/;

/**
 * The headers of a call with those that a client of this wire says what it speaks by: its version of the interface in
 * place of ours, and the features it knows. No other header of a client is passed on.
 */
export function withClientHeaders(headers: readonly string[], call: TranslatedCall): readonly string[] {
  const { anthropicVersion: asked = null, anthropicBeta: betas = null } = call.exchange?.headers ?? {};
  const at = asked !== null && version.test(asked) ? headers.indexOf("anthropic-version") : -1;
  const isBeta = betas !== null && features.test(betas);
  if (at < 0 && !isBeta) return headers;
  const changed = [...headers];
  if (at >= 0) changed[at + 1] = asked as string;
  if (isBeta) changed.push("anthropic-beta", betas);
  return changed;
}
