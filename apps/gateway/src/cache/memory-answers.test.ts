import { expect, test } from "vitest";
import { MemoryAnswers } from "./memory-answers.ts";

test("evicts the least recently used responses when the cache exceeds its size limit", async () => {
  const answers = new MemoryAnswers(() => 0, 1_000);
  const answer = "x".repeat(100);
  for (const key of ["one", "two", "three"]) answers.put(key, answer, 1);
  expect(await answers.get(["one"])).toEqual([answer]);
  answers.put("four", answer, 1);
  expect(await answers.get(["one", "two", "three", "four"])).toEqual([answer, null, answer, answer]);
  answers.put("four", "y", 1);
  expect(answers.bytes).toBe(801);
  answers.put("huge", "x".repeat(1_001), 1);
  expect(await answers.get(["huge", "four"])).toEqual([null, "y"]);
});

test("drops a response when its TTL expires", async () => {
  let nowMs = 0;
  const answers = new MemoryAnswers(() => nowMs);
  answers.put("key", "answer", 60_000);
  nowMs = 59_999;
  expect(await answers.get(["key"])).toEqual(["answer"]);
  nowMs = 60_000;
  expect(await answers.get(["key"])).toEqual([null]);
  expect(answers.bytes).toBe(0);
});
