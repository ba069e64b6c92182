import { testCli } from "@tollgate/cli/cli.fixture.ts";
import { reconcile } from "@tollgate/db/reconciliation/reports.ts";
import { startTestPlatform } from "@tollgate/platform/platform.fixture.ts";
import { querySql } from "@tollgate/testkit/database.ts";
import { test } from "@tollgate/testkit/test.ts";
import { waitFor } from "@tollgate/testkit/wait-for.ts";
import { expect, onTestFinished } from "vitest";

test("reconcile prints every check, shows an example for each failed check, and sets the exit code", async ({
  database,
}) => {
  const platform = await startTestPlatform(database);
  onTestFinished(() => platform.close());
  const admin = await platform.addUser({ role: "admin" });
  const cli = testCli({ env: { TOLLGATE_URL: platform.url } });
  cli.signIn(platform.url, admin.token);
  const ask = <Row>(text: string) => querySql<Row>(database.connectionString, text);
  // Waits for one job and completes it as a worker would.
  const workForOne = async () => {
    await waitFor("the job", async () => {
      const jobs = await ask("select from graphile_worker.jobs where task_identifier = 'reconcile'");
      return jobs.length === 1;
    });
    await reconcile(database.connect("tollgate_worker"));
    await ask("select graphile_worker.complete_jobs(array(select id from graphile_worker.jobs))");
  };

  const [good] = await Promise.all([cli.run(["admin", "reconcile"]), workForOne()]);
  expect(good.code).toBe(0);
  for (const line of good.stdout.trimEnd().split("\n")) expect(line).toMatch(/^\w+\tok\t0$/);
  expect((await cli.run(["admin", "reconcile", "--last", "--jq", ".ok"])).stdout).toBe("true\n");

  await ask(`update organization_quota set balance = balance + 7, total_adjusted = total_adjusted + 7
    where organization_id = '${admin.organizationId}'`);
  const terminal = { columns: 100 };
  const [broken] = await Promise.all([cli.run(["admin", "reconcile", "--no-color"], { terminal }), workForOne()]);
  expect(broken.code).toBe(1);
  expect(broken.stdout).toContain(`    ${admin.organizationId} balance: expected 0, found 7\n`);
});
