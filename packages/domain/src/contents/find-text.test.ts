import { expect, test } from "vitest";
import { hasText, searchable } from "./find-text.ts";

const chat = (content: unknown, answer = "") => ({
  request: JSON.stringify({ model: "gpt", messages: [{ role: "user", content }] }),
  answer,
});
const isFound = (content: Parameters<typeof hasText>[0], text: string) => hasText(content, searchable(text));

test("finds a text in any letter case and encoding of accents", () => {
  expect(isFound(chat("Der Žluťoučký KŮŇ runs"), "žluťoučký kůň")).toBe(true);
  expect(isFound(chat("cafe\u0301"), "CAFÉ")).toBe(true);
  expect(isFound(chat("a horse"), "cow")).toBe(false);
});

test("finds texts that JSON escapes", () => {
  const text = 'She said "no"\nand left 🐎';
  const escaped = chat(text).request.replace("🐎", "\\ud83d\\udc0e");
  for (const part of ['"no"', 'no"\nand', "🐎"]) {
    expect(isFound({ request: escaped, answer: "" }, part), part).toBe(true);
  }
});

test("finds a text in a response, in a part of a message, and in a tool call", () => {
  expect(isFound(chat("hello", '{"choices":[{"message":{"content":"Good evening"}}]}'), "evening")).toBe(true);
  expect(isFound(chat([{ type: "text", text: "What is this?" }, { type: "image_url" }]), "is this")).toBe(true);
  const call = { function: { name: "look_up", arguments: '{"city":"K\\u00f6ln"}' } };
  const answer = JSON.stringify({ choices: [{ message: { content: null, tool_calls: [call] } }] });
  expect(isFound(chat("hello", answer), "LOOK_UP")).toBe(true);
  expect(isFound(chat("hello", answer), "köln")).toBe(true);
});

test("does not find keys, roles, and other values of the JSON around texts", () => {
  for (const text of ["messages", "content", "user", "gpt", "{"])
    expect(isFound(chat("hello"), text), text).toBe(false);
});

test("finds the values of a request that isn't a conversation", () => {
  const content = { request: '{"input":[[1234,5]],"note":"a lamp"}', answer: "not JSON" };
  for (const text of ["LAMP", "1234", "json"]) expect(isFound(content, text), text).toBe(true);
  expect(isFound(content, "input")).toBe(false);
});

test("finds a text before the end of a truncated request", () => {
  const { request } = chat("the beginning of a very long text");
  expect(isFound({ request: request.slice(0, request.indexOf("long")), answer: "" }, "very")).toBe(true);
});

test("searches a text with thousands of combining marks as fast as any other", () => {
  const marks = `a${"\u0301\u0316".repeat(16_000)} lamp`;
  const startMs = performance.now();
  expect(isFound(chat(marks), "LAMP")).toBe(true);
  // Ordering all marks would take a second.
  expect(performance.now() - startMs).toBeLessThan(300);
});

test("searches the arguments of a tool call however deep they are", () => {
  const call = { function: { name: "f", arguments: `${"[".repeat(20_000)}"a lamp"` } };
  const answer = JSON.stringify({ choices: [{ message: { content: null, tool_calls: [call] } }] });
  expect(isFound(chat("hello", answer), "lamp")).toBe(true);
  expect(isFound(chat("hello", answer), "cow")).toBe(false);
});

test("finds a text beside the arguments of a tool call that are too deep to be written", () => {
  const depth = 20_000;
  const use = `{"type":"tool_use","name":"f","input":{"list":${"[".repeat(depth)}${"]".repeat(depth)}}}`;
  const answer = `{"content":[${use},{"type":"text","text":"a lamp"}]}`;
  expect(isFound(chat("hello", answer), "lamp")).toBe(true);
});
