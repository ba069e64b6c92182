import { isIP } from "node:net";
import { isGlobalAddress, isLoopbackAddress } from "./global-address.ts";

/** What an address that somebody entered may lead to. */
export interface TargetRule {
  /** This computer itself, also without TLS: for installations that are not on the internet. */
  readonly allowsLoopback: boolean;
  /** Base addresses have no query; a webhook's address may. */
  readonly allowsQuery?: boolean;
}

export type OutboundTarget =
  | { readonly kind: "target"; readonly url: URL }
  | { readonly kind: "refused"; readonly problem: string };

const MAX_LENGTH = 2_000;
const HOST_NAME = /^(?:[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9])?\.)*[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;

/**
 * Reads an address that this installation is to call. Nothing in it can move the host elsewhere: no user name, no
 * fragment, no character that parsers disagree about. A host given as a number must be of the open internet; for a name
 * `isAllowedAddress` decides, of each address it resolves to, when connecting.
 */
export function readOutboundTarget(text: string, rule: TargetRule): OutboundTarget {
  if (text.length > MAX_LENGTH) return refuse(`must have at most ${MAX_LENGTH} characters`);
  // Parsers drop tabs, turn backslashes and decode what is above ASCII; whoever checks and whoever connects must not differ.
  if (!/^[\x21-\x7e]+$/.test(text) || text.includes("\\")) {
    return refuse("must have no spaces, control characters or backslashes; write international names as xn--");
  }
  if (!/^https?:\/\/[^/?#@]+(?:[/?#]|$)/i.test(text)) return refuse("must be https://, a host, and a path");
  if (!URL.canParse(text)) return refuse("is not an address");
  const url = new URL(text);
  if (url.username !== "" || url.password !== "") return refuse("must have no user name or password");
  if (text.includes("#")) return refuse("must have no fragment");
  if (text.includes("?") && rule.allowsQuery !== true) return refuse("must have no query");
  if (/%(?![0-9a-f]{2})|%(?:2f|5c|00|23|3f)/i.test(url.pathname)) return refuse("has an encoded separator in its path");
  return checkHost(url, rule);
}

/** Whether a connection to this address may be opened under the rule. */
export function isAllowedAddress(address: string, rule: TargetRule): boolean {
  return isGlobalAddress(address) || (rule.allowsLoopback && isLoopbackAddress(address));
}

/** An installation that people reach over https is not one on somebody's own computer. */
export function allowsLoopbackTargets(publicUrl: string | null): boolean {
  return publicUrl === null || publicUrl.startsWith("http:");
}

function checkHost(url: URL, rule: TargetRule): OutboundTarget {
  const host = url.hostname.startsWith("[") ? url.hostname.slice(1, -1) : url.hostname;
  const isLiteral = isIP(host) !== 0;
  if (!isLiteral && !HOST_NAME.test(host)) return refuse("has a host that is no name");
  const isLocal = host === "localhost" || host.endsWith(".localhost") || isLoopbackAddress(host);
  if (isLocal && !rule.allowsLoopback) return refuse("leads to this computer itself");
  if (url.protocol === "http:" && !isLocal) return refuse("must begin with https://");
  if (isLiteral && !isAllowedAddress(host, rule)) return refuse("leads to an address outside the open internet");
  return { kind: "target", url };
}

function refuse(problem: string): OutboundTarget {
  return { kind: "refused", problem };
}
