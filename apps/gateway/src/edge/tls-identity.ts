import type { TlsOptions } from "node:tls";
import type { Secret } from "@tollgate/domain/secret.ts";

/** What a server proves itself with: a certificate with those that lead to its authority, and its key, as PEM. */
export interface TlsIdentity {
  readonly certificate: string;
  readonly key: Secret;
}

export const toTlsOptions = ({ certificate, key }: TlsIdentity): TlsOptions => ({
  cert: certificate,
  key: key.reveal(),
  minVersion: "TLSv1.2",
  // What comes after the handshake is HTTP/1.1; who offers that among others is told.
  ALPNProtocols: ["http/1.1"],
});
