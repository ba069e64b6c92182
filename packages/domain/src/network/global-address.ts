import { BlockList, isIP } from "node:net";

/** IPv4 ranges outside the public internet: special-purpose, multicast, and reserved. */
const innerIpv4 = rangesOf("ipv4", [
  "0.0.0.0/8",
  "10.0.0.0/8",
  "100.64.0.0/10",
  "127.0.0.0/8",
  "169.254.0.0/16",
  "172.16.0.0/12",
  "192.0.0.0/24",
  "192.0.2.0/24",
  "192.88.99.0/24",
  "192.168.0.0/16",
  "198.18.0.0/15",
  "198.51.100.0/24",
  "203.0.113.0/24",
  "224.0.0.0/4",
  "240.0.0.0/4",
]);

/** The only IPv6 range allocated for the public internet. */
const outerIpv6 = rangesOf("ipv6", ["2000::/3"]);

/** Exceptions in the public IPv6 range: protocols, documentation, and addresses that embed other addresses. */
const innerIpv6 = rangesOf("ipv6", ["2001::/23", "2001:db8::/32", "2002::/16", "3fff::/20"]);

/** Ranges whose last 32 bits are the actual IPv4 address. */
const carriersOfIpv4 = rangesOf("ipv6", ["::ffff:0:0/96", "64:ff9b::/96"]);

const internalIpv4 = rangesOf("ipv4", [
  "10.0.0.0/8",
  "100.64.0.0/10",
  "127.0.0.0/8",
  "172.16.0.0/12",
  "192.168.0.0/16",
]);
const internalIpv6 = rangesOf("ipv6", ["::1/128", "fc00::/7"]);
const metadataIpv4 = rangesOf("ipv4", ["100.100.100.200/32"]);
const metadataIpv6 = rangesOf("ipv6", ["fd00:ec2::254/128", "fd20:ce::254/128", "fd00:42::42/128"]);

/** Reports whether an IP address is on the public internet. Returns false for invalid addresses. */
export function isGlobalAddress(address: string): boolean {
  const family = isIP(address);
  if (family === 4) return !innerIpv4.check(address, "ipv4");
  if (family === 0 || address.includes("%")) return false;
  const carried = carriedIpv4(address);
  if (carried !== null) return isGlobalAddress(carried);
  return outerIpv6.check(address, "ipv6") && !innerIpv6.check(address, "ipv6");
}

/** Reports whether an IP address is a loopback address. */
export function isLoopbackAddress(address: string): boolean {
  const family = isIP(address);
  if (family === 4) return address.startsWith("127.");
  if (family === 0 || address.includes("%")) return false;
  const carried = carriedIpv4(address);
  if (carried !== null) return isLoopbackAddress(carried);
  return new URL(`http://[${address}]`).hostname === "[::1]";
}

/**
 * Reports whether an IP address belongs to the operator's own network: private, shared, or loopback. Excludes the
 * addresses where clouds serve instance credentials, although some of those addresses are in private or shared ranges.
 */
export function isInternalAddress(address: string): boolean {
  const family = isIP(address);
  if (family === 0 || address.includes("%")) return false;
  const carried = carriedIpv4(address);
  if (carried !== null) return isInternalAddress(carried);
  if (family === 4) return internalIpv4.check(address, "ipv4") && !metadataIpv4.check(address, "ipv4");
  return internalIpv6.check(address, "ipv6") && !metadataIpv6.check(address, "ipv6");
}

/** Returns the IPv4 address embedded in an IPv6 address, in any spelling, otherwise null. */
export function carriedIpv4(address: string): string | null {
  if (isIP(address) !== 6 || address.includes("%") || !carriersOfIpv4.check(address, "ipv6")) return null;
  const { hostname } = new URL(`http://[${address}]`);
  const [high = "0", low = "0"] = hostname.slice(1, -1).split(":").slice(-2);
  const bits = Number.parseInt(high || "0", 16) * 65_536 + Number.parseInt(low || "0", 16);
  return [24, 16, 8, 0].map((shift) => Math.floor(bits / 2 ** shift) % 256).join(".");
}

function rangesOf(family: "ipv4" | "ipv6", ranges: readonly string[]): BlockList {
  const list = new BlockList();
  for (const range of ranges) {
    const [network = "", prefix] = range.split("/");
    list.addSubnet(network, Number(prefix), family);
  }
  return list;
}
