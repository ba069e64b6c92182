import { expect, test } from "vitest";
import { steady } from "./steady.ts";

const around = {
  baseUrl: "http://127.0.0.1:4000",
  masterKey: "sk-master",
  upstream: { origin: "http://127.0.0.1:5000" },
  kept: new Map(),
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

test("values that an earlier question kept become their names, also as field names, and whole if they are short", () => {
  const kept = new Map([
    ["TEAM", "team_01K0000000000000000000000A"],
    ["USER", "7"],
  ]);
  const seen = { user_id: "7", spend: "7.5", by: { team_01K0000000000000000000000A: 1 } };
  expect(steady(seen, { ...around, kept })).toEqual({ user_id: "<USER>", spend: "7.5", by: { "<TEAM>": 1 } });
});

test("replaces times near now, and shows whether they have a zone", () => {
  const now = new Date().toISOString();
  expect(steady([now, now.replace("Z", "+00:00"), now.replace("Z", ""), "2020-01-02T03:04:05Z"], around)).toEqual([
    "<time>",
    "<time>",
    "<time without zone>",
    "2020-01-02T03:04:05Z",
  ]);
});

test("replaces secrets, IDs, and encrypted parameters, but no other long text", () => {
  const long = "A".repeat(48);
  const seen = { key: `sk-tg-${long}`, token_id: "key_01K0000000000000000000000A", model: `${long}==`, data: long };
  expect(steady(seen, around)).toEqual({ key: "<secret>", token_id: "<key id>", model: "<encrypted>", data: long });
});
