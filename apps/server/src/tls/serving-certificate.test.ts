import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { inspect } from "node:util";
import { CertificateAuthority } from "@tollgate/testkit/certificates.ts";
import { afterAll, expect, test } from "vitest";
import { readServingCertificate } from "./serving-certificate.ts";
import { trustAuthorities } from "./trust-authorities.ts";

const folder = mkdtempSync(join(tmpdir(), "tollgate-tls-"));
const authority = new CertificateAuthority();
const one = authority.issue("gateway.test");
const other = authority.issue("gateway.test");
const written = (name: string, text: string) => {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
};
const cert = written("one.pem", one.certificate);
const key = written("one.key", one.key);

afterAll(() => {
  authority.close();
  rmSync(folder, { recursive: true, force: true });
});

test("reads the certificate and its expiry if both files are set, and disables TLS if no file is set", () => {
  expect(readServingCertificate({ TOLLGATE_TLS_CERT: undefined, TOLLGATE_TLS_KEY: undefined })).toBeNull();
  const read = readServingCertificate({ TOLLGATE_TLS_CERT: cert, TOLLGATE_TLS_KEY: key });
  expect(read).toMatchObject({ certificate: one.certificate, warning: null });
  expect(read?.expiresAtMs).toBeGreaterThan(Date.now());
});

test("never prints the private key", () => {
  const read = readServingCertificate({ TOLLGATE_TLS_CERT: cert, TOLLGATE_TLS_KEY: key });
  expect(inspect(read) + JSON.stringify(read)).not.toContain("PRIVATE KEY");
});

test("serves an expired certificate with a warning that names the file", () => {
  const inThreeDays = Date.now() + 3 * 86_400_000;
  const read = readServingCertificate({ TOLLGATE_TLS_CERT: cert, TOLLGATE_TLS_KEY: key }, inThreeDays);
  expect(read?.warning).toContain(`${cert} expired on`);
});

const none: Parameters<typeof readServingCertificate>[0] = {
  TOLLGATE_TLS_CERT: undefined,
  TOLLGATE_TLS_KEY: undefined,
};

test.each([
  ["a certificate without a key", { TOLLGATE_TLS_CERT: cert }, "TOLLGATE_TLS_KEY is not set"],
  ["a missing file", { TOLLGATE_TLS_CERT: "/nowhere.pem", TOLLGATE_TLS_KEY: key }, "file not found"],
  ["a file that is not PEM", { TOLLGATE_TLS_CERT: written("x", "hello"), TOLLGATE_TLS_KEY: key }, "is not a PEM file"],
  [
    "another certificate's key",
    { TOLLGATE_TLS_CERT: cert, TOLLGATE_TLS_KEY: written("k", other.key) },
    "does not match the certificate",
  ],
  ["a certificate as the key", { TOLLGATE_TLS_CERT: cert, TOLLGATE_TLS_KEY: cert }, "must not require a passphrase"],
])("rejects %s with an explanation", (_case, files, text) => {
  expect(() => readServingCertificate({ ...none, ...files })).toThrow(text);
});

test("refuses to start with an unreadable CA file", () => {
  expect(() => trustAuthorities("/nowhere.pem")).toThrow("Could not read TOLLGATE_CA_FILE file /nowhere.pem");
  expect(() => trustAuthorities(key)).toThrow("contains no certificate");
});
