import { addTenant } from "@tollgate/testkit/tenants.ts";
import { test } from "@tollgate/testkit/test.ts";
import { sql } from "kysely";
import { expect } from "vitest";
import { runAsAdministrator, runInOrganization } from "../tenancy.ts";
import { readQuotaProjections, rebuildQuota } from "./quota-projection.ts";

test("only the platform can rebuild a quota, and only for the organization that it acts for", async ({ database }) => {
  const platform = database.connect("tollgate_platform");
  const [{ organizationId }, other] = [await addTenant(platform, { credit: 500n }), await addTenant(platform)];
  for (const role of ["tollgate_gateway", "tollgate_worker"] as const) {
    const attempt = sql`select rebuild_quota(${organizationId}, '{}')`.execute(database.connect(role));
    await expect(attempt).rejects.toThrow("permission denied");
  }
  const foreign = runInOrganization(platform, other.organizationId, (transaction) =>
    rebuildQuota(transaction, organizationId, { type: "admin" }),
  );
  await expect(foreign).rejects.toThrow("is not the one this connection acts for");
  const seen = runInOrganization(platform, other.organizationId, (transaction) =>
    readQuotaProjections(transaction, organizationId),
  );
  expect(await seen).toBeNull();
});

test("rebuilding a valid row doesn't change it", async ({ database }) => {
  const platform = database.connect("tollgate_platform");
  const { organizationId } = await addTenant(platform, { credit: 500n });
  const { before, after } = await runAsAdministrator(platform, async (transaction) => {
    const found = await readQuotaProjections(transaction, organizationId);
    expect(await rebuildQuota(transaction, organizationId, { type: "admin" })).toBe(true);
    return { before: found, after: await readQuotaProjections(transaction, organizationId) };
  });
  expect(before?.stored).toMatchObject({ balance: 500n, totalGranted: 500n, totalUsed: 0n, leased: 0n });
  expect(after).toEqual(before);
});

test("rebuilding the quota of an unknown organization fails", async ({ database }) => {
  const rebuilt = runAsAdministrator(database.connect("tollgate_platform"), (transaction) =>
    rebuildQuota(transaction, "org_00000000000000000000000000", { type: "admin" }),
  );
  expect(await rebuilt).toBe(false);
});
