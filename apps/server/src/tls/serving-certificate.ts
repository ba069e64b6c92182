import { createPrivateKey, type KeyObject, X509Certificate } from "node:crypto";
import { Secret } from "@tollgate/domain/secret.ts";
import type { TlsIdentity } from "@tollgate/gateway/edge/tls-identity.ts";
import type { ServerEnvironment } from "../environment.ts";
import { readPem } from "./read-pem.ts";
import { TlsProblem } from "./tls-problem.ts";

/** The certificate our listener shows, with what there is to know of it. */
export interface ServingCertificate extends TlsIdentity {
  readonly expiresAtMs: number;
  /** What an operator should hear, such as that it has expired; null when all is well. */
  readonly warning: string | null;
}

type TlsFiles = Pick<ServerEnvironment, "TOLLGATE_TLS_CERT" | "TOLLGATE_TLS_KEY">;

/** Reads certificate and key anew; null where the listener speaks plain HTTP. Throws a `TlsProblem`. */
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
