import { DONE_FRAME } from "@tollgate/testkit/chat-answers.ts";
import { waitFor } from "@tollgate/testkit/wait-for.ts";
import { describe, expect, test } from "vitest";
import type { AnswerControl, AnswerListener } from "../../call/provider.ts";
import { createSimTransport } from "./sim-transport.ts";

class Received implements AnswerListener {
  status = 0;
  text = "";
  end: "complete" | "cut" | null = null;
  dataAtMs: number[] = [];
  onStart(_control: AnswerControl, status: number): void {
    this.status = status;
  }
  onData(chunk: Buffer): void {
    this.text += chunk.toString("utf8");
    this.dataAtMs.push(performance.now());
  }
  onEnd(): void {
    this.end = "complete";
  }
  onError(): void {
    this.end = "cut";
  }
  get frames(): string[] {
    return this.text.split("\n\n").slice(0, -1);
  }
}

function send(model: string, fields: object = {}): { received: Received; control: AnswerControl } {
  const received = new Received();
  const body = { model, messages: [{ role: "user", content: "one two three four" }], ...fields };
  const control = createSimTransport().send(
    { path: "/chat/completions", headers: [], body: Buffer.from(JSON.stringify(body)) },
    received,
  );
  return { received, control };
}

async function receive(model: string, fields: object = {}): Promise<Received> {
  const { received } = send(model, fields);
  await waitFor("the simulated answer to end", () => received.end);
  return received;
}

test("returns a complete response with usage if streaming is off", async () => {
  const { status, text } = await receive("echo");
  expect(status).toBe(200);
  expect(JSON.parse(text)).toMatchObject({
    object: "chat.completion",
    choices: [{ message: { role: "assistant", content: "one two three four" }, finish_reason: "stop" }],
    usage: { prompt_tokens: 8, completion_tokens: 4, total_tokens: 12 },
  });
});

describe("simulated stream", () => {
  test("has one role, the text, one finish reason, and the [DONE] frame", async () => {
    const received = await receive("echo", { stream: true });
    const chunks = received.frames.slice(0, -1).map((frame) => JSON.parse(frame.slice(6)));
    expect(`${received.frames.at(-1)}\n\n`).toBe(DONE_FRAME);
    expect(chunks.map((chunk) => chunk.choices[0].delta.content).join("")).toBe("one two three four");
    expect(chunks.filter((chunk) => chunk.choices[0].delta.role)).toHaveLength(1);
    expect(chunks.map((chunk) => chunk.choices[0].finish_reason).filter(Boolean)).toEqual(["stop"]);
    expect(new Set(chunks.map(({ id, created, model }) => `${id} ${created} ${model}`)).size).toBe(1);
    expect(received.text).not.toContain("usage");
  });

  test("reports usage once, at the end, if requested", async () => {
    const received = await receive("echo", { stream: true, stream_options: { include_usage: true } });
    const chunks = received.frames.slice(0, -1).map((frame) => JSON.parse(frame.slice(6)));
    expect(chunks.at(-1)).toMatchObject({ choices: [], usage: { total_tokens: 12 } });
    for (const chunk of chunks.slice(0, -1)) expect(chunk.usage).toBeNull();
  });

  test("sends tool arguments in fragments that join to valid JSON", async () => {
    const parameters = { type: "object", properties: { city: { type: "string" } } };
    const received = await receive("tools", {
      stream: true,
      tools: [{ type: "function", function: { name: "weather", parameters } }],
    });
    const deltas = received.frames
      .slice(0, -1)
      .flatMap((frame) => JSON.parse(frame.slice(6)).choices[0].delta.tool_calls ?? []);
    expect(deltas[0]).toMatchObject({ index: 0, type: "function", function: { name: "weather", arguments: "" } });
    expect(JSON.parse(deltas.map((delta) => delta.function.arguments).join(""))).toEqual({ city: expect.any(String) });
  });

  test("is paced by tokens per second", async () => {
    const received = await receive("lorem?tokens=10&tps=200", { stream: true });
    expect((received.dataAtMs.at(-1) as number) - (received.dataAtMs[0] as number)).toBeGreaterThan(40);
  });

  test("is cut after the number of frames that the model name sets", async () => {
    const received = await receive("cut?after=3", { stream: true });
    expect([received.end, received.frames.length]).toEqual(["cut", 3]);
    expect((await receive("cut?after=0", { stream: true })).frames).toHaveLength(0);
  });

  test("stops while paused and continues when resumed", async () => {
    const { received, control } = send("lorem?tokens=30&tps=500", { stream: true });
    await waitFor("a frame", () => received.frames.length > 0);
    control.pause();
    const before = received.frames.length;
    await receive("lorem?tokens=10&tps=500", { stream: true });
    expect(received.frames.length).toBe(before);
    control.resume();
    await waitFor("the end", () => received.end);
    expect(received.text.endsWith(DONE_FRAME)).toBe(true);
  });

  test("sends nothing after an abort", async () => {
    const { received, control } = send("lorem?tokens=30&tps=500", { stream: true });
    await waitFor("a frame", () => received.frames.length > 0);
    control.abort();
    const before = received.text;
    await receive("lorem?tokens=10&tps=500", { stream: true });
    expect([received.text, received.end]).toEqual([before, null]);
  });
});

describe("simulated failures", () => {
  test.for([
    ["error?status=429", 429, null],
    ["error", 500, null],
    ["error?kind=context", 400, "context_length_exceeded"],
    ["error?kind=policy", 400, "content_policy_violation"],
    ["error?kind=schema", 500, "json_schema_validation_failed"],
  ] as const)("%s returns status %i", async ([model, status, code]) => {
    const received = await receive(model);
    expect(received.status).toBe(status);
    expect(JSON.parse(received.text).error.code).toBe(code);
  });

  test("occur at the configured rate, with the same outcome for the same request", async () => {
    const ask = async (index: number) =>
      (await receive("error?status=503&rate=0.3", { messages: [{ role: "user", content: `prompt ${index}` }] })).status;
    const statuses = await Promise.all(Array.from({ length: 200 }, (_, index) => ask(index)));
    const failed = statuses.filter((status) => status === 503).length;
    expect(failed).toBeGreaterThan(30);
    expect(failed).toBeLessThan(90);
    expect(await Promise.all(Array.from({ length: 20 }, (_, index) => ask(index)))).toEqual(statuses.slice(0, 20));
  });

  test("'cut' ends a non-streaming response before it starts", async () => {
    const received = await receive("cut");
    expect([received.end, received.status]).toEqual(["cut", 0]);
  });

  test("'slow' delays the first token by the configured time", async () => {
    const startedAt = performance.now();
    await receive("slow?ttft=80ms");
    expect(performance.now() - startedAt).toBeGreaterThanOrEqual(75);
  });
});
