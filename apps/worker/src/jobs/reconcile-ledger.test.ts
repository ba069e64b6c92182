import { test } from "@tollgate/testkit/test.ts";
import { waitFor } from "@tollgate/testkit/wait-for.ts";
import { expect, onTestFinished } from "vitest";
import { openJobs } from "./jobs.fixture.ts";

test("a failed ledger verification is reported and logged, and leaves the ledger unchanged", async ({ database }) => {
  const jobs = openJobs(database);
  const ada = await jobs.addOwner({ credit: 100n });
  const worker = jobs.start();
  onTestFinished(() => worker.stop());
  const reports = () =>
    jobs.ask<{ is_ok: boolean; report: { checks: { id: string; ok: boolean; count: number; examples: string[] }[] } }>(
      "select is_ok, report from reconciliation_reports order by id",
    );
  await jobs.ask("select graphile_worker.add_job('reconcile')");
  await waitFor("a report", async () => (await reports()).length === 1);
  expect((await reports())[0]).toMatchObject({ is_ok: true });

  await jobs.ask(`update organization_quota set balance = balance + 7, total_adjusted = total_adjusted + 7
    where organization_id = '${ada.organizationId}'`);
  await jobs.ask("select graphile_worker.add_job('reconcile')");
  await waitFor("another report", async () => (await reports()).length === 2);
  await jobs.allDone();
  const broken = (await reports())[1];
  expect(broken?.is_ok).toBe(false);
  const first = broken?.report.checks.find(({ id }) => id === "R1");
  expect(first).toMatchObject({ ok: false, count: 1, examples: [expect.stringContaining(ada.organizationId)] });
  expect(jobs.errors).toEqual([expect.stringMatching(/^ledger verification failed: .*R1 \(1\)/)]);
  const [event] = await jobs.ask<{ delivered_at: Date }>(
    "select delivered_at from outbox where type = 'reconciliation.failed'",
  );
  expect(event?.delivered_at).toBeInstanceOf(Date);
  const [quota] = await jobs.ask(
    `select balance from organization_quota where organization_id = '${ada.organizationId}'`,
  );
  expect(quota).toEqual({ balance: "107" });
});
