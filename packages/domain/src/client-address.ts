import { BlockList, isIP } from "node:net";

/** Tells a client's address: the peer's, unless the peer is a trusted proxy, then the right-most hop that is not one. */
export function createClientAddressReader(
  trustedProxies: readonly string[],
): (peer: string, forwardedFor: string | null) => string {
  const trusted = new BlockList();
  for (const entry of trustedProxies) {
    const [address = "", prefix] = entry.split("/");
    const family = isIP(address) === 6 ? "ipv6" : "ipv4";
    trusted.addSubnet(address, prefix === undefined ? (family === "ipv6" ? 128 : 32) : Number(prefix), family);
  }
  const isTrusted = (address: string) =>
    isIP(address) !== 0 && trusted.check(address, isIP(address) === 6 ? "ipv6" : "ipv4");
  return (peer, forwardedFor) => {
    const plainPeer = withoutMapping(peer);
    if (forwardedFor === null || !isTrusted(plainPeer)) return plainPeer;
    const hops = forwardedFor.split(",").map((hop) => withoutMapping(hop.trim()));
    for (const hop of hops.reverse()) {
      if (isIP(hop) === 0) return plainPeer;
      if (!isTrusted(hop)) return hop;
    }
    return plainPeer;
  };
}

/** IPv4 addresses arrive as `::ffff:…` on a socket that listens on both families. */
function withoutMapping(address: string): string {
  const prefix = "::ffff:";
  return address.slice(0, prefix.length).toLowerCase() === prefix ? address.slice(prefix.length) : address;
}
