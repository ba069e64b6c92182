import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { isGlobalAddress, isLoopbackAddress } from "./global-address.ts";
import { allowsLoopbackTargets, isAllowedAddress, readOutboundTarget } from "./outbound-target.ts";

const strict = { allowsLoopback: false };
const local = { allowsLoopback: true };

/** Ways to write an address that is not on the open internet, or to hide the host. */
const refusedSpellings = [
  "https://127.0.0.1/v1",
  "https://127.1/v1",
  "https://127.0.1/",
  "https://2130706433/",
  "https://017700000001/",
  "https://0177.0.0.1/",
  "https://0177.0.0.01/",
  "https://0x7f.0.0.1/",
  "https://0x7f000001/",
  "https://0x7F.1/",
  "https://127.0.0.1:8443/",
  "https://127.255.255.254/",
  "https://0.0.0.0/",
  "https://0/",
  "https://0x0/",
  "https://00000000/",
  "https://10.0.0.1/",
  "https://10.1/",
  "https://167772161/",
  "https://012.0.0.1/",
  "https://100.64.0.1/",
  "https://100.127.255.255/",
  "https://169.254.169.254/latest/meta-data",
  "https://2852039166/",
  "https://0xA9FEA9FE/",
  "https://0251.0376.0251.0376/",
  "https://169.254.43518/",
  "https://172.16.0.1/",
  "https://172.31.255.255/",
  "https://192.168.0.1/",
  "https://192.168.1/",
  "https://3232235521/",
  "https://192.0.0.8/",
  "https://192.0.2.1/",
  "https://198.18.0.1/",
  "https://198.51.100.7/",
  "https://203.0.113.9/",
  "https://224.0.0.1/",
  "https://239.255.255.255/",
  "https://240.0.0.1/",
  "https://255.255.255.255/",
  "https://[::]/",
  "https://[::1]/",
  "https://[0:0:0:0:0:0:0:1]/",
  "https://[0000::0001]/",
  "https://[::ffff:127.0.0.1]/",
  "https://[::ffff:7f00:1]/",
  "https://[::FFFF:A9FE:A9FE]/",
  "https://[0:0:0:0:0:ffff:10.0.0.1]/",
  "https://[::127.0.0.1]/",
  "https://[::7f00:1]/",
  "https://[64:ff9b::127.0.0.1]/",
  "https://[64:ff9b::a00:1]/",
  "https://[64:ff9b:1::1]/",
  "https://[2002:7f00:1::]/",
  "https://[2001::1]/",
  "https://[2001:db8::1]/",
  "https://[3fff::1]/",
  "https://[fc00::1]/",
  "https://[fd12:3456:789a::1]/",
  "https://[fe80::1]/",
  "https://[fec0::1]/",
  "https://[ff02::1]/",
  "https://[100::1]/",
  "https://[5f00::1]/",
  "https://localhost/",
  "https://LOCALHOST/",
  "https://api.localhost/",
  "https://localhost./",
  "https://127.0.0.1./",
  "https://①②⑦.0.0.1/",
  "https://１２７.0.0.1/",
  "https://127。0。0。1/",
  "https://good.example@127.0.0.1/",
  "https://good.example:pw@evil.example/",
  "https://good.example\\@evil.example/",
  "https://evil.example#@good.example/",
  "https://evil.example?@good.example/",
  "https://good.example/v1#x",
  "https://good.example/v1?x=1",
  "https://good.example/v1%2f..%2fadmin",
  "https://good.example/v1%5cadmin",
  "https://good.example/v1%00",
  "https://good.example/v1%",
  "https://good.example /v1",
  "https://good\t.example/v1",
  "https://good.example/v1\n",
  "\nhttps://good.example/v1",
  "https:good.example/v1",
  "https:/good.example/v1",
  "https:///good.example/v1",
  "https://",
  "//good.example/v1",
  "good.example/v1",
  "http://good.example/v1",
  "ftp://good.example/",
  "file:///etc/passwd",
  "gopher://good.example/",
  "javascript:alert(1)",
  "https://good..example/",
  "https://-good.example/",
  "https://good.example:99999/",
  "https://[::1%25eth0]/",
  `https://good.example/${"a".repeat(2_000)}`,
];

describe("an address that leads inside, or hides where it leads, is refused", () => {
  test.for(refusedSpellings)("%j", (text) => {
    expect(readOutboundTarget(text, strict).kind).toBe("refused");
  });
});

test.for([
  ["https://api.openai.com/v1", "https://api.openai.com/v1"],
  ["HTTPS://API.Example.COM:443/v1/", "https://api.example.com/v1/"],
  ["https://8.8.8.8/", "https://8.8.8.8/"],
  ["https://134744072/", "https://8.8.8.8/"],
  ["https://[2606:4700::1111]:8443/x", "https://[2606:4700::1111]:8443/x"],
  ["https://xn--bcher-kva.example/", "https://xn--bcher-kva.example/"],
])("an address of the open internet is taken: %j", ([text, href]) => {
  const target = readOutboundTarget(text as string, strict);
  expect(target.kind === "target" && target.url.href).toBe(href);
});

test("an installation on somebody's own computer may call that computer, and nothing else inside", () => {
  for (const text of ["http://127.0.0.1:11434/v1", "http://localhost:8000", "https://[::1]/", "http://127.9.9.9/"]) {
    expect(readOutboundTarget(text, local).kind, text).toBe("target");
  }
  for (const text of ["http://10.0.0.1/", "http://0.0.0.0/", "https://169.254.169.254/", "http://good.example/"]) {
    expect(readOutboundTarget(text, local).kind, text).toBe("refused");
  }
  expect(isAllowedAddress("127.0.0.1", local)).toBe(true);
  expect(isAllowedAddress("192.168.0.1", local)).toBe(false);
  expect(["https://x.example", "http://x.example", null].map(allowsLoopbackTargets)).toEqual([false, true, true]);
});

test("a webhook's address may have a query, a base address may not", () => {
  expect(readOutboundTarget("https://good.example/hook?token=1", { ...strict, allowsQuery: true }).kind).toBe("target");
});

test("what is put into the parts of an address never moves its host", () => {
  const hostile = fc.string({ unit: fc.constantFrom(..."aA0.-_:/?#@\\%[] \t\n&=;,2f€"), maxLength: 30 });
  fc.assert(
    fc.property(hostile, hostile, (before, after) => {
      const text = `https://${before}good.example/v1/${after}`;
      const target = readOutboundTarget(text, strict);
      if (target.kind === "refused") return;
      // The host is what stands before the first slash or colon, as anybody would read it.
      expect(target.url.hostname).toBe(text.slice("https://".length).split(/[/:]/)[0]?.toLowerCase());
      expect([target.url.username, target.url.password, target.url.hash, target.url.search]).toEqual(["", "", "", ""]);
      // The stored text means the same to whoever reads it again.
      expect(new URL(target.url.href).origin).toBe(target.url.origin);
    }),
    { numRuns: 5_000 },
  );
});

test("an IPv4 address is judged alike however IPv6 carries it", () => {
  fc.assert(
    fc.property(fc.ipV4(), (address) => {
      expect(isGlobalAddress(`::ffff:${address}`)).toBe(isGlobalAddress(address));
      expect(isGlobalAddress(`64:ff9b::${address}`)).toBe(isGlobalAddress(address));
      expect(isLoopbackAddress(`::ffff:${address}`)).toBe(isLoopbackAddress(address));
    }),
  );
  for (const text of ["", "good.example", "1.2.3", "fe80::1%eth0", "2606:4700::1111%1"]) {
    expect(isGlobalAddress(text), text).toBe(false);
  }
});
