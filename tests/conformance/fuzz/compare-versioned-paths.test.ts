import { expect, test } from "vitest";
import { compareVersionedPaths } from "./compare-versioned-paths.ts";
import type { FuzzRequest } from "./fuzz-request.ts";
import type { Answer } from "./send-request.ts";

const operation = { paths: ["/ask", "/v1/ask", "/engines/{model}/ask"] } as unknown as FuzzRequest["operation"];
const asked = { operation, isNamedTwice: true } as FuzzRequest;
const answer: Answer = {
  status: 200,
  headers: { "content-type": "application/json", "x-gw-model-id": "one" },
  body: '{"created":17,"text":"hello"}',
  isText: true,
  isCut: false,
};
const compare = (other: Partial<Answer>, request = asked) =>
  compareVersionedPaths(request, [answer, { ...answer, ...other }, { ...answer, ...other }]);

test("responses that differ only in their timestamps are equal", () => {
  expect(compare({ body: '{"created":18,"text":"hello"}' })).toBeNull();
  expect(compare({ headers: { ...answer.headers, "x-gw-call-id": "another" } })).toBeNull();
});

test("a difference in status, body, or deployment is reported with both paths", () => {
  for (const other of [{ status: 404 }, { body: '{"created":17,"text":"goodbye"}' }, { headers: {} }]) {
    expect(compare(other)).toContain("/ask and /v1/ask disagree");
  }
});

test("a path that names a model is compared with the other paths only if the body names the same model", () => {
  const answers = [answer, answer, { ...answer, status: 404 }];
  expect(compareVersionedPaths({ ...asked, isNamedTwice: false }, answers)).toBeNull();
  expect(compareVersionedPaths(asked, answers)).toContain("/engines/{model}/ask");
});

test("timeouts and lost connections are not differences", () => {
  expect(compare({ status: 408 })).toBeNull();
  expect(compare({ isCut: true, body: "half" })).toBeNull();
});
