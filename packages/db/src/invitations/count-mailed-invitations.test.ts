import { hashApiKey } from "@tollgate/domain/api-keys.ts";
import { makePrefixedId } from "@tollgate/domain/ids.ts";
import { addTenant } from "@tollgate/testkit/tenants.ts";
import { test } from "@tollgate/testkit/test.ts";
import { sql } from "kysely";
import { expect } from "vitest";
import { runAsAdministrator } from "../tenancy.ts";

const SINCE = new Date("2026-01-01T00:00:00Z");

test("a mailbox is counted with an index, with all its tags, and without those of other mailboxes", async ({
  database,
}) => {
  const platform = database.connect("tollgate_platform");
  const { organizationId } = await addTenant(platform);
  const emails = ["ann@example.com", "ann+a@example.com", "ann+a+b@example.com", "anna@example.com", "+a@example.com"];
  await runAsAdministrator(platform, async (transaction) => {
    const { id: invitedBy } = await transaction
      .insertInto("users")
      .values({ email: "owner@example.com", name: "Owner" })
      .returning("id")
      .executeTakeFirstOrThrow();
    for (const email of emails) {
      await transaction
        .insertInto("invitations")
        .values({
          ...{ id: makePrefixedId("inv", Date.now()), organization_id: organizationId, email, role: "member" },
          ...{ token_digest: hashApiKey(email), invited_by: invitedBy, expires_at: new Date() },
        })
        .execute();
    }
    const count = async (email: string) =>
      (
        await sql<{ count: number }>`select count_mailed_invitations(${email}, ${SINCE}, 10) as count`.execute(
          transaction,
        )
      ).rows[0]?.count;
    // The table is small, so PostgreSQL would scan it even with an index.
    await sql`set local enable_seqscan = off`.execute(transaction);
    const scans = async () =>
      (
        await sql<{ scans: bigint }>`
          select seq_scan as scans from pg_stat_xact_user_tables where relname = 'invitations'`.execute(transaction)
      ).rows;
    const before = await scans();
    expect(await count("ann@example.com")).toBe(3);
    expect(await count("ann+c@example.com")).toBe(3);
    expect(await count("anna+c@example.com")).toBe(1);
    expect(await count("+a@example.com")).toBe(1);
    expect(await count("+b@example.com")).toBe(0);
    expect(await scans()).toEqual(before);
  });
});
