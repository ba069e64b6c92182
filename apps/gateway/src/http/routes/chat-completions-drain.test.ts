import { Agent, request } from "node:http";
import { sseFrame } from "@tollgate/testkit/chat-answers.ts";
import { waitFor } from "@tollgate/testkit/wait-for.ts";
import { describe, expect } from "vitest";
import { MASTER_KEY, type TestGateway } from "../../test-gateway.fixture.ts";
import { chunk, chunksOf, errorOf, readerOf, test } from "./chat-gateway.fixture.ts";

const stream = { model: "alpha", stream: true };

interface TextCollector {
  readonly status: number;
  readonly connection: string | undefined;
  readonly isReused: boolean;
  readonly text: string;
}

/** Makes a call over the agent's only connection. */
function callOver(agent: Agent, gateway: TestGateway, model: string): Promise<TextCollector> {
  return new Promise((resolve, reject) => {
    const headers = { "content-type": "application/json", "x-gw-api-key": MASTER_KEY };
    const asking = request(`${gateway.url}/v1/chat/completions`, { method: "POST", agent, headers }, (answer) => {
      let text = "";
      answer.on("data", (data: Buffer) => (text += data.toString()));
      answer.on("end", () => {
        const { statusCode: status = 0, headers: sent } = answer;
        resolve({ status, connection: sent.connection, isReused: asking.reusedSocket, text });
      });
    });
    asking.once("error", reject);
    asking.end(JSON.stringify({ model, messages: [{ role: "user", content: "hello" }] }));
  });
}

describe("a draining process", () => {
  test("responds until load balancers notice the drain, and closes each connection after its response", async ({
    gateway,
  }) => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    expect((await callOver(agent, gateway, "sim/echo")).connection).toBe("keep-alive");
    gateway.gateway.announceLeaving();
    const readiness = await fetch(`${gateway.url}/health/readiness`);
    expect([readiness.status, readiness.headers.get("connection")]).toEqual([503, "close"]);
    expect(await callOver(agent, gateway, "sim/echo")).toMatchObject({
      status: 200,
      connection: "close",
      isReused: true,
    });
    agent.destroy();
  });

  test("sends Connection: close in the responses to calls in flight", async ({ gateway }) => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    const running = callOver(agent, gateway, "sim/slow?ttft=300ms");
    await waitFor("the call to run", () => gateway.gateway.liveCalls === 1);
    gateway.gateway.announceLeaving();
    expect(await running).toMatchObject({ status: 200, connection: "close" });
    agent.destroy();
  });

  test("serves one last request on a connection that has not received Connection: close", async ({ start }) => {
    const gateway = await start();
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    await callOver(agent, gateway, "sim/echo");
    const running = gateway.chat({ model: "sim/slow?ttft=400ms" });
    await waitFor("the call to run", () => gateway.gateway.liveCalls === 1);
    const drained = gateway.gateway.drain(5_000);
    expect(await callOver(agent, gateway, "sim/echo")).toMatchObject({
      status: 200,
      connection: "close",
      isReused: true,
    });
    expect((await running).status).toBe(200);
    await drained;
    agent.destroy();
  });

  test("ends an overdue stream with a retryable error and charges for the delivered output", async ({
    start,
    upstreams,
  }) => {
    const gateway = await start();
    upstreams.alpha.streams([sseFrame(chunk("one ")), sseFrame(chunk("two "))], { hangAfterFrames: 2 });
    const reader = await readerOf(gateway.chat(stream));
    await waitFor("both frames", () => reader.text.includes('"two "'));
    await gateway.gateway.drain(50);
    await reader.done;
    const { chunks, isDone, error } = chunksOf(reader.text);
    expect([chunks.length, isDone]).toEqual([2, false]);
    expect(error).toMatchObject({ code: "shutting_down", type: "server_error" });
    expect((await upstreams.alpha.ended(0)).end?.kind).toBe("aborted");
    expect(gateway.records).toMatchObject([{ status: "failure", errorCode: "shutting_down" }]);
    expect(gateway.records[0]?.usage).toMatchObject({ source: "estimated" });
    expect(gateway.records[0]?.usage.outputTokens).toBeGreaterThan(0);
  });

  test("returns a retryable error for a call that has no response yet, and tries no other deployment", async ({
    start,
    upstreams,
  }) => {
    const gateway = await start({ yaml: "router_settings: { num_retries: 3, fallbacks: [{ alpha: [beta] }] }" });
    upstreams.alpha.hangs();
    const asking = gateway.chat({ model: "alpha" });
    await upstreams.alpha.request(0);
    await gateway.gateway.drain(50);
    const answer = await asking;
    expect([answer.status, (await errorOf(answer)).code]).toEqual([503, "shutting_down"]);
    expect(upstreams.beta.requests).toHaveLength(0);
    expect(gateway.records).toMatchObject([{ status: "failure", cost: 0n }]);
  });
});
