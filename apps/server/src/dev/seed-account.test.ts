import { postEntry } from "@tollgate/db/ledger/post-entry.ts";
import { readQuota } from "@tollgate/db/ledger/read-quota.ts";
import { actAsAdministrator } from "@tollgate/db/tenancy.ts";
import { makeApiKey } from "@tollgate/domain/api-keys.ts";
import { test } from "@tollgate/testkit/test.ts";
import { expect } from "vitest";
import { DEMO_CREDIT, seedAccount } from "./seed-account.ts";

test("the first start makes an account with demo credit, later ones find what is left of it", async ({ database }) => {
  const apiKey = makeApiKey();
  expect(await seedAccount(database.connectionString, apiKey)).toEqual({ isNew: true, balance: DEMO_CREDIT });
  await actAsAdministrator(database.connect("tollgate_platform"), async (transaction) => {
    const { id: organizationId } = await transaction.selectFrom("organizations").select("id").executeTakeFirstOrThrow();
    const entry = {
      kind: "adjustment",
      organizationId,
      amount: -1n,
      idempotencyKey: "adjust:one",
      actor: "test",
    } as const;
    await postEntry(transaction, entry);
    expect((await readQuota(transaction, organizationId))?.balance).toBe(DEMO_CREDIT - 1n);
  });
  expect(await seedAccount(database.connectionString, apiKey)).toEqual({ isNew: false, balance: DEMO_CREDIT - 1n });
});
