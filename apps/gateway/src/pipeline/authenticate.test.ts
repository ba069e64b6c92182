import { createHash } from "node:crypto";
import { describe, expect, test } from "vitest";
import type { Caller } from "../call/caller.ts";
import type { KeyCarriers } from "../call/request-headers.ts";
import { authenticate, type KeyDirectory } from "./authenticate.ts";
import { anyCaller } from "./chat-call.fixture.ts";

const NOW_MS = 1_700_000_000_000;
const everyHeader = ["x-gw-api-key", "authorization", "x-api-key", "api-key"];
const none: KeyCarriers = { "x-gw-api-key": null, authorization: null, "x-api-key": null, "api-key": null };

function directoryOf(callers: Record<string, Partial<Caller>>, isLate = false): KeyDirectory {
  const byDigest = new Map(
    Object.entries(callers).map(([key, caller]) => [
      createHash("sha256").update(key).digest("hex"),
      { ...anyCaller, ...caller },
    ]),
  );
  const find = (digest: string) => byDigest.get(digest) ?? null;
  if (isLate) return { recall: () => undefined, find: (digest) => Promise.resolve(find(digest)) };
  return { recall: find, find };
}

const codeOf = async (carriers: Partial<KeyCarriers>, caller: Partial<Caller> = {}, isLate = false) => {
  try {
    await authenticate({ ...none, ...carriers }, everyHeader, directoryOf({ "sk-1": caller }, isLate), NOW_MS);
    return "known";
  } catch (error) {
    return (error as { code: string }).code;
  }
};

describe("authentication", () => {
  test("is synchronous for a cached key and asynchronous for a database lookup", async () => {
    const now = authenticate({ ...none, "x-api-key": "sk-1" }, everyHeader, directoryOf({ "sk-1": {} }), NOW_MS);
    expect(now).toMatchObject({ keyId: "key_1" });
    const later = authenticate(
      { ...none, "x-api-key": "sk-1" },
      everyHeader,
      directoryOf({ "sk-1": {} }, true),
      NOW_MS,
    );
    expect(later).toBeInstanceOf(Promise);
    expect(await later).toMatchObject({ keyId: "key_1" });
  });

  test.for([false, true])("reports the first problem with a key (asynchronous lookup: %s)", async (isLate) => {
    const key = { "x-gw-api-key": "sk-1" };
    expect(await codeOf(key, {}, isLate)).toBe("known");
    expect(await codeOf({ "x-gw-api-key": "sk-2" }, {}, isLate)).toBe("invalid_api_key");
    expect(await codeOf(key, { expiresAtMs: NOW_MS + 1 }, isLate)).toBe("known");
    expect(await codeOf(key, { expiresAtMs: NOW_MS }, isLate)).toBe("expired_key");
    expect(await codeOf(key, { isDisabled: true }, isLate)).toBe("key_blocked");
    expect(await codeOf(key, { expiresAtMs: NOW_MS, isDisabled: true }, isLate)).toBe("expired_key");
  });

  test("does not look up a malformed key", async () => {
    const directory: KeyDirectory = {
      recall: () => undefined,
      find: () => {
        throw new Error("looked up");
      },
    };
    for (const key of ["eyJ.a.b", "pk-1", `sk-tg-${"0".repeat(48)}`, `sk-${"x".repeat(300)}`]) {
      expect(() => authenticate({ ...none, "x-api-key": key }, everyHeader, directory, NOW_MS)).toThrowError(
        expect.objectContaining({ code: "invalid_api_key" }),
      );
    }
  });

  test.for([
    ["Bearer sk-1", "known"],
    ["BEARER   sk-1", "known"],
    ["Bearer", "missing_api_key"],
    ["Bearer ", "missing_api_key"],
    ["Bearer  ", "invalid_api_key"],
    ["sk-1", "missing_api_key"],
    ["Token sk-1", "missing_api_key"],
  ] as const)("with the Authorization header '%s' results in %s", async ([authorization, expected]) => {
    expect(await codeOf({ authorization })).toBe(expected);
  });
});
