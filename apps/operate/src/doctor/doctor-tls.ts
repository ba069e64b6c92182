import { ProxyProblem, readProxies } from "@tollgate/runtime/outbound-proxy.ts";
import { TlsProblem } from "@tollgate/runtime/tls-problem.ts";
import { type DoctorContext, type Finding, failed, passed, warned } from "./doctor-finding.ts";

const DAY_MS = 86_400_000;
const RENEW_DAYS = 14;

/** Checks the listener's certificate, the additional trusted CAs, and the outbound proxies. */
export function checkTls({ apps, env }: DoctorContext): Finding[] {
  try {
    apps.server.trustAuthorities(env.TOLLGATE_CA_FILE);
    readProxies(env);
    const certificate = apps.server.readServingCertificate(env);
    if (certificate === null) return [passed("tls", "off: terminate TLS at a proxy in front of the server")];
    const days = Math.floor((certificate.expiresAtMs - Date.now()) / DAY_MS);
    const renew = "Replace the certificate, then send SIGHUP.";
    if (days < 0) return [failed("tls", `the certificate expired ${-days} days ago`, renew)];
    if (days < RENEW_DAYS) return [warned("tls", `the certificate expires in ${days} days`, renew)];
    return [passed("tls", `certificate valid for ${days} more days`)];
  } catch (error) {
    if (!(error instanceof TlsProblem || error instanceof ProxyProblem)) throw error;
    return [failed("tls", error.message, "Fix the problem, then run tollgate doctor --only tls.")];
  }
}
