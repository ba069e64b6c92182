import { Secret } from "@tollgate/domain/secret.ts";
import type { UpstreamTarget } from "../../call/provider.ts";

const SHOWN_CHARACTERS = 4;
/**
 * Minimum length of a secret that is partially shown. In a shorter secret, even four visible characters would reveal
 * too much.
 */
const SHORT_SECRET = 12;
const secretHeader = /auth|key|token|secret|cookie|signature|credential/i;

/** Returns a function that masks a target's secrets anywhere in a string. */
export function createMask(target: UpstreamTarget): (text: string) => string {
  const secrets = [target.apiKey, ...Object.values(target.options)]
    .filter((value) => value instanceof Secret)
    .map((secret) => secret.reveal())
    .filter((secret) => secret !== "");
  return (text) => {
    let masked = text;
    for (const secret of secrets) {
      masked = masked.replaceAll(secret, shown(secret)).replaceAll(encodeURIComponent(secret), shown(secret));
    }
    return masked;
  };
}

/** Masks the values of headers with credentials, including credentials derived from the secret. */
export function maskHeaders(headers: readonly string[], mask: (text: string) => string): Record<string, string> {
  const masked: Record<string, string> = {};
  for (let index = 0; index < headers.length; index += 2) {
    const name = headers[index] as string;
    const value = headers[index + 1] as string;
    masked[name] = secretHeader.test(name) ? maskCredential(value) : mask(value);
  }
  return masked;
}

/** Masks a credential but not the scheme before it. */
function maskCredential(value: string): string {
  const [, scheme = "", credential = ""] = /^(?:(\w+) )?(.*)$/s.exec(value) ?? [];
  return `${scheme === "" ? "" : `${scheme} `}${shown(credential)}`;
}

function shown(secret: string): string {
  return `${secret.length < SHORT_SECRET ? "" : secret.slice(0, SHOWN_CHARACTERS)}****`;
}
