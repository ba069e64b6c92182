import { createPrivateKey, type KeyObject, X509Certificate } from "node:crypto";
import { Secret } from "@tollgate/domain/secret.ts";
import type { TlsIdentity } from "@tollgate/gateway/http/tls-identity.ts";
import type { ServerEnvironment } from "@tollgate/runtime/environment.ts";
import { TlsProblem } from "@tollgate/runtime/tls-problem.ts";
import { readPem } from "./read-pem.ts";

/** The listener's TLS certificate and its metadata. */
export interface ServingCertificate extends TlsIdentity {
  readonly expiresAtMs: number;
  /** Warning for the operator, such as an expired certificate; null if there is none. */
  readonly warning: string | null;
}

type TlsFiles = Pick<ServerEnvironment, "TOLLGATE_TLS_CERT" | "TOLLGATE_TLS_KEY">;

/** Reads the certificate and key files; returns null for plain HTTP. Throws `TlsProblem`. */
export function readServingCertificate(environment: TlsFiles, nowMs: number = Date.now()): ServingCertificate | null {
  const { TOLLGATE_TLS_CERT: certificateFile, TOLLGATE_TLS_KEY: keyFile } = environment;
  if (certificateFile === undefined && keyFile === undefined) return null;
  if (certificateFile === undefined || keyFile === undefined) {
    const missing = certificateFile === undefined ? "TOLLGATE_TLS_CERT" : "TOLLGATE_TLS_KEY";
    throw new TlsProblem(`TLS requires both TOLLGATE_TLS_CERT and TOLLGATE_TLS_KEY, but ${missing} is not set.`);
  }
  const certificate = readPem("TOLLGATE_TLS_CERT", certificateFile);
  const key = new Secret(readPem("TOLLGATE_TLS_KEY", keyFile));
  const leaf = parseCertificate(certificate, certificateFile);
  if (!leaf.checkPrivateKey(parseKey(key, keyFile))) {
    throw new TlsProblem(`The private key in ${keyFile} does not match the certificate in ${certificateFile}.`);
  }
  const expiresAtMs = leaf.validToDate.getTime();
  const warning = expiresAtMs < nowMs ? `the certificate in ${certificateFile} expired on ${leaf.validTo}` : null;
  return { certificate, key, expiresAtMs, warning };
}

function parseCertificate(pem: string, file: string): X509Certificate {
  try {
    return new X509Certificate(pem);
  } catch {
    throw new TlsProblem(`Could not parse the first certificate in TOLLGATE_TLS_CERT file ${file}.`);
  }
}

function parseKey(pem: Secret, file: string): KeyObject {
  try {
    return createPrivateKey(pem.reveal());
  } catch {
    throw new TlsProblem(
      `Could not parse the key in TOLLGATE_TLS_KEY file ${file}. The key must not require a passphrase.`,
    );
  }
}
