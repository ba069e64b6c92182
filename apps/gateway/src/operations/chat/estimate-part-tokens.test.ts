import type { ChatRequest } from "@tollgate/contracts/chat/chat-request.ts";
import { expect, test } from "vitest";
import { estimatePartTokens } from "./estimate-part-tokens.ts";

const weigh = (...content: unknown[]) =>
  estimatePartTokens({ messages: [{ role: "user", content }] } as unknown as ChatRequest);

test("text parts add nothing to the part estimate, because text is estimated by its bytes", () => {
  expect(weigh({ type: "text", text: "hello" })).toEqual({ bytes: 0, tokens: 0 });
  expect(estimatePartTokens({ messages: [{ role: "user", content: "hello" }] } as ChatRequest)).toEqual({
    bytes: 0,
    tokens: 0,
  });
});

test("an image is estimated at the same number of tokens inline and as a URL", () => {
  const data = `data:image/png;base64,${"A".repeat(1_000_000)}`;
  expect(weigh({ type: "image_url", image_url: { url: data } })).toEqual({ bytes: data.length, tokens: 6_000 });
  expect(
    weigh({ type: "image_url", image_url: "https://x" }, { type: "image_url", image_url: { url: "https://x" } }),
  ).toEqual({ bytes: 18, tokens: 12_000 });
});

test("audio and files are estimated at fewer tokens than bytes", () => {
  expect(weigh({ type: "input_audio", input_audio: { data: "A".repeat(160), format: "wav" } })).toEqual({
    bytes: 160,
    tokens: 10,
  });
  expect(weigh({ type: "file", file: { file_data: "A".repeat(121) } })).toEqual({ bytes: 121, tokens: 11 });
});
