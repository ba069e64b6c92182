import { BlockList, isIP } from "node:net";

/** Tells a client's address: the peer's, unless the peer is a trusted proxy, then the right-most hop that is not one. */
export function createClientAddressReader(
  trustedProxies: readonly string[],
): (peer: string, forwardedFor: string | null) => string {
  const isTrusted = createAddressCheck(trustedProxies);
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

/** Tells whether an address is one of these, or in one of these networks. */
export function createAddressCheck(entries: readonly string[]): (address: string) => boolean {
  const list = new BlockList();
  for (const entry of entries) {
    const [address = "", prefix] = entry.split("/");
    const family = isIP(address) === 6 ? "ipv6" : "ipv4";
    list.addSubnet(address, prefix === undefined ? (family === "ipv6" ? 128 : 32) : Number(prefix), family);
  }
  return (address) => {
    const plain = withoutMapping(address);
    const version = isIP(plain);
    return version !== 0 && list.check(plain, version === 6 ? "ipv6" : "ipv4");
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
