import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { LOOPBACK_TARGETS, readAllowedTarget, readAllowedTargets } from "./allowed-target.ts";
import { isGlobalAddress, isLoopbackAddress } from "./global-address.ts";
import { isAllowedAddress, readOutboundTarget } from "./outbound-target.ts";

const strict = { allowed: [] };
const local = { allowed: LOOPBACK_TARGETS };
const listing = (...entries: readonly string[]) => ({ allowed: readAllowedTargets(entries) });

/** Spellings of non-public addresses, and ways to hide the host. */
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
  "https://[::ffff:0:127.0.0.1]/",
  "https://[::ffff:169.254.169.254]/",
  "https://[64:ff9b::169.254.169.254]/",
  "https://[fd00:ec2::254]/",
  "https://100.100.100.200/latest/meta-data",
  "https://127.0.0.1.:443/",
  "https://0177.1/",
  "https://0x7f.0x0.0x0.0x1/",
  "https://127.0.0.1%2f@good.example/",
  "https://@127.0.0.1/",
  "https://%31%32%37.0.0.1/",
  `https://good.example/${"a".repeat(2_000)}`,
];

describe("a URL with an internal or disguised host is refused", () => {
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
])("accepts a public URL: %j", ([text, href]) => {
  const target = readOutboundTarget(text as string, strict);
  expect(target.kind === "target" && target.url.href).toBe(href);
});

test("listing the loopback targets allows this computer and no other internal host", () => {
  for (const text of ["http://127.0.0.1:11434/v1", "http://localhost:8000", "https://[::1]/", "http://127.9.9.9/"]) {
    expect(readOutboundTarget(text, local).kind, text).toBe("target");
  }
  for (const text of ["http://10.0.0.1/", "http://0.0.0.0/", "https://169.254.169.254/", "http://good.example/"]) {
    expect(readOutboundTarget(text, local).kind, text).toBe("refused");
  }
  const url = new URL("https://good.example/");
  expect(isAllowedAddress("127.0.0.1", url, local)).toBe(true);
  expect(isAllowedAddress("::ffff:127.0.0.1", url, local)).toBe(true);
  expect(isAllowedAddress("192.168.0.1", url, local)).toBe(false);
});

describe("a target listed by the operator", () => {
  test.for([
    ["hooks.internal", "http://hooks.internal/x"],
    ["hooks.internal", "http://HOOKS.internal:8443/x"],
    ["Hooks.Internal:9000", "http://hooks.internal:9000/x"],
    ["localhost:9000", "http://localhost:9000/"],
    ["hooks.internal:80", "http://hooks.internal/"],
    ["10.2.0.7", "http://10.2.0.7:1234/"],
    ["10.2.0.7:1234", "http://10.2.0.7:1234/"],
    ["10.2.0.0/16", "http://10.2.255.255/"],
    ["10.2.0.0/16", "https://167903239/"],
    ["10.2.0.0/16", "http://[::ffff:10.2.0.7]/"],
    ["::1", "http://[0:0:0:0:0:0:0:1]/"],
    ["[::1]:9000", "http://[::1]:9000/"],
    ["fd00:12::/32", "http://[fd00:12::9]/"],
    ["169.254.169.254", "http://169.254.169.254/"],
  ])("%s allows %s", ([entry = "", text = ""]) => {
    expect(readOutboundTarget(text, listing(entry)).kind).toBe("target");
    expect(readOutboundTarget(text, strict).kind).toBe("refused");
  });

  test.for([
    ["hooks.internal:9000", "http://hooks.internal:9001/"],
    ["hooks.internal:9000", "http://hooks.internal/"],
    ["hooks.internal", "http://hooks.internal.evil.example/"],
    ["hooks.internal", "http://evil.hooks.internal/"],
    ["hooks.internal", "http://hooks.internal./"],
    ["hooks.internal", "http://hooks.internal@127.0.0.1/"],
    ["localhost", "http://127.0.0.1/"],
    ["localhost", "http://sub.localhost/"],
    ["127.0.0.1", "http://localhost/"],
    ["127.0.0.1:9000", "http://127.0.0.1/"],
    ["127.0.0.1", "http://127.0.0.2/"],
    ["10.2.0.0/16", "http://10.3.0.1/"],
    ["10.2.0.0/16", "http://name.example/"],
    ["10.0.0.0/8", "http://169.254.169.254/"],
    ["::1", "http://127.0.0.1/"],
  ])("%s does not allow %s", ([entry = "", text = ""]) => {
    expect(readOutboundTarget(text, listing(entry)).kind).toBe("refused");
  });

  test("may resolve to an internal IP address, unlike any other name", () => {
    const rule = listing("hooks.internal:9000");
    for (const address of ["10.2.0.7", "127.0.0.1", "::1", "fd00::1", "100.64.0.1", "::ffff:192.168.0.1"]) {
      expect(isAllowedAddress(address, new URL("http://hooks.internal:9000/"), rule), address).toBe(true);
      expect(isAllowedAddress(address, new URL("http://hooks.internal:9001/"), rule), address).toBe(false);
      expect(isAllowedAddress(address, new URL("https://evil.example:9000/"), rule), address).toBe(false);
    }
  });

  test("does not allow metadata, link-local, unspecified, or multicast addresses by name alone", () => {
    const url = new URL("http://hooks.internal/");
    const special = [
      "169.254.169.254",
      "::ffff:169.254.169.254",
      "100.100.100.200",
      "fd00:ec2::254",
      "fe80::1",
      "0.0.0.0",
    ];
    for (const address of [...special, "::", "224.0.0.1", "ff02::1", "fe80::1%eth0", "255.255.255.255"]) {
      expect(isAllowedAddress(address, url, listing("hooks.internal")), address).toBe(false);
    }
    expect(isAllowedAddress("169.254.169.254", url, listing("169.254.169.254"))).toBe(true);
  });

  test.for([
    "",
    "*",
    "*.internal",
    "http://hooks.internal",
    "hooks.internal/x",
    "hooks.internal.",
    "user@hooks.internal",
    "hooks.internal:0",
    "hooks.internal:65536",
    "hooks.internal:http",
    "2130706433",
    "0x7f.1",
    "127.1",
    "0.0.0.0/0",
    "10.0.0.0/33",
    "::/0",
    "10.0.0/8",
    "::ffff:127.0.0.1",
    "fe80::1%eth0",
    "[10.0.0.1",
  ])("cannot be written as %j", (text) => {
    expect(readAllowedTarget(text)).toBeNull();
  });
});

test("a webhook URL may have a query, but a base URL may not", () => {
  expect(readOutboundTarget("https://good.example/hook?token=1", { ...strict, allowsQuery: true }).kind).toBe("target");
});

test("text around the host of a URL never changes the host", () => {
  const hostile = fc.string({ unit: fc.constantFrom(..."aA0.-_:/?#@\\%[] \t\n&=;,2f€"), maxLength: 30 });
  fc.assert(
    fc.property(hostile, hostile, (before, after) => {
      const text = `https://${before}good.example/v1/${after}`;
      const target = readOutboundTarget(text, strict);
      if (target.kind === "refused") return;
      // The host is the text before the first slash or colon, as a human reads it.
      expect(target.url.hostname).toBe(text.slice("https://".length).split(/[/:]/)[0]?.toLowerCase());
      expect([target.url.username, target.url.password, target.url.hash, target.url.search]).toEqual(["", "", "", ""]);
      // Parsing the stored text again gives the same target.
      expect(new URL(target.url.href).origin).toBe(target.url.origin);
    }),
    { numRuns: 5_000 },
  );
});

test("an IPv4 address is classified the same in every IPv6 notation", () => {
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
