import { X509Certificate } from "node:crypto";
import { type ClientRequest, type RequestOptions, request as requestHttp } from "node:http";
import { request as requestHttps } from "node:https";
import {
  checkServerIdentity,
  createSecureContext,
  getCACertificates,
  type PeerCertificate,
  type SecureContext,
} from "node:tls";

export interface GatewayAddress {
  /** Base URL of the gateway, such as `http://127.0.0.1:4000`. */
  readonly url: string;
  /** Host header to send, if the gateway accepts only certain host names. */
  readonly host: string | null;
  /**
   * This Tollgate instance's TLS certificate, in PEM format. It is trusted for any host name, because requests use
   * loopback or a cluster-internal name. If null, the default CA and host name checks apply.
   */
  readonly certificate: string | null;
}

/** Starts a request to a gateway of this Tollgate instance. */
export function requestGateway(address: GatewayAddress, path: string, options: RequestOptions): ClientRequest {
  const target = new URL(path, address.url);
  const headers = { ...options.headers, ...(address.host !== null && { host: address.host }) };
  if (target.protocol !== "https:") return requestHttp(target, { ...options, headers });
  return requestHttps(target, { ...options, headers, ...trustOf(address.certificate) });
}

/** The TLS context of the latest certificate. It is cached because it includes all CAs. */
let latest: { readonly certificate: string; readonly trust: Trust } | null = null;

interface Trust {
  readonly secureContext: SecureContext;
  readonly checkServerIdentity: (name: string, shown: PeerCertificate) => Error | undefined;
}

function trustOf(certificate: string | null): Trust | Record<string, never> {
  if (certificate === null) return {};
  if (latest?.certificate !== certificate) latest = { certificate, trust: makeTrust(certificate) };
  return latest.trust;
}

function makeTrust(certificate: string): Trust {
  const own = new X509Certificate(certificate).raw;
  const ca = [...getCACertificates("default"), certificate];
  return {
    secureContext: createSecureContext({ ca, allowPartialTrustChain: true }),
    checkServerIdentity: (name, shown) => (own.equals(shown.raw) ? undefined : checkServerIdentity(name, shown)),
  };
}
