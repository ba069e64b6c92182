import type { TlsOptions } from "node:tls";
import type { Secret } from "@tollgate/domain/secret.ts";

/** The TLS identity of a server: its certificate chain and private key, as PEM. */
export interface TlsIdentity {
  readonly certificate: string;
  readonly key: Secret;
}

export const toTlsOptions = ({ certificate, key }: TlsIdentity): TlsOptions => ({
  cert: certificate,
  key: key.reveal(),
  minVersion: "TLSv1.2",
  // The server supports only HTTP/1.1, which ALPN announces to clients.
  ALPNProtocols: ["http/1.1"],
});
