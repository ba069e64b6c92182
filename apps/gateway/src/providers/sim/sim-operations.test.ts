import { describe, expect, test } from "vitest";
import { parseSimModel } from "./sim-model.ts";
import { simOperations } from "./sim-operations.ts";

function replyOf(path: string, model: string, body: object): string {
  const operation = simOperations[path];
  const reply = operation?.reply(parseSimModel(model), body, 1_000);
  if (reply === undefined) throw new Error("no such operation");
  if (reply.kind === "whole") return reply.body.toString();
  let text = "";
  for (let piece = reply.pieces.next(); !piece.done; piece = reply.pieces.next()) text += piece.value;
  return text + (reply.closing ?? "");
}

describe("simulated embeddings", () => {
  const vectorOf = (input: unknown, fields = {}) =>
    JSON.parse(replyOf("/embeddings", "embed", { input, ...fields })).data[0].embedding as number[];

  test("have unit length for any number of dimensions", () => {
    for (const dimensions of [1, 2, 256, 4096]) {
      const vector = vectorOf("some text", { dimensions });
      expect(vector).toHaveLength(dimensions);
      expect(Math.hypot(...vector)).toBeCloseTo(1, 5);
    }
  });

  test("depend only on their text", () => {
    expect(vectorOf("a")).toEqual(vectorOf(["a", "b"]));
    expect(vectorOf("a")).not.toEqual(vectorOf("b"));
  });

  test("fail for more dimensions than the model supports", () => {
    expect(() => vectorOf("a", { dimensions: 4097 })).toThrow(/dimensions/);
  });
});

describe("simulated completions", () => {
  const asked = { prompt: ["one two three", "four"], n: 2, max_tokens: 2 };

  test("have the same text and usage with and without streaming", () => {
    const whole = JSON.parse(replyOf("/completions", "echo", asked));
    const frames = replyOf("/completions", "echo", { ...asked, stream: true, stream_options: { include_usage: true } });
    const chunks = frames
      .split("\n\n")
      .filter((frame) => frame.startsWith("data: {"))
      .map((frame) => JSON.parse(frame.slice("data: ".length)));
    const texts = ["", "", "", ""];
    for (const { choices } of chunks) for (const { index, text } of choices) texts[index] += text;
    expect(texts).toEqual(whole.choices.map(({ text }: { text: string }) => text));
    expect(texts).toEqual(["one two", "one two", "four", "four"]);
    expect(chunks.at(-1).usage).toEqual(whole.usage);
    expect(whole.choices.map((choice: { finish_reason: string }) => choice.finish_reason)).toEqual([
      "length",
      "length",
      "stop",
      "stop",
    ]);
  });

  test("count the tokens of discarded best_of candidates", () => {
    const { usage, choices } = JSON.parse(replyOf("/completions", "echo", { prompt: "a b", best_of: 3 }));
    expect(choices).toHaveLength(1);
    expect(usage).toEqual({ prompt_tokens: 2, completion_tokens: 6, total_tokens: 8 });
  });
});
