import { createHmac } from "node:crypto";
import { settleUsage } from "@tollgate/db/ledger/settle-usage.ts";
import { test as base } from "@tollgate/testkit/test.ts";
import { addTestPrice, makeUsageEvent } from "@tollgate/testkit/usage-events.ts";
import { waitFor } from "@tollgate/testkit/wait-for.ts";
import { expect, onTestFinished } from "vitest";
import { spawnWorker } from "../worker-process.fixture.ts";
import { openJobs, type ReceivedMessage, startReceiver } from "./jobs.fixture.ts";

const test = base.extend("receiver", async ({ task: _ }, { onCleanup }) => {
  const receiver = await startReceiver();
  onCleanup(() => receiver.close());
  return receiver;
});

const MINUTE_MS = 60_000;
const PAUSES_MS = [1, 5, 30, 120, 360, 720, 1440].map((minutes) => minutes * MINUTE_MS);

test("delivers an event to every subscribed webhook with a verifiable signature", async ({ database, receiver }) => {
  const jobs = openJobs(database);
  const worker = jobs.start();
  onTestFinished(() => worker.stop());
  const [ada, other] = [await jobs.addOwner(), await jobs.addOwner()];
  const first = await jobs.addWebhook(ada, `${receiver.url}/first?a=1`, ["key.created", "team.blocked"]);
  await jobs.addWebhook(ada, `${receiver.url}/second`, ["key.revoked"]);
  await jobs.addWebhook(other, `${receiver.url}/foreign`, ["key.created"]);
  await jobs.addEvent(ada, "key.created", { keyId: "key_1" });
  await waitFor("the message", () => receiver.messages.length > 0);
  await jobs.allDone();

  expect(receiver.messages.map(({ path }) => path)).toEqual(["/first?a=1"]);
  const { headers, body } = receiver.messages[0] as ReceivedMessage;
  const sent = JSON.parse(body) as { id: string; createdAt: string };
  expect(sent).toEqual({
    id: expect.stringMatching(/^evt_[0-9A-Z]{26}$/),
    type: "key.created",
    createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
    organizationId: ada.organizationId,
    data: { keyId: "key_1" },
  });
  expect(headers["x-gw-event-id"]).toBe(sent.id);
  const [, at = "", digest] = /^t=(\d+),v1=([0-9a-f]{64})$/.exec(String(headers["x-gw-signature"])) ?? [];
  expect(Math.abs(Date.now() / 1_000 - Number(at))).toBeLessThan(60);
  expect(digest).toBe(createHmac("sha256", first.secret).update(`${at}.${body}`).digest("hex"));
});

test("settlement sends an event for a low balance once, then for a negative balance, and then for the blocked team", async ({
  database,
  receiver,
}) => {
  const jobs = openJobs(database);
  const worker = jobs.start();
  onTestFinished(() => worker.stop());
  const { db } = jobs.context;
  await addTestPrice(db);
  const ada = await jobs.addOwner({ credit: 100n });
  await jobs.ask(
    `update organization_quota set low_balance_threshold = 50 where organization_id = '${ada.organizationId}'`,
  );
  await jobs.addWebhook(ada, receiver.url, ["balance.low", "balance.negative", "team.blocked", "team.unblocked"]);
  for (const cost of [40n, 20n, 10n, 31n]) {
    await settleUsage(db, [makeUsageEvent(ada, cost)]);
    await jobs.allDone();
  }
  const types = receiver.messages.map(({ body }) => (JSON.parse(body) as { type: string }).type);
  expect(types.toSorted()).toEqual(["balance.low", "balance.negative", "team.blocked"]);
  const low = receiver.messages.map(({ body }) => JSON.parse(body)).find(({ type }) => type === "balance.low");
  expect(low.data).toEqual({ balance: "40", threshold: "50" });
});

test("tries a failing delivery eight times over two days, then disables the webhook and writes an audit log entry", async ({
  database,
  receiver,
}) => {
  const jobs = openJobs(database);
  receiver.answer = { status: 500, body: "a very secret stack trace" };
  const ada = await jobs.addOwner();
  const webhook = await jobs.addWebhook(ada, receiver.url, ["key.created"]);
  await jobs.addEvent(ada, "key.created");
  let dueAtMs = Date.now();
  const worker = jobs.start();
  onTestFinished(() => worker.stop());
  const read = async () => {
    const [row] = await jobs.ask<{ attempts: number; nextAtMs: number; row: string }>(
      `select attempts, extract(epoch from next_at) * 1000 as "nextAtMs", to_jsonb(d)::text as row
         from webhook_deliveries d where webhook_id = '${webhook.id}'`,
    );
    return row;
  };
  for (const [index, pause] of PAUSES_MS.entries()) {
    const row = await waitFor(`try ${index + 1}`, async () => {
      const found = await read();
      return found?.attempts === index + 1 ? found : null;
    });
    // The try was made at some time since it was due.
    expect(Number(row.nextAtMs) - dueAtMs).toBeGreaterThan(pause * 0.98);
    expect(Number(row.nextAtMs) - Date.now()).toBeLessThan(pause * 1.2);
    dueAtMs = Date.now();
    await jobs.hurry();
  }
  await waitFor("the listener to be disabled", async () => {
    const [row] = await jobs.ask<{ status: string }>(`select status from webhooks where id = '${webhook.id}'`);
    return row?.status === "disabled";
  });
  await jobs.allDone();
  expect(receiver.messages).toHaveLength(8);
  expect(new Set(receiver.messages.map(({ headers }) => headers["x-gw-event-id"])).size).toBe(1);
  expect((await read())?.row).not.toContain("stack trace");
  const audit = await jobs.ask(`select action, after from audit_log where target ->> 'id' = '${webhook.id}'`);
  expect(audit).toEqual([{ action: "org.webhook_disabled", after: { status: "disabled", lastOutcome: "500" } }]);

  receiver.answer = { status: 200 };
  await jobs.addEvent(ada, "key.created");
  await jobs.allDone();
  expect(receiver.messages).toHaveLength(8);
});

test("if a worker is killed during a delivery, another worker completes it", async ({ database, receiver }) => {
  const jobs = openJobs(database);
  receiver.answer = "nothing";
  const ada = await jobs.addOwner();
  await jobs.addWebhook(ada, receiver.url, ["key.created"]);
  const { secretKey } = jobs;
  const doomed = spawnWorker({ connectionString: database.connectionString, natsUrl: null, secretKey });
  onTestFinished(() => void doomed.kill("SIGKILL"));
  await jobs.addEvent(ada, "key.created");
  await waitFor("the first try", () => receiver.messages.length === 1);
  doomed.kill("SIGKILL");

  receiver.answer = { status: 200 };
  await jobs.ask(
    `update graphile_worker._private_jobs set locked_at = now() - interval '6 minutes' where locked_at is not null`,
  );
  const survivor = jobs.start();
  onTestFinished(() => survivor.stop());
  await jobs.ask(`select graphile_worker.add_job('free_stuck_jobs')`);
  await waitFor("the second try", () => receiver.messages.length === 2);
  await jobs.allDone();
  const ids = receiver.messages.map(({ headers }) => headers["x-gw-event-id"]);
  expect(ids[1]).toBe(ids[0]);
  const [left] = await jobs.ask<{ left: string }>(
    `select count(*) as left from webhook_deliveries where delivered_at is null and given_up_at is null`,
  );
  expect(left?.left).toBe("0");
});

test("does not call a target that the operator no longer allows, even for an existing webhook", async ({
  database,
  receiver,
}) => {
  const jobs = openJobs(database, { outboundAllow: [], publicUrl: "http://gw.example.com" });
  const worker = jobs.start();
  onTestFinished(() => worker.stop());
  const ada = await jobs.addOwner();
  const webhook = await jobs.addWebhook(ada, receiver.url, ["key.created"]);
  await jobs.addEvent(ada, "key.created");
  const outcome = () =>
    jobs.ask<{ last: string }>(
      `select last_outcome as last from webhook_deliveries where webhook_id = '${webhook.id}'`,
    );
  await waitFor("a refused try", async () => (await outcome())[0]?.last === "refused_address");
  expect(receiver.messages).toEqual([]);
});
