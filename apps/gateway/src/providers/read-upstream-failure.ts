import { Failure } from "@tollgate/contracts/failures.ts";
import { Secret } from "@tollgate/domain/secret.ts";
import type { Provider, UpstreamHeaders, UpstreamTarget } from "../call/provider.ts";

/** Minimum length of a secret that is removed from responses. Shorter text can appear in responses by chance. */
const SHORTEST_HIDDEN = 6;
const HIDDEN = "[removed]";

/**
 * Converts an upstream error to a failure. Some upstreams repeat the credential that they received, so the credential
 * is removed before the response is read. Pattern matching alone doesn't detect every credential.
 */
export function readUpstreamFailure(
  target: UpstreamTarget & { readonly provider: Provider },
  status: number,
  headers: UpstreamHeaders,
  text: string,
): Failure {
  const failure = target.provider.readFailure(status, headers, hideSecrets(target, text));
  return target.usesOwnKey === true && isAboutKey(failure) ? rejectedKey(failure) : failure;
}

/** Reports whether the provider rejected the key, or its account has no credit. */
function isAboutKey({ facts }: Failure): boolean {
  return facts.detail?.isCredential === true || facts.detail?.upstreamCode === "insufficient_quota";
}

function rejectedKey({ facts }: Failure): Failure {
  const { isCredential: _, ...detail } = facts.detail ?? {};
  return new Failure("invalid_request", "The provider rejected the API key in 'api_key'.", {
    param: "api_key",
    fix: "Check the key and its account at the provider.",
    detail,
  });
}

/**
 * Returns the failure without the target's credentials, for failures that were reported in the middle of a response.
 */
export function withoutSecrets(target: UpstreamTarget, failure: Failure): Failure {
  const { code, message, facts } = failure;
  const param = facts.param == null ? facts.param : hideSecrets(target, facts.param);
  const shown = hideSecrets(target, message);
  return shown === message && param === facts.param ? failure : new Failure(code, shown, { ...facts, param });
}

function hideSecrets({ apiKey, options }: UpstreamTarget, text: string): string {
  let shown = text;
  for (const value of [apiKey, ...Object.values(options)]) {
    const secret = value instanceof Secret ? value.reveal() : "";
    if (secret.length < SHORTEST_HIDDEN) continue;
    shown = shown.replaceAll(secret, HIDDEN).replaceAll(encodeURIComponent(secret), HIDDEN);
  }
  return shown;
}
