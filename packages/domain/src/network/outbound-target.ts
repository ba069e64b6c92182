import { isIP } from "node:net";
import { type AllowedTarget, isListedAddress, isListedName } from "./allowed-target.ts";
import { isGlobalAddress, isInternalAddress, isLoopbackAddress } from "./global-address.ts";

/** Rules for URLs that users enter. */
export interface TargetRule {
  /** Private and loopback targets that the operator allows. All other private and loopback targets are blocked. */
  readonly allowed: readonly AllowedTarget[];
  /** True for webhook URLs, which may have a query; false for base URLs. */
  readonly allowsQuery?: boolean;
}

type OutboundTarget =
  | { readonly kind: "target"; readonly url: URL }
  | { readonly kind: "refused"; readonly problem: string };

const MAX_LENGTH = 2_000;
const HINT = "the operator can allow it in platform.outboundAllow";
const HOST_NAME = /^(?:[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9])?\.)*[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;

/**
 * Parses a URL that this server will call. The URL can't have a user name, a fragment, or characters that parsers
 * disagree about, because they could lead to another host. A numeric host must be on the public internet. For a
 * hostname, `isAllowedAddress` checks each resolved address when connecting.
 */
export function readOutboundTarget(text: string, rule: TargetRule): OutboundTarget {
  if (text.length > MAX_LENGTH) return refuse(`must have at most ${MAX_LENGTH} characters`);
  // Parsers drop tabs, convert backslashes, and decode non-ASCII text. The check and the connection must use the same
  // host.
  if (!/^[\x21-\x7e]+$/.test(text) || text.includes("\\")) {
    return refuse("must not contain spaces, control characters, or backslashes; write international names as xn--");
  }
  if (!/^https?:\/\/[^/?#@]+(?:[/?#]|$)/i.test(text)) return refuse("must be an https:// URL with a host and a path");
  if (!URL.canParse(text)) return refuse("is not a valid URL");
  const url = new URL(text);
  if (url.username !== "" || url.password !== "") return refuse("must not contain a user name or password");
  if (text.includes("#")) return refuse("must not contain a fragment");
  if (text.includes("?") && rule.allowsQuery !== true) return refuse("must not contain a query");
  if (/%(?![0-9a-f]{2})|%(?:2f|5c|00|23|3f)/i.test(url.pathname))
    return refuse("must not contain an encoded separator in its path");
  return checkHost(url, rule);
}

/**
 * Reports whether a connection to this IP address may be opened for a URL. A listed name may resolve to private and
 * loopback addresses; any other internal address, such as a cloud's metadata service, must itself be listed.
 */
export function isAllowedAddress(address: string, url: URL, { allowed }: TargetRule): boolean {
  if (isGlobalAddress(address)) return true;
  const port = portOf(url);
  if (isListedAddress(allowed, address, port)) return true;
  return isListedName(allowed, hostOf(url), port) && isInternalAddress(address);
}

/** Returns a URL's host in resolver format: an IPv6 address without brackets. */
export const hostOf = ({ hostname }: URL): string => hostname.replace(/^\[|\]$/g, "");

const portOf = ({ port, protocol }: URL): number => Number(port || (protocol === "https:" ? 443 : 80));

function checkHost(url: URL, rule: TargetRule): OutboundTarget {
  const host = hostOf(url);
  const isLiteral = isIP(host) !== 0;
  if (!isLiteral && !HOST_NAME.test(host)) return refuse("has an invalid host name");
  const isListed = (isLiteral ? isListedAddress : isListedName)(rule.allowed, host, portOf(url));
  const isLocal = host === "localhost" || host.endsWith(".localhost") || isLoopbackAddress(host);
  if (isLocal && !isListed) return refuse(`points to this host; ${HINT}`);
  if (isLiteral && !isListed && !isGlobalAddress(host)) {
    return refuse(`points to a non-public IP address; ${HINT}`);
  }
  if (url.protocol === "http:" && !isListed) return refuse("must start with https://");
  return { kind: "target", url };
}

function refuse(problem: string): OutboundTarget {
  return { kind: "refused", problem };
}
