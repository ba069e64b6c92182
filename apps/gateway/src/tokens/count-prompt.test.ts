import { expect, test } from "vitest";
import { countPrompt } from "./count-prompt.ts";
import { countText } from "./count-text.ts";

const bodyOf = (request: unknown) => Buffer.from(JSON.stringify(request), "utf8").toString("latin1");
const MANY = 1_000_000;

test("counts the text of all messages and the model's overhead", () => {
  const messages = [
    { role: "system", content: "Be brief. Größe!" },
    { role: "user", content: [{ type: "text", text: "What is this?" }] },
  ];
  const texts = countText("system") + countText("user") + countText("Be brief. Größe!") + countText("What is this?");
  expect(countPrompt(bodyOf({ messages }), MANY)).toBe(texts + 3 + 2 * 3);
});

test("does not count image bytes as text", () => {
  const image = { type: "image_url", image_url: { url: `data:image/png;base64,${"A".repeat(100_000)}` } };
  expect(countPrompt(bodyOf({ messages: [{ role: "user", content: [image] }] }), MANY)).toBeLessThan(1_000);
});

const countContent = (...content: unknown[]) => countPrompt(bodyOf({ messages: [{ role: "user", content }] }), MANY);

test.for([
  ["a text document", { type: "document", source: { type: "text", media_type: "text/plain", data: "Größe. " } }],
  ["a document of blocks", { type: "document", source: { type: "content", content: "Größe. " } }],
  ["a text file", { type: "file", file: { file_data: "data:text/plain;base64,R3LDtsOfZS4g" } }],
  ["a JSON file", { type: "file", file: { file_data: "data:application/json,Größe. " } }],
  ["an input file", { type: "input_file", file_data: "data:text/markdown;base64,R3LDtsOfZS4g" }],
] as const)("counts the text of %s", ([, part]) => {
  expect(countContent(part)).toBe(countContent({ type: "text", text: "Größe. " }));
});

test("counts other media like a typical image", () => {
  const image = countContent({ type: "image_url", image_url: "https://x/a.png" });
  for (const type of ["document", "file", "input_file", "input_audio", "video_url"]) {
    expect(countContent({ type })).toBe(image);
  }
  expect(countContent({ type: "file", file: { file_data: "data:application/pdf;base64,AAAA" } })).toBe(image);
});

test("samples a long prompt and is accurate to within two percent", () => {
  const content = "The ledger is the only place where money is counted, and it is counted once. ".repeat(3_000);
  const body = bodyOf({ messages: [{ role: "user", content }] });
  const exact = countPrompt(body, MANY);
  expect(Math.abs(countPrompt(body, 16_384) - exact)).toBeLessThanOrEqual(exact * 0.02);
});
