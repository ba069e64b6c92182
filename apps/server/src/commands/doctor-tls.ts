import { ProxyProblem, readProxies } from "@tollgate/runtime/outbound-proxy.ts";
import { readServingCertificate } from "../tls/serving-certificate.ts";
import { TlsProblem } from "../tls/tls-problem.ts";
import { trustAuthorities } from "../tls/trust-authorities.ts";
import { type DoctorContext, type Finding, failed, passed, warned } from "./doctor-finding.ts";

const DAY_MS = 86_400_000;
const RENEW_DAYS = 14;

/** The certificate of the listener, the authorities that are trusted besides the usual, and the proxies on the way out. */
export function checkTls({ env }: DoctorContext): Finding[] {
  try {
    trustAuthorities(env.TOLLGATE_CA_FILE);
    readProxies(env);
    const files = { TOLLGATE_TLS_CERT: env.TOLLGATE_TLS_CERT, TOLLGATE_TLS_KEY: env.TOLLGATE_TLS_KEY };
    const certificate = readServingCertificate(files);
    if (certificate === null) return [passed("tls", "off: a proxy in front should speak it")];
    const days = Math.floor((certificate.expiresAtMs - Date.now()) / DAY_MS);
    const renew = "put a new certificate in place, then send SIGHUP";
    if (days < 0) return [failed("tls", `the certificate ended ${-days} days ago`, renew)];
    if (days < RENEW_DAYS) return [warned("tls", `the certificate ends in ${days} days`, renew)];
    return [passed("tls", `certificate good for ${days} days`)];
  } catch (error) {
    if (!(error instanceof TlsProblem || error instanceof ProxyProblem)) throw error;
    return [failed("tls", error.message, "correct it, then tollgate doctor --only tls")];
  }
}
