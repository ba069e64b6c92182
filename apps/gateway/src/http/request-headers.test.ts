import { Failure } from "@tollgate/contracts/failures.ts";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { startEdge } from "./edge.fixture.ts";
import { chatRequest, RawClient } from "./raw-client.fixture.ts";
import { readRequestHeaders } from "./request-headers.ts";

/** Names of inherited members of objects and promises. */
const inheritedNames = [
  ...Object.getOwnPropertyNames(Object.prototype),
  ...Object.getOwnPropertyNames(Array.prototype),
  ...Object.getOwnPropertyNames(Function.prototype),
  "then",
  "toJSON",
  "prototype",
];
const tokenCharacter = fc.constantFrom(
  ..."abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789!#$%&'*+-.^`|~_",
);
const headerName = fc.oneof(
  fc.string({ unit: tokenCharacter, minLength: 1, maxLength: 40 }),
  fc.constantFrom(...inheritedNames),
);
const headerValue = fc.string({ maxLength: 60 });
const headerList = fc.array(fc.tuple(headerName, headerValue), { maxLength: 70 }).map((pairs) => pairs.flat());

describe("X13: hostile header names", () => {
  test("any list of headers results in a record of known fields or a Failure", () => {
    const known = Object.keys(readRequestHeaders([])).sort();
    fc.assert(
      fc.property(headerList, (raw) => {
        try {
          expect(Object.keys(readRequestHeaders(raw)).sort()).toEqual(known);
        } catch (error) {
          expect(error).toBeInstanceOf(Failure);
        }
      }),
      { numRuns: 3_000 },
    );
    expect(Object.keys(Object.prototype)).toEqual([]);
  });

  test("a name with an underscore is rejected at any position, including __proto__", () => {
    fc.assert(
      fc.property(headerList, headerName, headerName, (raw, before, after) => {
        expect(() => readRequestHeaders([...raw, `${before}_${after}`, "x"])).toThrow(Failure);
      }),
    );
    expect(() => readRequestHeaders(["__proto__", "x"])).toThrow(Failure);
  });

  test("names are case-insensitive, and values are unchanged", () => {
    const headers = readRequestHeaders([
      "HOST",
      "A",
      "X-GW-Api-Key",
      "Sk-B",
      "Content-TYPE",
      "C",
      "X-Forwarded-For",
      "D",
    ]);
    expect(headers).toMatchObject({ host: "A", contentType: "C", forwardedFor: "D" });
    expect(headers.keys["x-gw-api-key"]).toBe("Sk-B");
  });

  test("thousands of random names over one connection cause no error", async () => {
    await using edge = await startEdge();
    const client = await RawClient.connect(edge.port);
    const invented = fc
      .sample(headerName, { numRuns: 6_000, seed: 13 })
      .filter((name) => !name.includes("_") && name.toLowerCase() !== "connection");
    let sent = 0;
    for (let at = 0; at < invented.length; at += 50) {
      client.send(chatRequest({ headers: invented.slice(at, at + 50).map((name) => `${name}: x`) }));
      sent += 1;
    }
    await client.answer(sent - 1);
    expect(new Set(client.answers.map(({ status }) => status))).toEqual(new Set([200]));
    expect(edge.unexpected).toEqual([]);
    client.close();
  });

  test.each(["__proto__", "__defineGetter__", "__lookupSetter__"])(
    "a call with the header %s is rejected",
    async (name) => {
      await using edge = await startEdge();
      const client = await RawClient.connect(edge.port);
      client.send(chatRequest({ headers: [`${name}: x`] }));
      expect((await client.answer(0)).status).toBe(400);
      expect(edge.unexpected).toEqual([]);
      client.close();
    },
  );
});
