import { readFileSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";
import { chatAnswer } from "@tollgate/testkit/chat-answers.ts";
import { startServe } from "@tollgate/testkit/processes/start-instance.ts";
import { replyLate } from "@tollgate/testkit/upstream-behaviors.ts";
import { waitFor } from "@tollgate/testkit/wait-for.ts";
import { expect, onTestFinished } from "vitest";
import { INPUT_PRICE, OUTPUT_PRICE, test } from "./billed-gateway.fixture.ts";

const COST = 12n * INPUT_PRICE + 3n * OUTPUT_PRICE;
const CREDIT = 1_000_000_000_000n;
const CALLERS = 12;
const KILLS = 2;
// Starting a process takes seconds while many tests run in parallel.
const PATIENCE = { limitMs: 40_000 };

/** Starts the gateway the same way as in production, with one process that the test can kill. */
async function serve(databaseUrl: string, origin: string) {
  const target = `api_base: "${origin}/v1", api_key: sk-upstream-0123456789`;
  const cost = "input_cost_per_token: 0.000001, output_cost_per_token: 0.000002";
  const settings = `model_list: [{ model_name: metered, litellm_params: { model: openai/m1, ${target}, ${cost} } }]
billing: { provider: fake }
`;
  const instance = await startServe({ databaseUrl, settings, roles: "gateway" });
  onTestFinished(instance.kill);
  const { url, program, stop } = instance;
  return { url, gatewayPid: () => childrenOf(program.pid)[0] ?? null, stop };
}

function childrenOf(pid: number): readonly number[] {
  const text = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").trim();
  return text === "" ? [] : text.split(" ").map(Number);
}

/** Sends calls with unique IDs until `isOver` returns true, and records the reported costs. */
async function keepCalling(url: string, key: string, name: string, isOver: () => boolean) {
  const answered = new Map<string, bigint>();
  let sent = 0;
  while (!isOver()) {
    const callId = `${name}-${sent}`;
    sent += 1;
    try {
      const answer = await fetch(`${url}/v1/chat/completions`, {
        method: "POST",
        headers: { "content-type": "application/json", "x-gw-api-key": key, "x-gw-call-id": callId },
        body: JSON.stringify({ model: "metered", max_tokens: 5, messages: [{ role: "user", content: "hello" }] }),
      });
      await answer.text();
      const cost = answer.headers.get("x-gw-response-cost-nano-usd");
      if (answer.status === 200 && cost !== null) answered.set(callId, BigInt(cost));
      else await pause(20);
    } catch {
      // The gateway was killed during the call.
      await pause(20);
    }
  }
  return answered;
}

test("a gateway that is repeatedly killed under load charges every completed call once", async ({
  tollgate,
  database,
  upstreams,
}) => {
  const tenant = await tollgate.addTenant({ credit: CREDIT });
  upstreams.alpha.behaves(replyLate(5, 200, chatAnswer({ inputTokens: 12, outputTokens: 3 })));
  const service = await serve(database.connectionString, upstreams.alpha.origin);
  let isOver = false;
  const callers = Array.from({ length: CALLERS }, (_, index) =>
    keepCalling(service.url, tenant.apiKey, `caller-${index}`, () => isOver),
  );
  for (let kills = 0; kills < KILLS; kills += 1) {
    const pid = await waitFor("a gateway process", service.gatewayPid, PATIENCE);
    const before = upstreams.alpha.requests.length;
    await waitFor("calls in its time", () => upstreams.alpha.requests.length > before + 60, PATIENCE);
    process.kill(pid, "SIGKILL");
    await waitFor("its end", () => service.gatewayPid() !== pid);
  }
  const before = upstreams.alpha.requests.length;
  await waitFor("calls after the last one", () => upstreams.alpha.requests.length > before + 30, PATIENCE);
  isOver = true;
  const answered = new Map((await Promise.all(callers)).flatMap((calls) => [...calls]));
  expect(answered.size).toBeGreaterThan(50);
  const areSettled = async () => {
    const known = new Set((await tollgate.calls(tenant)).map((row) => row.request_id));
    return [...answered.keys()].every((id) => known.has(id));
  };
  await waitFor("every answered call in the ledger", areSettled, PATIENCE);
  await service.stop();

  const rows = await tollgate.calls(tenant);
  expect(new Set(rows.map((row) => row.request_id)).size).toBe(rows.length);
  const costs = new Map(rows.map((row) => [row.request_id, row.cost]));
  for (const [id, cost] of answered) expect(costs.get(id)).toBe(cost);
  // A call whose response was lost with its gateway costs either its full price or nothing.
  expect(rows.filter(({ cost }) => cost !== COST && cost !== 0n)).toEqual([]);
  expect(rows.filter(({ cost }) => cost > 0n).length).toBeLessThanOrEqual(upstreams.alpha.requests.length);
  const charged = rows.reduce((sum, { cost }) => sum + cost, 0n);
  expect(await tollgate.balanceOf(tenant)).toBe(CREDIT - charged);
});
