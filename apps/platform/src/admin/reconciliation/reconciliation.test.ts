import { reconcile } from "@tollgate/db/reconciliation/reports.ts";
import { querySql } from "@tollgate/testkit/database.ts";
import { test } from "@tollgate/testkit/test.ts";
import { waitFor } from "@tollgate/testkit/wait-for.ts";
import { expect, onTestFinished } from "vitest";
import { startTestPlatform } from "../../platform.fixture.ts";

const PATH = "/api/admin/reconciliation";

test("an administrator verifies the ledger and reads the last report", async ({ database }) => {
  const platform = await startTestPlatform(database);
  onTestFinished(() => platform.close());
  const admin = await platform.addUser({ role: "admin" });
  const ask = <Row>(text: string) => querySql<Row>(database.connectionString, text);
  const token = { token: admin.token };
  expect(await platform.api("GET", PATH, token)).toMatchObject({ status: 404 });

  // Waits for one job and completes it as a worker would.
  const workForOne = async () => {
    await waitFor("the job", async () => {
      const jobs = await ask("select from graphile_worker.jobs where task_identifier = 'reconcile'");
      return jobs.length === 1;
    });
    await reconcile(database.connect("tollgate_worker"));
    await ask("select graphile_worker.complete_jobs(array(select id from graphile_worker.jobs))");
  };
  const [good] = await Promise.all([platform.api("POST", PATH, token), workForOne()]);
  expect(good).toMatchObject({ status: 200, body: { ok: true, ranAt: expect.stringMatching(/Z$/) } });
  expect(good.body.checks.find(({ id }: { id: string }) => id === "R1")).toMatchObject({
    ok: true,
    count: 0,
    examples: [],
  });

  await ask(`update organization_quota set balance = balance + 7, total_adjusted = total_adjusted + 7
    where organization_id = '${admin.organizationId}'`);
  const [broken] = await Promise.all([platform.api("POST", PATH, token), workForOne()]);
  expect(broken).toMatchObject({ status: 200, body: { ok: false } });
  expect(broken.body.ranAt > good.body.ranAt).toBe(true);
  expect(broken.body.checks.find(({ id }: { id: string }) => id === "R1")).toMatchObject({
    ok: false,
    count: 1,
    examples: [`${admin.organizationId} balance: expected 0, found 7`],
  });
  expect((await platform.api("GET", PATH, token)).body).toEqual(broken.body);
});

test("returns 403 to other users and 401 without a token", async ({ database }) => {
  const platform = await startTestPlatform(database);
  onTestFinished(() => platform.close());
  const { token } = await platform.addUser();
  for (const method of ["GET", "POST"]) {
    expect(await platform.api(method, PATH, { token })).toMatchObject({
      status: 403,
      body: { code: "FORBIDDEN", details: { reason: "ADMIN_REQUIRED" } },
    });
    expect(await platform.api(method, PATH)).toMatchObject({ status: 401, body: { code: "UNAUTHORIZED" } });
  }
});
