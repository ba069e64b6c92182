import { generateKeyPairSync } from "node:crypto";
import { keyIdOf, readPublicKey } from "@tollgate/domain/signing-keys.ts";
import { afterEach, describe, expect, test } from "vitest";
import { loadCatalog, openCatalog, readBuiltInCatalog, useCatalog } from "./catalog.ts";
import { compareEditionNames, compareEditions } from "./compare-editions.ts";
import { findCatalogProblem } from "./find-catalog-problem.ts";
import type { CatalogFile } from "./model.ts";
import { readEdition, signEdition, verifyingKey } from "./signed-catalog.ts";

const { publicKey, privateKey } = generateKeyPairSync("ed25519");
const built = JSON.parse(readBuiltInCatalog()) as CatalogFile;
const edition = (changes: object): string => JSON.stringify({ ...built, ...changes });
const model = (changes: object): string =>
  edition({ models: [{ id: "acme/chat", mode: "chat", prices: { input: 1, output: 2 }, ...changes }] });

describe("the signature of an edition", () => {
  const file = Buffer.from(signEdition(readBuiltInCatalog(), privateKey));

  test("is valid for its exact bytes only", () => {
    expect(readEdition(file, publicKey)).toEqual({
      kind: "signed",
      keyId: keyIdOf(publicKey),
      text: readBuiltInCatalog(),
    });
    const changed = Buffer.from(file);
    changed[changed.length - 5] = 0x20;
    expect(readEdition(changed, publicKey)).toEqual({
      kind: "invalid",
      reason: "its signature doesn't match its contents",
    });
  });

  test("is invalid if another key made it", () => {
    expect(readEdition(file, verifyingKey(null))).toMatchObject({ kind: "invalid", reason: /this server trusts/ });
  });

  test("can't be removed partly: a file with a damaged first line is not an unsigned file", () => {
    expect(readEdition(file.subarray(0, 40), publicKey)).toMatchObject({ kind: "invalid" });
    const later = Buffer.from(file.toString().replace("tollgate-catalog-1", "tollgate-catalog-2"));
    expect(readEdition(later, publicKey)).toMatchObject({ kind: "invalid", reason: /later version/ });
  });

  test("is missing in a plain file", () => {
    expect(readEdition(Buffer.from("{}"), publicKey)).toEqual({ kind: "unsigned", text: "{}" });
  });
});

test("a configured public key can be base64 or PEM, and must be Ed25519", () => {
  const pem = publicKey.export({ format: "pem", type: "spki" }).toString();
  const base64 = publicKey.export({ format: "der", type: "spki" }).toString("base64");
  for (const text of [pem, base64]) expect(keyIdOf(verifyingKey(text))).toBe(keyIdOf(publicKey));
  const other = generateKeyPairSync("ec", { namedCurve: "P-256" }).publicKey;
  expect(readPublicKey(other.export({ format: "pem", type: "spki" }).toString())).toBeNull();
  expect(() => verifyingKey("nonsense")).toThrow("prices.publicKey");
});

describe("an edition from elsewhere", () => {
  const withRule = (when: object) =>
    model({ prices: { input: 1, output: 2, rules: [{ when, prices: { input: 1 } }] } });

  test("can be the built-in one", () => {
    expect(findCatalogProblem(readBuiltInCatalog())).toBeNull();
  });

  test.each([
    ["not JSON", "it is not JSON"],
    [edition({ version: "latest" }), "'version' is not an edition such as 2026-11.1"],
    [edition({ pricesAsOf: "soon" }), "'pricesAsOf' is not a date"],
    [edition({ models: [] }), "it has no models"],
    [model({ id: "acme" }), "a model has an invalid ID"],
    [model({ mode: "dance" }), "'acme/chat': unknown mode 'dance'"],
    [model({ color: "red" }), "'acme/chat': unknown field 'color'"],
    [model({ sources: { input: "hearsay" } }), "'acme/chat': unknown source 'hearsay'"],
    [model({ prices: { input: 1, output: 2, perSmile: 3 } }), "'acme/chat': unknown price 'perSmile'"],
    [model({ prices: { input: 1.5, output: 2 } }), "'acme/chat': price 'input' is not a whole number of pico-USD"],
    [model({ prices: { input: 0, output: 2 } }), "'acme/chat': input is free without a reason"],
    [
      model({ prices: { input: 1, output: 2, rules: [{ when: { weather: "rain" }, prices: {} }] } }),
      "'acme/chat': unknown condition 'weather'",
    ],
    [
      model({
        prices: {
          input: 1,
          output: 2,
          rules: [
            { when: { hours: { name: "a", timeZone: "Mars/Base", days: [], fromMinute: 0, toMinute: 9 } }, prices: {} },
          ],
        },
      }),
      "'acme/chat': a condition has invalid hours",
    ],
    [withRule({}), "'acme/chat': a rule has no condition"],
    [withRule({ serviceTier: 1 }), "'acme/chat': a condition is not a name"],
    [withRule({ serviceTier: "flex", region: "" }), "'acme/chat': a condition is not a name"],
    [withRule({ aboveInputTokens: "200000" }), "'acme/chat': a condition has no number of tokens"],
    [edition({ models: [...built.models.slice(0, 2)].reverse() }), /listed twice or is not sorted/],
  ])("is rejected with its problem: %#", (text, problem) => {
    expect(findCatalogProblem(text)).toMatch(problem);
  });
});

test("compares the prices of two editions", () => {
  const before = openCatalog(model({}));
  const after = openCatalog(
    model({
      prices: { input: 3, output: 2, rules: [{ when: { serviceTier: "flex" }, prices: { input: 1 } }] },
    }),
  );
  expect(compareEditions(before, after)).toEqual([
    {
      model: "acme/chat",
      kind: "changed",
      isDisputed: false,
      prices: [
        { field: "input", before: 1n, after: 3n },
        { field: "input, serviceTier flex", before: null, after: 1n },
      ],
    },
  ]);
  expect(compareEditions(before, openCatalog(readBuiltInCatalog())).at(0)).toMatchObject({ kind: "removed" });
  expect(compareEditions(before, before)).toEqual([]);
});

test("editions are ordered by month and number", () => {
  const sorted = ["2026-08.2", "2026-08.10", "2026-11.1"];
  expect(sorted.toReversed().sort(compareEditionNames)).toEqual(sorted);
});

describe("this process's catalog", () => {
  afterEach(() => useCatalog(openCatalog(readBuiltInCatalog())));

  test("is the same object with other contents after an update", () => {
    const catalog = loadCatalog();
    useCatalog(openCatalog(edition({ version: "2026-12.1" })));
    expect(loadCatalog()).toBe(catalog);
    expect(catalog.version).toBe("2026-12.1");
  });
});
