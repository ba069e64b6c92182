import { generateKeyPairSync } from "node:crypto";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { readEdition } from "../../packages/catalog/src/signed-catalog.ts";
import { signReleaseEdition } from "./sign-edition.ts";

const { privateKey, publicKey } = generateKeyPairSync("ed25519");
const catalog = `{"version":"2026-09.1",\n"pricesAsOf":"2026-09-01",\n"models":[\n]}\n`;
const now = new Date("2026-11-30T12:00:00Z");

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "tollgate-sign-"));
  mkdirSync(join(folder, "packages/catalog/src"), { recursive: true });
  writeFileSync(join(folder, "packages/catalog/src/catalog.generated.json"), catalog);
  writeFileSync(join(folder, "key.pem"), privateKey.export({ format: "pem", type: "pkcs8" }));
});
afterEach(() => rmSync(folder, { recursive: true }));

const options = () => ({ root: folder, out: folder, keyFile: join(folder, "key.pem"), trusted: publicKey, now });

test("writes the release's catalog as a file that servers accept, with the same bytes each time", () => {
  const path = signReleaseEdition(options());
  expect(path).toBe(join(folder, "catalog-2026-09.1.signed"));
  const first = readFileSync(path);
  expect(readEdition(first, publicKey)).toMatchObject({ kind: "signed", text: catalog });
  signReleaseEdition(options());
  expect(readFileSync(path).equals(first)).toBe(true);
});

test("rejects a missing key, a key that servers don't trust, and prices that are older than 90 days", () => {
  expect(() => signReleaseEdition({ ...options(), keyFile: undefined })).toThrow("TOLLGATE_CATALOG_KEY_FILE");
  expect(() => signReleaseEdition({ ...options(), keyFile: join(folder, "none.pem") })).toThrow("ENOENT");
  const { publicKey: other } = generateKeyPairSync("ed25519");
  expect(() => signReleaseEdition({ ...options(), trusted: other })).toThrow("is not the key that servers trust");
  const later = new Date("2026-12-01T00:00:00Z");
  expect(() => signReleaseEdition({ ...options(), now: later })).toThrow("2026-09.1 has prices of 2026-09-01");
});
