import { randomBytes } from "node:crypto";
import { runUnauthenticated } from "@tollgate/db/tenancy.ts";
import { makePrefixedId } from "@tollgate/domain/ids.ts";
import { test } from "@tollgate/testkit/test.ts";
import { waitFor } from "@tollgate/testkit/wait-for.ts";
import { parseCrontab } from "graphile-worker";
import { expect, onTestFinished } from "vitest";
import { openJobs } from "./jobs.fixture.ts";
import { crontab, tasks } from "./tasks.ts";

test("every crontab entry names an existing task", () => {
  const items = parseCrontab(crontab);
  expect(items.length).toBeGreaterThan(4);
  for (const { task } of items) expect(Object.keys(tasks)).toContain(task);
});

test("deletes only rows that expired or were revoked long ago", async ({ database }) => {
  const jobs = openJobs(database);
  const { email } = await jobs.addOwner();
  const platform = database.connect("tollgate_platform");
  const before = (days: number) => new Date(Date.now() - days * 86_400_000);
  const [longAgo, lately, later] = [before(40), before(0.5), before(-1)];
  await runUnauthenticated(platform, async (door) => {
    const { id: user_id } = await door
      .selectFrom("users")
      .select("id")
      .where("email", "=", email)
      .executeTakeFirstOrThrow();
    const session = (current_jti: string, expires_at: Date, revoked_at: Date | null) => ({
      ...{ id: makePrefixedId("ses", Date.now()), user_id, current_jti, expires_at, revoked_at },
    });
    await door
      .insertInto("sessions")
      .values([
        session("expired long ago", longAgo, null),
        session("revoked long ago", later, longAgo),
        session("revoked lately", later, lately),
        session("live", later, null),
      ])
      .execute();
    const token = (purpose: "verify_email" | "reset_password", expires_at: Date, used_at: Date | null) => ({
      ...{ digest: randomBytes(32), user_id, purpose, expires_at, used_at },
    });
    await door
      .insertInto("user_tokens")
      .values([token("verify_email", longAgo, null), token("reset_password", later, null)])
      .execute();
    await door
      .insertInto("login_failures")
      .values([
        { email_digest: Buffer.from("old"), failures: 5, window_started_at: longAgo, locked_until: longAgo },
        { email_digest: Buffer.from("locked"), failures: 5, window_started_at: longAgo, locked_until: later },
      ])
      .execute();
  });
  await jobs.ask(`begin; set local tollgate.user_id = '1'; set local role tollgate_platform;
    insert into idempotency_keys (user_id, method, path, key, body_digest, status, body, created_at)
    select 1, 'POST', '/', name, decode(repeat('00', 32), 'hex'), 200, '', at
      from (values ('old', now() - interval '25 hours'), ('fresh', now() - interval '23 hours')) as v (name, at);
    commit`);
  const worker = jobs.start();
  onTestFinished(() => worker.stop());
  await jobs.ask("select graphile_worker.add_job('delete_expired_rows')");
  const left = async (text: string) => (await jobs.ask<{ name: string }>(text)).map(({ name }) => name);
  await waitFor("the old key to go", async () => (await left("select key as name from idempotency_keys")).length === 1);
  await jobs.allDone();
  expect(await left("select key as name from idempotency_keys")).toEqual(["fresh"]);
  expect(await left("select current_jti as name from sessions order by 1")).toEqual(["live", "revoked lately"]);
  expect(await left("select purpose as name from user_tokens")).toEqual(["reset_password"]);
  expect(await left("select convert_from(email_digest, 'UTF8') as name from login_failures")).toEqual(["locked"]);
});

// cspell:ignore tidy
test("runs jobs that the previous release queued under the task name 'tidy'", () => {
  expect(tasks.tidy).toBe(tasks.delete_expired_rows);
});

test("reports an exhausted key budget once, and again after the raised budget is exhausted", async ({ database }) => {
  const jobs = openJobs(database);
  const ada = await jobs.addOwner();
  const worker = jobs.start();
  onTestFinished(() => worker.stop());
  const spend = async (spent: number, amount = 100) => {
    await jobs.ask(`insert into budget_windows (organization_id, scope, scope_id, starts_at, ends_at, amount, spent)
      values ('${ada.organizationId}', 'key', '${ada.keyId}', '-infinity', 'infinity', ${amount}, ${spent})
      on conflict (organization_id, scope, scope_id, starts_at) do update set spent = ${spent}, amount = ${amount}`);
    await jobs.ask("select graphile_worker.add_job('report_budgets')");
    await jobs.allDone();
    return jobs.ask<{ data: object }>(
      `select data from outbox where type = 'key.budget_exhausted' and organization_id = '${ada.organizationId}'`,
    );
  };
  expect(await spend(99)).toEqual([]);
  const reported = { data: { keyId: ada.keyId, limit: "100", spent: "100", resetsAt: null } };
  expect(await spend(100)).toEqual([reported]);
  expect(await spend(101)).toHaveLength(1);
  expect(await spend(101, 200)).toHaveLength(1);
  expect(await spend(200, 200)).toHaveLength(2);
});
