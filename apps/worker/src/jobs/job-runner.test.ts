import { test } from "@tollgate/testkit/test.ts";
import { waitFor } from "@tollgate/testkit/wait-for.ts";
import { expect, onTestFinished } from "vitest";
import { openJobs, startReceiver } from "./jobs.fixture.ts";

test("jobs continue after the database closes every connection", async ({ database }) => {
  const receiver = await startReceiver();
  onTestFinished(() => receiver.close());
  const jobs = openJobs(database);
  const ada = await jobs.addOwner();
  await jobs.addWebhook(ada, receiver.url, ["key.created"]);
  const worker = jobs.start();
  onTestFinished(() => worker.stop());
  await jobs.addEvent(ada, "key.created");
  await waitFor("the first message", () => receiver.messages.length === 1);
  const cut = await jobs.ask(
    `select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and application_name in ('tollgate queue', 'tollgate jobs')`,
  );
  expect(cut.length).toBeGreaterThan(1);
  await jobs.addEvent(ada, "key.created");
  await waitFor("the second message", () => receiver.messages.length === 2);
});

test("a stopping worker finishes its current job", async ({ database }) => {
  const receiver = await startReceiver();
  onTestFinished(() => receiver.close());
  receiver.answer = "nothing";
  const jobs = openJobs(database);
  const ada = await jobs.addOwner();
  const { id } = await jobs.addWebhook(ada, receiver.url, ["key.revoked"]);
  const worker = jobs.start();
  await jobs.addEvent(ada, "key.revoked");
  await waitFor("the message", () => receiver.messages.length === 1);
  await worker.stop();
  const [delivery] = await jobs.ask(`select attempts, last_outcome from webhook_deliveries where webhook_id = '${id}'`);
  expect(delivery).toEqual({ attempts: 1, last_outcome: "timeout" });
  const [locked] = await jobs.ask<{ count: string }>(
    `select count(*) from graphile_worker._private_jobs where locked_at is not null and payload ->> 'webhookId' = '${id}'`,
  );
  expect(locked?.count).toBe("0");
});
