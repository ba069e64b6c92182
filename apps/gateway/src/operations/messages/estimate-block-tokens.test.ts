import type { MessageRequest } from "@tollgate/contracts/messages/message-request.ts";
import { expect, test } from "vitest";
import { NO_PARTS } from "../../call/operation-kind.ts";
import { estimateBlockTokens } from "./estimate-block-tokens.ts";

const weigh = (...content: unknown[]) =>
  estimateBlockTokens({ messages: [{ role: "user", content }] } as unknown as MessageRequest);

test("text blocks and text documents add nothing, because text is estimated by its bytes", () => {
  expect(weigh({ type: "text", text: "hello" })).toBe(NO_PARTS);
  expect(weigh({ type: "document", source: { type: "text", data: "hello" } })).toBe(NO_PARTS);
  const found = { type: "search_result", source: "https://x", title: "a", content: [{ type: "text", text: "a" }] };
  expect(weigh(found, { type: "tool_use", id: "1", name: "a", input: {} })).toBe(NO_PARTS);
});

test("images are counted, also in tool results and in documents", () => {
  const image = { type: "image", source: { type: "url", url: "https://x" } };
  expect(weigh(image, { type: "tool_result", content: [image] })).toEqual({ ...NO_PARTS, bytes: 18, images: 2 });
  expect(weigh({ type: "document", source: { type: "content", content: [image] } })).toEqual({
    ...NO_PARTS,
    bytes: 9,
    images: 1,
  });
});

test.for([
  ["a video in an image block", { type: "image", source: { type: "base64", media_type: "video/mp4", data: "AAAA" } }],
  ["an image with two sources", { type: "image", source: { type: "url", data: "", url: "https://x/film.mp4" } }],
  ["a text block with a source", { type: "text", text: "a", source: { type: "url", url: "https://x" } }],
  ["the result of another tool", { type: "web_fetch_tool_result", content: { type: "web_fetch_result" } }],
  ["an inline document", { type: "document", source: { type: "base64", data: "AAAA" } }],
  ["a document by URL", { type: "document", source: { type: "url", url: "https://x" } }],
  ["a stored document", { type: "document", source: { type: "file", file_id: "file_1" } }],
  ["a video", { type: "video", source: { type: "url", url: "https://x" } }],
] as const)("%s can have any number of tokens", ([, block]) => {
  expect(weigh(block)).toEqual({ ...NO_PARTS, isUnbounded: true });
  expect(weigh({ type: "tool_result", content: [block] })).toEqual({ ...NO_PARTS, isUnbounded: true });
});
