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
