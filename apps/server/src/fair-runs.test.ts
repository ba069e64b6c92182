import { waitFor } from "@tollgate/testkit/wait-for.ts";
import { expect, onTestFinished } from "vitest";
import { test } from "./hosted-assistants.fixture.ts";

const USD = 1_000_000_000n;
/** A worker has 50 slots, and a tenant gets as many as it leaves free. */
const SHARE = 25;

test("with 150 runs of one tenant, another tenant's run starts within 2 seconds", async ({
  hosted,
  database,
  upstream,
  runWorker: _,
}) => {
  upstream.hangs();
  const worker = database.connect("tollgate_worker");
  // Runs whose rows are gone are aborted, so that the worker can stop.
  onTestFinished(async () => void (await worker.deleteFrom("threads").execute()));
  const addTenant = async (model: string) => {
    const person = await hosted.signUp();
    await hosted.addCredit(person, USD);
    const { token } = await hosted.createKey(person);
    const ask = async (method: string, path: string, body?: object) => {
      const answer = await hosted.api(method, path, { token, ...(body && { body }) });
      expect(answer.status, answer.text).toBe(200);
      return answer.body;
    };
    const assistant = await ask("POST", "/v1/assistants", { model });
    const thread = { messages: [{ role: "user", content: "hello" }] };
    return { ask, run: () => ask("POST", "/v1/threads/runs", { assistant_id: assistant.id, thread }) };
  };
  const [busy, other] = [await addTenant("metered"), await addTenant("sim/echo")];
  for (let left = 150; left > 0; left -= 10) await Promise.all(Array.from({ length: 10 }, () => busy.run()));
  await waitFor("the busy tenant's share of the slots", () => upstream.requests.length === SHARE);

  const created = await other.run();
  const path = `/v1/threads/${created.thread_id}/runs/${created.id}`;
  await waitFor("the start", async () => (await other.ask("GET", path)).started_at !== null, { limitMs: 2_000 });
  await waitFor("the end", async () => (await other.ask("GET", path)).status === "completed");
  const { waiting } = await worker
    .selectFrom("thread_runs")
    .select((eb) => eb.fn.countAll<bigint>().as("waiting"))
    .where("status", "=", "queued")
    .executeTakeFirstOrThrow();
  expect(Number(waiting)).toBe(150 - SHARE);
});
