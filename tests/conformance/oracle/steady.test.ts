import { expect, test } from "vitest";
import { steady } from "./steady.ts";

const around = {
  baseUrl: "http://127.0.0.1:4000",
  masterKey: "sk-master",
  upstream: { origin: "http://127.0.0.1:5000" },
};

test("replaces only values that differ between runs, with a placeholder for their type", () => {
  const id = "chatcmpl-3f1c9a52-8a6e-4a94-9d7b-1f0f2f9f6a10";
  const now = Math.floor(Date.now() / 1_000);
  const seen = { id, created: now, at: "http://127.0.0.1:5000/v1", key: "Bearer sk-master", tokens: now, model: "a" };
  expect(steady(seen, around)).toEqual({
    id: "chatcmpl-<id>",
    created: "<now>",
    at: "<upstream>/v1",
    key: "Bearer <master key>",
    tokens: now,
    model: "a",
  });
});

test("keeps scripted IDs and times, so that their loss is detected", () => {
  const scripted = { id: "chatcmpl-scripted", created: 1_700_000_000 };
  expect(steady([scripted], around)).toEqual([scripted]);
});
