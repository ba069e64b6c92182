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

/** What requests of one client are counted under: whoever has IPv6 has a whole /64 to choose addresses from. */
export function networkOf(address: string): string {
  if (isIP(address) !== 6) return address;
  const [before = "", after] = (address.split("%")[0] ?? "").split("::");
  const toGroups = (text: string) => (text === "" ? [] : text.split(":"));
  const head = toGroups(before);
  const tail = toGroups(after ?? "");
  const zeros = after === undefined ? 0 : Math.max(0, 8 - head.length - tail.length);
  const groups = [...head, ...Array<string>(zeros).fill("0"), ...tail].slice(0, 4);
  return `${groups.map((group) => Number.parseInt(group, 16).toString(16)).join(":")}::/64`;
}

/** IPv4 addresses arrive as `::ffff:…` on a socket that listens on both families. */
function withoutMapping(address: string): string {
  const prefix = "::ffff:";
  return address.slice(0, prefix.length).toLowerCase() === prefix ? address.slice(prefix.length) : address;
}
