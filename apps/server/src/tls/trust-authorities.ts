import { X509Certificate } from "node:crypto";
import { getCACertificates, setDefaultCACertificates } from "node:tls";
import { TlsProblem } from "@tollgate/runtime/tls-problem.ts";
import { readPem } from "./read-pem.ts";

const CERTIFICATE = /-----BEGIN CERTIFICATE-----[\s\S]+?-----END CERTIFICATE-----/g;

/**
 * Trusts the CAs in a file in addition to the default CAs, for all connections from this process: providers, database,
 * webhooks, and payments.
 */
export function trustAuthorities(file: string | undefined): void {
  if (file === undefined) return;
  const found = readPem("TOLLGATE_CA_FILE", file).match(CERTIFICATE) ?? [];
  if (found.length === 0) throw new TlsProblem(`TOLLGATE_CA_FILE file ${file} contains no certificate.`);
  for (const [index, pem] of found.entries()) {
    if (!isCertificate(pem)) {
      throw new TlsProblem(`Could not parse certificate ${index + 1} in TOLLGATE_CA_FILE file ${file}.`);
    }
  }
  setDefaultCACertificates([...getCACertificates("default"), ...found]);
}

function isCertificate(pem: string): boolean {
  try {
    new X509Certificate(pem);
    return true;
  } catch {
    return false;
  }
}
