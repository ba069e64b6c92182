import { BlockList, isIP } from "node:net";
import { carriedIpv4 } from "./global-address.ts";

/** One entry of `platform.outboundAllow`: a target that the operator allows in addition to the public internet. */
export interface AllowedTarget {
  readonly host:
    | { readonly kind: "name"; readonly name: string }
    | { readonly kind: "range"; readonly network: string; readonly prefix: number };
  /** Null allows every port. */
  readonly port: number | null;
}

const HOST_NAME = /^(?:[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9])?\.)*[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;
const FAMILY_BITS = { 4: 32, 6: 128 } as const;

/** Loopback addresses in every spelling. `tollgate dev` allows them. */
export const LOOPBACK_TARGETS = readAllowedTargets(["localhost", "127.0.0.0/8", "::1"]);

/** Parses a list of validated entries; an invalid entry allows nothing. */
export function readAllowedTargets(entries: readonly string[]): readonly AllowedTarget[] {
  return entries.flatMap((entry) => readAllowedTarget(entry) ?? []);
}

/** Reads `name`, `name:port`, an IP address with or without a port, or a CIDR range. Returns null for anything else. */
export function readAllowedTarget(text: string): AllowedTarget | null {
  if (isIP(text) !== 0) return rangeOf(text, null, null);
  const range = /^([0-9a-f.:]+)\/(\d{1,3})$/i.exec(text);
  if (range !== null) return rangeOf(range[1] ?? "", Number(range[2]), null);
  const written = /^(\[[0-9a-f.:]+\]|[^:[\]/]+)(?::(\d{1,5}))?$/i.exec(text);
  if (written === null) return null;
  const host = (written[1] ?? "").replace(/^\[|\]$/g, "").toLowerCase();
  const port = written[2] === undefined ? null : Number(written[2]);
  if (port !== null && (port < 1 || port > 65_535)) return null;
  if (isIP(host) !== 0) return rangeOf(host, null, port);
  // A URL parser reads 0x7f.1 or 2130706433 as an IPv4 address, so such a name would never match.
  const isName = HOST_NAME.test(host) && URL.canParse(`http://${host}`) && new URL(`http://${host}`).hostname === host;
  return isName ? { host: { kind: "name", name: host }, port } : null;
}

/** Reports whether the operator listed this hostname, which also allows plain HTTP to it. */
export function isListedName(allowed: readonly AllowedTarget[], host: string, port: number): boolean {
  return allowed.some((entry) => matchesPort(entry, port) && entry.host.kind === "name" && entry.host.name === host);
}

/** Reports whether the operator listed this IP address, by itself or in a range. */
export function isListedAddress(allowed: readonly AllowedTarget[], address: string, port: number): boolean {
  // An interface name after % refers to a link-local network, which can't be allowed.
  if (isIP(address) === 0 || address.includes("%")) return false;
  const plain = carriedIpv4(address) ?? address;
  const family = isIP(plain) === 4 ? "ipv4" : "ipv6";
  return allowed.some(({ host, port: listedPort }) => {
    if (host.kind !== "range" || (listedPort !== null && listedPort !== port)) return false;
    if ((isIP(host.network) === 4) !== (family === "ipv4")) return false;
    const list = new BlockList();
    list.addSubnet(host.network, host.prefix, family);
    return list.check(plain, family);
  });
}

const matchesPort = (entry: AllowedTarget, port: number): boolean => entry.port === null || entry.port === port;

function rangeOf(network: string, prefix: number | null, port: number | null): AllowedTarget | null {
  const family = isIP(network);
  if (family !== 4 && family !== 6) return null;
  // A mapped address is compared as IPv4, so an entry of that form would never match.
  if (network.includes("%") || carriedIpv4(network) !== null) return null;
  const bits = FAMILY_BITS[family];
  // A prefix of 0 would allow every address, which is never intended.
  if (prefix !== null && (prefix < 1 || prefix > bits)) return null;
  return { host: { kind: "range", network, prefix: prefix ?? bits }, port };
}
