import type { ChatChunk } from "@tollgate/sdk/gateway";
import { expect, test } from "vitest";
import { chatBody } from "./chat-body.ts";
import { areParametersValid, checkTools, noParameters } from "./chat-parameters.ts";
import { type Answer, changeChat, emptyChat, turnsOf } from "./chat-state.ts";
import { cosine } from "./cosine.ts";
import { readShared, writeShared } from "./drafts.ts";
import { readLoggedRequest } from "./read-logged-request.ts";
import { addChunk } from "./run-turn.ts";

const said = (text: string): Answer => ({
  text,
  reasoning: "",
  toolCalls: [],
  state: "done",
  facts: null,
  finishReason: "stop",
  error: null,
});

const asked = changeChat(emptyChat(["a", "b"]), { kind: "ask", turn: { id: "1", text: "Hello", images: [] } });
const answered = changeChat(asked, { kind: "answer", columnId: "column-1", turnId: "1", answer: said("Hi") });

test("the body contains only parameters that are set and supported", () => {
  const parameters = { ...noParameters, system: "Be kind", temperature: "0.5", top_p: "0.9", seed: "7" };
  const turns = [{ id: "1", text: "Hello", images: [], answer: null }];
  expect(chatBody({ model: "m", parameters, turns, supported: ["temperature", "seed"] })).toEqual({
    model: "m",
    messages: [
      { role: "system", content: "Be kind" },
      { role: "user", content: "Hello" },
    ],
    temperature: 0.5,
    seed: 7,
  });
});

test("sends the output limit under the name that the model supports", () => {
  const parameters = { ...noParameters, max_completion_tokens: "50", stream: "" };
  const body = chatBody({ model: "m", parameters, turns: [], supported: ["max_tokens"] });
  expect(body).toMatchObject({ max_tokens: 50 });
  expect(body).not.toHaveProperty("max_completion_tokens");
});

test("sends previous turns with their responses, and images with their text", () => {
  const turns = [
    { id: "1", text: "Hello", images: [], answer: said("Hi") },
    { id: "2", text: "What is this?", images: ["data:image/png;base64,AA"], answer: said("earlier") },
  ];
  expect(chatBody({ model: "m", parameters: noParameters, turns, supported: [] }).messages).toEqual([
    { role: "user", content: "Hello" },
    { role: "assistant", content: "Hi" },
    {
      role: "user",
      content: [
        { type: "text", text: "What is this?" },
        { type: "image_url", image_url: { url: "data:image/png;base64,AA" } },
      ],
    },
  ]);
});

test("editing a question preserves the previous conversation as a branch", () => {
  const edited = changeChat(answered, { kind: "branch_before", turnId: "1" });
  expect(edited.columns.map((column) => turnsOf(column).length)).toEqual([0, 0]);
  const back = changeChat(edited, { kind: "choose_branch", columnId: "column-1", branch: 0 });
  expect(back.columns[0] && turnsOf(back.columns[0])[0]?.answer?.text).toBe("Hi");
});

test("a new column has the questions without the responses, and a fifth column is not added", () => {
  const three = changeChat(answered, { kind: "add_column", id: "new", model: "c" });
  expect(three.columns[2] && turnsOf(three.columns[2])).toEqual([{ id: "1", text: "Hello", images: [], answer: null }]);
  const four = changeChat(three, { kind: "add_column", id: "4", model: "d" });
  expect(changeChat(four, { kind: "add_column", id: "5", model: "e" })).toBe(four);
});

test("a shared link preserves every character in the conversation, and a truncated link is rejected", () => {
  const state = changeChat(answered, { kind: "set", columnId: null, change: { system: "Grüße, 世界 🙂" } });
  const link = writeShared(state) ?? "";
  const read = readShared(link);
  expect(read?.shared.system).toBe("Grüße, 世界 🙂");
  expect(read?.columns.map(({ model }) => model)).toEqual(["a", "b"]);
  expect(read?.columns[0] && turnsOf(read.columns[0])[0]?.answer?.text).toBe("Hi");
  expect(readShared(link.slice(0, 20))).toBeNull();
  expect(readShared(btoa(JSON.stringify({ shared: { system: { evil: 1 } }, columns: [] })))?.shared.system).toBe("");
});

test("a conversation too long for a link is not shared", () => {
  expect(
    writeShared(changeChat(asked, { kind: "set", columnId: null, change: { system: "x".repeat(20_000) } })),
  ).toBeNull();
});

test("validates tools and parameters before sending", () => {
  expect(checkTools("")).toBeNull();
  expect(checkTools('[{"type":"function","function":{"name":"now"}}]')).toBeNull();
  expect(checkTools("[")).toBe("Invalid JSON.");
  expect(checkTools('[{"type":"function","function":{"name":"no spaces"}}]')).toContain("Tool 1");
  expect(checkTools('[{"type":"function","function":{"name":"a","parameters":{"type":"array"}}}]')).toContain("object");
  expect(areParametersValid({ ...noParameters, temperature: "3" })).toBe(false);
  expect(areParametersValid({ ...noParameters, response_format: "json_schema", schema: "{" })).toBe(false);
});

test("joins stream chunks, including tool calls", () => {
  const chunk = (delta: object, finish: string | null = null) =>
    ({ choices: [{ index: 0, delta, finish_reason: finish }] }) as unknown as ChatChunk;
  const chunks = [
    chunk({ content: "Hel" }),
    chunk({ content: "lo" }),
    chunk({ tool_calls: [{ index: 0, id: "c1", function: { name: "now", arguments: '{"a"' } }] }),
    chunk({ tool_calls: [{ index: 0, function: { arguments: ":1}" } }] }, "tool_calls"),
  ];
  expect(chunks.reduce(addChunk, said(""))).toMatchObject({
    text: "Hello",
    toolCalls: [{ id: "c1", name: "now", arguments: '{"a":1}' }],
    finishReason: "tool_calls",
  });
});

test("restores a conversation from a logged request", () => {
  const state = readLoggedRequest(
    JSON.stringify({
      model: "m",
      temperature: 0.3,
      messages: [
        { role: "system", content: "Kind" },
        { role: "user", content: [{ type: "text", text: "One" }] },
        { role: "assistant", content: "Two" },
        { role: "user", content: "Three" },
      ],
    }),
  );
  expect(state?.shared).toMatchObject({ system: "Kind", temperature: "0.3", stream: "" });
  expect(state?.columns[0] && turnsOf(state.columns[0]).map(({ text, answer }) => [text, answer?.text])).toEqual([
    ["One", "Two"],
    ["Three", undefined],
  ]);
  expect(readLoggedRequest("not json")).toBeNull();
});

test("cosine similarity is 1 for equal directions, -1 for opposite directions, and null for zero or mismatched vectors", () => {
  expect(cosine([3, 4], [6, 8])).toBeCloseTo(1);
  expect(cosine([1, 0], [-2, 0])).toBeCloseTo(-1);
  expect(cosine([0, 0], [1, 1])).toBeNull();
  expect(cosine([1], [1, 2])).toBeNull();
});
