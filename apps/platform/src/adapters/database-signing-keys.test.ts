import { randomUUID } from "node:crypto";
import { test } from "@tollgate/testkit/test.ts";
import { expect } from "vitest";
import { signUpUser, startIdentity, whoAmI } from "../identity/identity.fixture.ts";
import { createDatabaseSigningKeys, rotateSigningKey } from "./database-signing-keys.ts";

const kidOf = (token: string): string =>
  JSON.parse(Buffer.from(token.split(".")[0] as string, "base64url").toString()).kid;
const MINUTE = 60_000;

test("processes that start concurrently agree on one signing key", async ({ database }) => {
  const { services } = await startIdentity(database);
  const { db, secrets } = services;
  const many = Array.from({ length: 4 }, () => createDatabaseSigningKeys(db, secrets, () => performance.now()));
  const kids = await Promise.all(many.map(async (keys) => (await keys.current()).kid));
  expect(new Set(kids).size).toBe(1);
});

test("during a rotation, old tokens stay valid and every process accepts new tokens", async ({ database }) => {
  const [one, other] = [await startIdentity(database), await startIdentity(database)];
  const { token: old } = await signUpUser(one);
  expect((await whoAmI(other, old)).status).toBe(200);
  const { db, secrets } = one.services;
  const { kid } = await rotateSigningKey(db, secrets, new Date());
  // A new process signs with the new key before the two running processes have reloaded their keys.
  const third = await startIdentity(database);
  const { token: fresh } = await signUpUser(third);
  expect(kidOf(fresh)).toBe(kid);
  expect(kidOf(old)).not.toBe(kid);
  for (const platform of [one, other, third]) {
    for (const token of [old, fresh]) expect((await whoAmI(platform, token)).status).toBe(200);
  }
});

test("the signing process picks up a rotation within a minute", async ({ database }) => {
  const { services } = await startIdentity(database);
  let clockMs = 0;
  const keys = createDatabaseSigningKeys(services.db, services.secrets, () => clockMs);
  const before = (await keys.current()).kid;
  const { kid } = await rotateSigningKey(services.db, services.secrets, new Date());
  clockMs += MINUTE - 1;
  expect((await keys.current()).kid).toBe(before);
  clockMs += 1;
  expect((await keys.current()).kid).toBe(kid);
  expect((await keys.find(before))?.kid).toBe(before);
});

test("a compromised key verifies no tokens after processes reload the keys", async ({ database }) => {
  const { services } = await startIdentity(database);
  let clockMs = 0;
  const keys = createDatabaseSigningKeys(services.db, services.secrets, () => clockMs);
  const before = (await keys.current()).kid;
  await rotateSigningKey(services.db, services.secrets, new Date(Date.now() - 1_000), { isCompromised: true });
  clockMs += MINUTE;
  expect(await keys.find(before)).toBeNull();
});

test("many tokens with unknown key IDs cause at most two key queries", async ({ database }) => {
  const { services } = await startIdentity(database);
  let queries = 0;
  const counted = services.db.withPlugin({
    transformQuery: ({ node }) => {
      queries += 1;
      return node;
    },
    transformResult: async ({ result }) => result,
  });
  const keys = createDatabaseSigningKeys(counted, services.secrets, () => performance.now());
  await keys.current();
  queries = 0;
  const unknown = Array.from({ length: 200 }, () => keys.find(randomUUID()));
  expect(await Promise.all(unknown)).toEqual(Array.from({ length: 200 }, () => null));
  expect(await keys.find("not-even-a-key")).toBeNull();
  expect(queries).toBeGreaterThan(0);
  expect(queries).toBeLessThanOrEqual(2);
});
