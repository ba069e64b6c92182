import { createHash, randomUUID } from "node:crypto";
import { querySql } from "@tollgate/testkit/database.ts";
import { test } from "@tollgate/testkit/test.ts";
import { expect } from "vitest";
import { deleteExpiredAccountRows } from "../upkeep/delete-expired-account-rows.ts";
import {
  type CallClaim,
  claimCall,
  findRunning,
  releaseCall,
  renewCalls,
  saveIdempotentCall,
} from "./idempotent-calls.ts";

const digest = (text: string) => createHash("sha256").update(text).digest();
const keeping = {
  ...{ idempotencyHours: 24, endedSessionDays: 30, endedTokenDays: 1 },
  ...{ endedInvitationDays: 90, reconciliationDays: 400 },
};

const claimOf = (owner: string, key: string, body = "body"): CallClaim => ({
  owner,
  operation: "chat.completions",
  keyDigest: digest(key),
  organizationId: null,
  bodyDigest: digest(body),
  claim: randomUUID(),
});

test("a call holds its idempotency key until it responds or releases the key, and no other call can end the claim", async ({
  database,
}) => {
  const db = database.connect("tollgate_gateway");
  const first = claimOf("team:a", "key");
  expect(await claimCall(db, first)).toEqual({ kind: "first" });
  const second = claimOf("team:a", "key", "another");
  expect(await claimCall(db, second)).toMatchObject({ kind: "running", bodyDigest: digest("body") });
  expect(await claimCall(db, claimOf("team:b", "key"))).toEqual({ kind: "first" });
  await releaseCall(db, second);
  expect(await saveIdempotentCall(db, second, "forged")).toBe(false);
  // Even the right claim can't store a response for another owner.
  expect(await saveIdempotentCall(db, { ...first, owner: "team:b" }, "forged")).toBe(false);
  expect(await claimCall(db, second)).toMatchObject({ kind: "running" });
  await releaseCall(db, first);
  expect(await claimCall(db, second)).toEqual({ kind: "first" });
  expect(await saveIdempotentCall(db, second, "sealed")).toBe(true);
  expect(await claimCall(db, first)).toMatchObject({ kind: "answered", answer: "sealed" });
  await releaseCall(db, second);
  expect(await claimCall(db, first)).toMatchObject({ kind: "answered" });
});

test("a call counts as running while its claim is renewed and as interrupted otherwise, and the key expires after an hour", async ({
  database,
}) => {
  const db = database.connect("tollgate_gateway");
  const [silent, alive] = [claimOf("team:c", "silent"), claimOf("team:c", "alive")];
  for (const claim of [silent, alive]) await claimCall(db, claim);
  const change = (what: string) =>
    querySql(database.connectionString, `update idempotent_calls set ${what} where owner = 'team:c'`);
  await change("leased_until = now() - interval '1 second'");
  await renewCalls(db, [alive.claim]);
  expect(await findRunning(db, [silent, alive, claimOf("team:c", "unclaimed")])).toEqual(new Set([1]));
  expect(await claimCall(db, claimOf("team:c", "silent"))).toMatchObject({ kind: "cut_off" });
  expect(await claimCall(db, claimOf("team:c", "alive"))).toMatchObject({ kind: "running" });
  await change("expires_at = now() - interval '1 second'");
  expect(await claimCall(db, claimOf("team:c", "silent"))).toEqual({ kind: "first" });
  // The previous claim holder can no longer store a response.
  expect(await saveIdempotentCall(db, silent, "late")).toBe(false);
  await deleteExpiredAccountRows(database.connect("tollgate_worker"), keeping);
  const left = await querySql(database.connectionString, "select from idempotent_calls where owner = 'team:c'");
  expect(left).toHaveLength(1);
});
