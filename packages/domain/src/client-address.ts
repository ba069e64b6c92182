import { BlockList, isIP } from "node:net";

/**
 * Creates a function that returns the client's IP address: the peer's address or, if the peer is a trusted proxy, the
 * rightmost untrusted hop.
 */
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

/** Creates a function that reports whether an IP address is in the list or in one of its networks. */
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

/** Returns the network that a client's requests are counted under. IPv6 clients can use any address in a /64. */
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

/** Strips the `::ffff:` prefix that dual-stack sockets add to IPv4 addresses. */
function withoutMapping(address: string): string {
  const prefix = "::ffff:";
  return address.slice(0, prefix.length).toLowerCase() === prefix ? address.slice(prefix.length) : address;
}
