import { generateKeyPairSync, randomUUID, sign } from "node:crypto";
import { Secret } from "@tollgate/domain/secret.ts";
import { expect, test } from "vitest";
import { createInternalCallers } from "./internal-callers.ts";
import { CachedKeyDirectory } from "./key-directory.ts";

const callersAt = (addresses: readonly string[]) =>
  createInternalCallers({
    listKeys: async () => [],
    findKey: async () => null,
    findMaster: () => null,
    addresses: () => addresses,
    now: () => 0,
    wallClock: () => 0,
  });

test.for([
  ["127.0.0.1", "127.0.0.1", true],
  ["127.8.9.1", "127.0.0.1", true],
  ["::1", "::1", true],
  ["::ffff:127.0.0.1", "::ffff:127.0.0.1", true],
  // The machine connects to itself through its network address.
  ["10.1.2.3", "10.1.2.3", true],
  ["10.1.2.4", "10.1.2.3", false],
  ["::ffff:10.1.2.4", "10.1.2.3", false],
  ["192.0.2.1", "127.0.0.1", false],
  ["2001:db8::1", "::1", false],
  ["", "", false],
  ["", "127.0.0.1", false],
] as const)("by default, a connection from %s to %s is internal: %s", ([peer, own, isInternal]) => {
  expect(callersAt([]).isInternal(peer, own)).toBe(isInternal);
});

test("the setting accepts IPv4 and IPv6 addresses and networks", () => {
  const callers = callersAt(["10.1.0.0/16", "192.0.2.7", "2001:db8::/32"]);
  const isInternal = (peer: string) => callers.isInternal(peer, "203.0.113.1");
  expect(["10.1.2.4", "::ffff:10.1.2.4", "192.0.2.7", "2001:db8::1", "127.0.0.1"].filter(isInternal)).toHaveLength(5);
  expect(["10.2.0.1", "192.0.2.8", "2001:db9::1"].some(isInternal)).toBe(false);
});

test("a flood of internal tokens with unknown key IDs causes at most two reads of the key list", async () => {
  let readings = 0;
  const callers = createInternalCallers({
    listKeys: async () => {
      readings += 1;
      return [];
    },
    findKey: async () => null,
    findMaster: () => null,
    addresses: () => [],
    now: () => performance.now(),
    wallClock: () => Date.now(),
  });
  const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64url");
  const passOf = (kid: string) => `${encode({ alg: "EdDSA", typ: "internal+jwt", kid })}.${encode({})}.AAAA`;
  const flood = Array.from({ length: 200 }, () => callers.read(passOf(randomUUID())));
  expect(new Set(await Promise.all(flood))).toEqual(new Set([null]));
  expect(readings).toBeLessThanOrEqual(2);
  expect(await callers.read(passOf("no kid of ours"))).toBeNull();
  expect(readings).toBeLessThanOrEqual(2);
});

test("an internal token has the administrator role only if it is for a master key run and a master key exists", async () => {
  const { publicKey, privateKey } = generateKeyPairSync("ed25519");
  const kid = randomUUID();
  const directory = new CachedKeyDirectory(
    async () => null,
    () => 0,
  );
  directory.setMasterKey(new Secret("sk-master-0123456789"));
  const callers = createInternalCallers({
    listKeys: async () => [{ kid, publicKey: { ...publicKey.export({ format: "jwk" }) } }],
    findKey: async () => null,
    findMaster: () => directory.master,
    addresses: () => [],
    now: () => 0,
    wallClock: () => 0,
  });
  const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64url");
  const passFor = (purpose: string) => {
    const claims = { iss: "tollgate", aud: "gateway", sub: "master", purpose, iat: 0, exp: 60 };
    const text = `${encode({ alg: "EdDSA", typ: "internal+jwt", kid })}.${encode(claims)}`;
    return `${text}.${sign(null, Buffer.from(text), privateKey).toString("base64url")}`;
  };
  expect(await callers.read(passFor("assistants.run"))).toMatchObject({
    caller: { role: "proxy_admin" },
    endpoint: "assistants.run",
  });
  expect(await callers.read(passFor("platform.messages"))).toEqual({ caller: null, endpoint: "platform.messages" });
  directory.setMasterKey(null);
  expect(await callers.read(passFor("assistants.run"))).toEqual({ caller: null, endpoint: "assistants.run" });
});
