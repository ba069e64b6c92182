import { expect, test } from "vitest";
import { readEvents } from "./read-events.ts";

const frame = (data: unknown) => `data: ${JSON.stringify(data)}\n\n`;
const delta = (more: object) => frame({ id: "x", choices: [{ index: 0, delta: more }] });

test("reads a stream into the message that a client assembles", () => {
  const text = delta({ role: "assistant", content: "" }) + delta({ content: "Hel" }) + delta({ content: "lo" });
  expect(readEvents(`${text}: keep-alive\n\ndata: [DONE]\n\n`)).toEqual({
    adds: { id: "x", choices: [{ index: 0, delta: { role: "assistant", content: "Hello" } }] },
    fields: ["/choices/*/delta/content", "/choices/*/delta/role", "/choices/*/index", "/id"],
    frames: 3,
    isDone: true,
  });
});

test("keeps tool calls with different indexes separate", () => {
  const call = (index: number, more: object) => delta({ tool_calls: [{ index, function: more }] });
  const text =
    call(0, { name: "a", arguments: "" }) + call(1, { name: "b", arguments: "{" }) + call(0, { arguments: "{}" });
  const { adds, isDone } = readEvents(text);
  expect(adds).toMatchObject({
    choices: [{ delta: { tool_calls: [{ function: { name: "a", arguments: "{}" } }, { function: { name: "b" } }] } }],
  });
  expect(isDone).toBe(false);
});
