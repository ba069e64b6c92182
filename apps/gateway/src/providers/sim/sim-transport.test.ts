import { DONE_FRAME } from "@tollgate/testkit/chat-answers.ts";
import { waitFor } from "@tollgate/testkit/wait-for.ts";
import { describe, expect, test } from "vitest";
import type { AnswerControl, AnswerListener } from "../provider.ts";
import { createSimTransport } from "./sim-transport.ts";

class Heard implements AnswerListener {
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

function send(model: string, fields: object = {}): { heard: Heard; control: AnswerControl } {
  const heard = new Heard();
  const body = { model, messages: [{ role: "user", content: "one two three four" }], ...fields };
  const control = createSimTransport().send(
    { path: "/chat/completions", headers: [], body: Buffer.from(JSON.stringify(body)) },
    heard,
  );
  return { heard, control };
}

async function hear(model: string, fields: object = {}): Promise<Heard> {
  const { heard } = send(model, fields);
  await waitFor("the simulated answer to end", () => heard.end);
  return heard;
}

test("answers whole, with usage", async () => {
  const { status, text } = await hear("echo");
  expect(status).toBe(200);
  expect(JSON.parse(text)).toMatchObject({
    object: "chat.completion",
    choices: [{ message: { role: "assistant", content: "one two three four" }, finish_reason: "stop" }],
    usage: { prompt_tokens: 8, completion_tokens: 4, total_tokens: 12 },
  });
});

describe("a stream", () => {
  test("has one role, the text, one finish reason and the closing mark", async () => {
    const heard = await hear("echo", { stream: true });
    const chunks = heard.frames.slice(0, -1).map((frame) => JSON.parse(frame.slice(6)));
    expect(`${heard.frames.at(-1)}\n\n`).toBe(DONE_FRAME);
    expect(chunks.map((chunk) => chunk.choices[0].delta.content).join("")).toBe("one two three four");
    expect(chunks.filter((chunk) => chunk.choices[0].delta.role)).toHaveLength(1);
    expect(chunks.map((chunk) => chunk.choices[0].finish_reason).filter(Boolean)).toEqual(["stop"]);
    expect(new Set(chunks.map(({ id, created, model }) => `${id} ${created} ${model}`)).size).toBe(1);
    expect(heard.text).not.toContain("usage");
  });

  test("reports usage once, at the end, when asked", async () => {
    const heard = await hear("echo", { stream: true, stream_options: { include_usage: true } });
    const chunks = heard.frames.slice(0, -1).map((frame) => JSON.parse(frame.slice(6)));
    expect(chunks.at(-1)).toMatchObject({ choices: [], usage: { total_tokens: 12 } });
    for (const chunk of chunks.slice(0, -1)) expect(chunk.usage).toBeNull();
  });

  test("gives a tool's arguments in fragments that join to JSON", async () => {
    const parameters = { type: "object", properties: { city: { type: "string" } } };
    const heard = await hear("tools", {
      stream: true,
      tools: [{ type: "function", function: { name: "weather", parameters } }],
    });
    const deltas = heard.frames
      .slice(0, -1)
      .flatMap((frame) => JSON.parse(frame.slice(6)).choices[0].delta.tool_calls ?? []);
    expect(deltas[0]).toMatchObject({ index: 0, type: "function", function: { name: "weather", arguments: "" } });
    expect(JSON.parse(deltas.map((delta) => delta.function.arguments).join(""))).toEqual({ city: expect.any(String) });
  });

  test("is paced", async () => {
    const heard = await hear("lorem?tokens=10&tps=200", { stream: true });
    expect((heard.dataAtMs.at(-1) as number) - (heard.dataAtMs[0] as number)).toBeGreaterThan(40);
  });

  test("is cut where the name says", async () => {
    const heard = await hear("cut?after=3", { stream: true });
    expect([heard.end, heard.frames.length]).toEqual(["cut", 3]);
    expect((await hear("cut?after=0", { stream: true })).frames).toHaveLength(0);
  });

  test("holds still while it is paused and goes on when it is resumed", async () => {
    const { heard, control } = send("lorem?tokens=30&tps=500", { stream: true });
    await waitFor("a frame", () => heard.frames.length > 0);
    control.pause();
    const before = heard.frames.length;
    await hear("lorem?tokens=10&tps=500", { stream: true });
    expect(heard.frames.length).toBe(before);
    control.resume();
    await waitFor("the end", () => heard.end);
    expect(heard.text.endsWith(DONE_FRAME)).toBe(true);
  });

  test("says nothing more once it is aborted", async () => {
    const { heard, control } = send("lorem?tokens=30&tps=500", { stream: true });
    await waitFor("a frame", () => heard.frames.length > 0);
    control.abort();
    const before = heard.text;
    await hear("lorem?tokens=10&tps=500", { stream: true });
    expect([heard.text, heard.end]).toEqual([before, null]);
  });
});

describe("failures", () => {
  test.for([
    ["error?status=429", 429, null],
    ["error", 500, null],
    ["error?kind=context", 400, "context_length_exceeded"],
    ["error?kind=policy", 400, "content_policy_violation"],
    ["error?kind=schema", 500, "json_schema_validation_failed"],
  ] as const)("%s answers %i", async ([model, status, code]) => {
    const heard = await hear(model);
    expect(heard.status).toBe(status);
    expect(JSON.parse(heard.text).error.code).toBe(code);
  });

  test("come at the given rate, and the same request always fares alike", async () => {
    const ask = async (index: number) =>
      (await hear("error?status=503&rate=0.3", { messages: [{ role: "user", content: `prompt ${index}` }] })).status;
    const statuses = await Promise.all(Array.from({ length: 200 }, (_, index) => ask(index)));
    const failed = statuses.filter((status) => status === 503).length;
    expect(failed).toBeGreaterThan(30);
    expect(failed).toBeLessThan(90);
    expect(await Promise.all(Array.from({ length: 20 }, (_, index) => ask(index)))).toEqual(statuses.slice(0, 20));
  });

  test("an answer that is not streamed is cut before it begins", async () => {
    const heard = await hear("cut");
    expect([heard.end, heard.status]).toEqual(["cut", 0]);
  });

  test("the first token waits as long as it is told", async () => {
    const startedAt = performance.now();
    await hear("slow?ttft=80ms");
    expect(performance.now() - startedAt).toBeGreaterThanOrEqual(75);
  });
});
