import { expect, test } from "vitest";
import { jsonAnswer, longAnswerKiB, longJsonAnswer, writeStreamFrames } from "./chat-answer.ts";
import { upstreamModel, writeChatRequest } from "./chat-request.ts";
import { findJsonProblem, findStreamProblem } from "./find-answer-problem.ts";

test("accepts the upstream's own responses", () => {
  expect(findJsonProblem(jsonAnswer, upstreamModel)).toBeNull();
  expect(findJsonProblem(longJsonAnswer, upstreamModel, true)).toBeNull();
  expect(findStreamProblem(writeStreamFrames(true).join(""), upstreamModel)).toBeNull();
});

test("detects a model name that was not rewritten in a response or in a single frame", () => {
  expect(findJsonProblem(jsonAnswer, "bench-model")).toContain("expected bench-model");
  const frames = writeStreamFrames(true);
  frames[7] = frames[7]?.replace(upstreamModel, "bench-model") ?? "";
  expect(findStreamProblem(frames.join(""), upstreamModel)).toContain("a frame names model bench-model");
});

test("detects a stream that is truncated, has no usage, or lost a frame", () => {
  const frames = writeStreamFrames(true);
  expect(findStreamProblem(frames.slice(0, -1).join(""), upstreamModel)).toContain("[DONE]");
  expect(findStreamProblem(frames.toSpliced(3, 1).join(""), upstreamModel)).toContain("text");
  expect(findStreamProblem(writeStreamFrames(false).join(""), upstreamModel)).toContain("no usage");
});

test("the request and response bodies have the sizes that the published figures refer to", () => {
  expect(writeChatRequest("bench-model", false).length).toBeGreaterThan(850);
  expect(writeChatRequest("bench-model", false).length).toBeLessThan(950);
  expect(Math.abs(jsonAnswer.length - 644)).toBeLessThan(40);
  expect(longJsonAnswer.length).toBe(longAnswerKiB * 1024);
  expect(Math.abs((writeStreamFrames(true)[5]?.length ?? 0) - 260)).toBeLessThan(30);
});
