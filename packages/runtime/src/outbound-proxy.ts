import { BlockList, isIP } from "node:net";
import { Secret } from "@tollgate/domain/secret.ts";

/** A proxy for outbound connections. */
export interface OutboundProxy {
  /** Proxy URL without credentials. */
  readonly url: URL;
  /** Value of `Proxy-Authorization`; null if the proxy requires no credentials. */
  readonly authorization: Secret | null;
}

/** Returns the proxy for a URL; null for a direct connection. */
export type ChooseProxy = (target: URL) => OutboundProxy | null;

/** Thrown if a variable contains an invalid proxy URL. */
export class ProxyProblem extends Error {
  constructor(name: string) {
    super(`${name} is not a valid proxy URL. Use the form http://proxy.example:3128, with user:password@ if needed.`);
    this.name = "ProxyProblem";
  }
}

/**
 * Reads HTTPS_PROXY, HTTP_PROXY, and NO_PROXY, in uppercase or lowercase. Loopback addresses never use a proxy, because
 * they would refer to the proxy's own host.
 */
export function readProxies(env: NodeJS.ProcessEnv): ChooseProxy {
  const https = readProxy(env, "HTTPS_PROXY");
  const http = readProxy(env, "HTTP_PROXY");
  if (https === null && http === null) return () => null;
  const isExempt = readExemptions(env.no_proxy ?? env.NO_PROXY ?? "");
  return (target) => {
    const proxy = target.protocol === "https:" ? https : http;
    return proxy === null || isExempt(target) ? null : proxy;
  };
}

function readProxy(env: NodeJS.ProcessEnv, name: string): OutboundProxy | null {
  const text = env[name.toLowerCase()] ?? env[name];
  if (text === undefined || text === "") return null;
  // `proxy:3128` would parse as a URL with the scheme `proxy:`.
  const url = URL.parse(text.includes("://") ? text : `http://${text}`);
  if (url === null || !["http:", "https:"].includes(url.protocol)) throw new ProxyProblem(name);
  const credentials = `${decodeURIComponent(url.username)}:${decodeURIComponent(url.password)}`;
  const authorization = url.username === "" ? null : new Secret(`Basic ${Buffer.from(credentials).toString("base64")}`);
  return { url: new URL(`${url.protocol}//${url.host}`), authorization };
}

/** Parses `*`, names (which also match their subdomains), IP addresses, and ranges, each with an optional port. */
function readExemptions(text: string): (target: URL) => boolean {
  const entries = text.split(/[\s,]+/).filter((entry) => entry !== "");
  const ranges = new BlockList();
  ranges.addSubnet("127.0.0.0", 8, "ipv4");
  ranges.addAddress("::1", "ipv6");
  const names: { readonly name: string; readonly port: string | null }[] = [{ name: "localhost", port: null }];
  for (const entry of entries) {
    const [address, prefix] = entry.split("/") as [string, string?];
    const family = isIP(address) === 6 ? "ipv6" : "ipv4";
    if (isIP(address) !== 0 && prefix !== undefined) ranges.addSubnet(address, Number(prefix), family);
    else if (isIP(address) !== 0) ranges.addAddress(address, family);
    else names.push(readName(entry.toLowerCase()));
  }
  return (target) => {
    const host = target.hostname.replace(/^\[|\]$/g, "").toLowerCase();
    const version = isIP(host);
    if (version !== 0 && ranges.check(host, version === 6 ? "ipv6" : "ipv4")) return true;
    const port = target.port || (target.protocol === "https:" ? "443" : "80");
    return names.some(
      (exempt) =>
        (exempt.port === null || exempt.port === port) &&
        (exempt.name === "*" || host === exempt.name || host.endsWith(`.${exempt.name}`)),
    );
  };
}

function readName(entry: string): { readonly name: string; readonly port: string | null } {
  const [, host, port] = /^(.*?)(?::(\d+))?$/.exec(entry) as unknown as [string, string, string | undefined];
  return { name: host.replace(/^\*?\./, ""), port: port ?? null };
}
