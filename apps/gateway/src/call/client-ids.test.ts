import { expect, test } from "vitest";
import { makeChatCall } from "../pipeline/chat-call.fixture.ts";

const sessionOf = (fields: string, session?: string) =>
  makeChatCall({ text: `{"model":"group","messages":[]${fields}}`, ...(session !== undefined && { session }) })
    .sessionName;

test("a call has the session that its cache key names, or else a header, and otherwise none", () => {
  expect(sessionOf(',"prompt_cache_key":"key-1"', "header-1")).toBe("key-1");
  expect(sessionOf(',"prompt_cache_key":""', "header-1")).toBe("header-1");
  expect(sessionOf(',"prompt_cache_key":7', "header-1")).toBe("header-1");
  expect(sessionOf("")).toBeNull();
});

test("a session is stored as UTF-8 text of at most 128 characters", () => {
  expect(sessionOf("", Buffer.from("Sitzung f\u{fc}r \u{4e2d}").toString("latin1"))).toBe("Sitzung f\u{fc}r \u{4e2d}");
  expect(sessionOf("", "s".repeat(500))).toBe("s".repeat(128));
});

test("a session is the same however its characters are encoded", () => {
  const name = "Sitzung f\u{fc}r \u{4e2d}\u{1f600}";
  const units = name.replaceAll(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);
  expect(units).toBe("Sitzung f\\u00fcr \\u4e2d\\ud83d\\ude00");
  for (const written of [name, units]) {
    expect(sessionOf(`,"prompt_cache_key":"${written}"`), written).toBe(name);
  }
  expect(sessionOf(',"prompt_cache_key":"\\u012d"')).toBe("\u{12d}");
});

test("a character that does not fit in a stored session is replaced, not cut in half", () => {
  expect(sessionOf(`,"prompt_cache_key":"${"s".repeat(127)}\u{1f600}"`)).toBe(`${"s".repeat(127)}\u{fffd}`);
});

test("an end user is the same however its characters are encoded", () => {
  const userOf = (user: string) => makeChatCall({ text: `{"model":"group","messages":[],"user":"${user}"}` }).endUser;
  expect(userOf("J\u{fc}rgen")).toBe("J\u{fc}rgen");
  expect(userOf("J\\u00fcrgen")).toBe("J\u{fc}rgen");
  expect(userOf("\\u4e2d")).toBe("\u{4e2d}");
  expect(userOf("u".repeat(300))).toBe("u".repeat(200));
});
