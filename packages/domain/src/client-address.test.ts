import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createClientAddressReader } from "./client-address.ts";

const address = fc.oneof(fc.ipV4(), fc.ipV6());
const claim = fc.oneof(
  address,
  fc.string({ maxLength: 20 }),
  fc.constantFrom("unknown", "_hidden", "127.0.0.1", "10.1.2.3", "::ffff:10.1.2.3", "10.1.2.3:80", "[::1]", "", "  "),
);
const claims = fc.array(claim, { maxLength: 12 }).map((hops) => hops.join(", "));

describe("X12: client IP address", () => {
  test("is the peer's address for ten thousand forged headers from one untrusted peer", () => {
    const read = createClientAddressReader(["10.0.0.0/8"]);
    const seen = new Set<string>();
    fc.assert(
      fc.property(claims, (forwardedFor) => {
        seen.add(read("203.0.113.7", forwardedFor));
      }),
      { numRuns: 10_000 },
    );
    expect([...seen]).toEqual(["203.0.113.7"]);
  });

  test("is the address that a trusted proxy saw, for ten thousand forged headers", () => {
    const read = createClientAddressReader(["10.0.0.0/8", "fd00::/8"]);
    const seen = new Set<string>();
    fc.assert(
      fc.property(claims, fc.constantFrom("10.0.0.1", "::ffff:10.0.0.1", "fd00::1"), (forwardedFor, proxy) => {
        seen.add(read(proxy, `${forwardedFor}, 198.51.100.4, 10.9.9.9`));
      }),
      { numRuns: 10_000 },
    );
    expect([...seen]).toEqual(["198.51.100.4"]);
  });

  test("does not come from the header unless the peer is a trusted proxy", () => {
    const read = createClientAddressReader([]);
    fc.assert(fc.property(address, claims, (peer, header) => read(peer, header) === read(peer, null)));
  });

  test("is never read from text that is not an IP address", () => {
    const read = createClientAddressReader(["10.0.0.1"]);
    for (const header of ["unknown", "", ",", "198.51.100.4:80", "[2001:db8::1]", "198.51.100.4, garbage", "1.2.3"]) {
      expect(read("10.0.0.1", header), header).toBe("10.0.0.1");
    }
  });

  test("is the address of the nearest proxy if the chain contains only trusted proxies", () => {
    const read = createClientAddressReader(["10.0.0.0/8"]);
    expect(read("10.0.0.1", "10.0.0.3, 10.0.0.2")).toBe("10.0.0.1");
  });

  test("is the same over IPv4 and IPv6 sockets", () => {
    const read = createClientAddressReader(["10.0.0.1"]);
    expect(read("::ffff:203.0.113.7", null)).toBe("203.0.113.7");
    expect(read("::ffff:10.0.0.1", "::ffff:198.51.100.4")).toBe("198.51.100.4");
    expect(read("::FFFF:203.0.113.7", null)).toBe("203.0.113.7");
  });

  test("respects trusted subnets and single addresses of both families", () => {
    const read = createClientAddressReader(["192.0.2.128/25", "2001:db8::/32", "203.0.113.1"]);
    expect(read("192.0.2.200", "198.51.100.4")).toBe("198.51.100.4");
    expect(read("192.0.2.100", "198.51.100.4")).toBe("192.0.2.100");
    expect(read("2001:db8::5", "2001:db9::1")).toBe("2001:db9::1");
    expect(read("203.0.113.1", "198.51.100.4")).toBe("198.51.100.4");
    expect(read("203.0.113.2", "198.51.100.4")).toBe("203.0.113.2");
  });
});
