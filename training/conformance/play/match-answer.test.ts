import { expect, test } from "vitest";
import { matchAnswer } from "./match-answer.ts";
import type { Answer } from "./read-answer.ts";
import { writeTranscript } from "./write-transcript.ts";

function answer(body: string, headers: Record<string, string> = {}): Answer {
  return { status: 200, headers: new Map(Object.entries(headers)), body: Buffer.from(body) };
}

test("a response that matches the recording has no problems", () => {
  const recorded = {
    status: 200,
    body: { a: [1, { b: null }], id: { $matches: "^job_" } },
    headers: { allow: "^POST$" },
  };
  expect(matchAnswer(answer('{"id":"job_1","a":[1,{"b":null}]}', { allow: "POST" }), recorded)).toEqual([]);
});

test.each([
  ["another status", answer("{}"), { status: 201 }],
  ["a field too many", answer('{"a":1,"b":2}'), { status: 200, body: { a: 1 } }],
  ["a field too few", answer("{}"), { status: 200, body: { a: 1 } }],
  ["another value", answer('{"a":2}'), { status: 200, fields: { a: 1 } }],
  ["a missing field", answer("{}"), { status: 200, fields: { a: 1 } }],
  ["another form", answer('{"a":"x"}'), { status: 200, body: { a: { $matches: "^y" } } }],
  ["no JSON", answer("<html>"), { status: 200, body: {} }],
  ["a missing header", answer("{}"), { status: 200, headers: { allow: "." } }],
  ["a header that must not be there", answer("{}", { allow: "GET" }), { status: 200, headers: { allow: null } }],
  ["no frames", answer("{}"), { status: 200, frames: { header: {}, content: [] } }],
  ["another text", answer("a"), { status: 200, text: "b" }],
])("detects %s", (_, given, recorded) => {
  expect(matchAnswer(given, recorded)).not.toEqual([]);
});

test("the transcript of a response omits only values that differ between runs", () => {
  const write = (body: string) => writeTranscript(answer(body), "the same", ["job_7"]);
  expect(write('{"jobId":"job_1","error":"boom"}')).toBe(write('{"error":"boom","jobId":"job_2"}'));
  expect(write('{"error":"no job_7"}')).toContain("no <kept>");
  expect(write('{"error":"boom"}')).not.toBe(write('{"error":"bang"}'));
  expect(write('{"error":"train returned str; expected bytes"}')).toBe(
    write('{"error":"train returned string; expected bytes"}'),
  );
});
