import type { ResponseRequest } from "@tollgate/contracts/responses/response-request.ts";
import { expect, test } from "vitest";
import { NO_PARTS } from "../../call/operation-kind.ts";
import { estimateItemTokens } from "./estimate-item-tokens.ts";

const weigh = (...content: unknown[]) =>
  estimateItemTokens({ input: [{ role: "user", content }] } as unknown as ResponseRequest);

test("text adds nothing, because it is estimated by its bytes", () => {
  expect(estimateItemTokens({ input: "hello" } as ResponseRequest)).toBe(NO_PARTS);
  expect(weigh({ type: "input_text", text: "hello" }, { type: "refusal", refusal: "no" })).toBe(NO_PARTS);
});

test("images are counted, also in tool outputs", () => {
  const image = { type: "input_image", image_url: "https://x" };
  expect(weigh(image)).toEqual({ ...NO_PARTS, bytes: 9, images: 1 });
  const input = [{ type: "function_call_output", output: [image] }];
  expect(estimateItemTokens({ input } as unknown as ResponseRequest)).toEqual({ ...NO_PARTS, bytes: 9, images: 1 });
});

test.for([
  ["a file by URL", { type: "input_file", file_url: "https://x/book.pdf" }],
  ["a stored file", { type: "input_file", file_id: "file-1" }],
  ["an inline document", { type: "input_file", file_data: "data:application/pdf;base64,AAAA" }],
  ["a video with a text", { type: "input_video", text: "", video_url: "https://x" }],
  ["a text file that also has a URL", { type: "input_file", file_data: "data:text/plain,a", file_url: "https://x" }],
  ["a part of another type", { type: "input_video", video_url: "https://x" }],
] as const)("%s can have any number of tokens", ([, part]) => {
  expect(weigh(part)).toEqual({ ...NO_PARTS, isUnbounded: true });
});

test.for([
  ["a reference to another item", { type: "item_reference", id: "msg_1" }],
  ["a screenshot", { type: "computer_call_output", output: { type: "computer_screenshot", image_url: "https://x" } }],
] as const)("%s can have any number of tokens", ([, item]) => {
  expect(estimateItemTokens({ input: [item] } as unknown as ResponseRequest).isUnbounded).toBe(true);
});

test("the output of a shell is text", () => {
  const item = { type: "shell_call_output", output: [{ stdout: "a", stderr: "", outcome: { type: "exit" } }] };
  expect(estimateItemTokens({ input: [item] } as unknown as ResponseRequest)).toBe(NO_PARTS);
});
