import type { ChatRequest } from "@tollgate/contracts/chat/chat-request.ts";
import { expect, test } from "vitest";
import { NO_PARTS } from "../operation-kind.ts";
import { estimatePartTokens } from "./estimate-part-tokens.ts";

const weigh = (...content: unknown[]) =>
  estimatePartTokens({ messages: [{ role: "user", content }] } as unknown as ChatRequest);

test("text parts add nothing to the part estimate, because text is estimated by its bytes", () => {
  expect(weigh({ type: "text", text: "hello" })).toEqual(NO_PARTS);
  expect(estimatePartTokens({ messages: [{ role: "user", content: "hello" }] } as ChatRequest)).toEqual(NO_PARTS);
});

test("an image is estimated at the same number of tokens inline and as a URL", () => {
  const data = `data:image/png;base64,${"A".repeat(1_000_000)}`;
  expect(weigh({ type: "image_url", image_url: { url: data } })).toEqual({
    bytes: data.length,
    tokens: 6_000,
    isUnbounded: false,
  });
  expect(
    weigh({ type: "image_url", image_url: "https://x" }, { type: "image_url", image_url: { url: "https://x" } }),
  ).toEqual({ bytes: 18, tokens: 12_000, isUnbounded: false });
});

test("audio and files are estimated at fewer tokens than bytes", () => {
  expect(weigh({ type: "input_audio", input_audio: { data: "A".repeat(160), format: "wav" } })).toEqual({
    bytes: 160,
    tokens: 10,
    isUnbounded: false,
  });
  expect(weigh({ type: "file", file: { file_data: "A".repeat(121) } })).toEqual({
    bytes: 121,
    tokens: 11,
    isUnbounded: false,
  });
});

test.for([
  ["a video by URL", { type: "video_url", video_url: { url: "https://x/film.mp4" } }],
  ["an inline video", { type: "video_url", video_url: "data:video/mp4;base64,AAAA" }],
  ["a video in an image part", { type: "image_url", image_url: { url: "data:video/mp4;base64,AAAA" } }],
  ["a video in a file part", { type: "file", file: { file_data: "data:video/mp4;base64,AAAA" } }],
  ["a file by reference", { type: "file", file: { file_id: "https://x/book.pdf" } }],
] as const)("%s can have any number of tokens", ([, part]) => {
  expect(weigh({ type: "text", text: "hello" }, part)).toEqual({ bytes: 0, tokens: 0, isUnbounded: true });
});
