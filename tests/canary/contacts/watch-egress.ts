import dns from "node:dns";
import { appendFileSync } from "node:fs";
import net from "node:net";

/**
 * Preloaded into the program under test. Records every name that it resolves and every address that it connects to,
 * each as one JSON line. The canary's names resolve to this machine, because a failed lookup would prevent the
 * connection that the test looks for.
 */
const file = process.env.CANARY_EGRESS_FILE;
const CANARY_NAME = /\.canary\.test$/;

function note(kind: "lookup" | "connect", target: string): void {
  if (file !== undefined) appendFileSync(file, `${JSON.stringify({ kind, target })}\n`);
}

const lookup = dns.lookup as unknown as (name: string, ...rest: unknown[]) => unknown;
dns.lookup = ((name: string, ...rest: unknown[]) => {
  note("lookup", name);
  return lookup(CANARY_NAME.test(name) ? "127.0.0.1" : name, ...rest);
}) as unknown as typeof dns.lookup;

const lookupPromise = dns.promises.lookup as unknown as (name: string, ...rest: unknown[]) => unknown;
dns.promises.lookup = ((name: string, ...rest: unknown[]) => {
  note("lookup", name);
  return lookupPromise(CANARY_NAME.test(name) ? "127.0.0.1" : name, ...rest);
}) as unknown as typeof dns.promises.lookup;

const connect = net.Socket.prototype.connect as (...given: unknown[]) => net.Socket;
net.Socket.prototype.connect = function (this: net.Socket, ...given: unknown[]) {
  note("connect", describe(given));
  return connect.apply(this, given);
} as typeof net.Socket.prototype.connect;

/** Callers pass options, a port and a host, or all arguments in a list. */
function describe(given: readonly unknown[]): string {
  const [first, second] = Array.isArray(given[0]) ? (given[0] as unknown[]) : given;
  if (typeof first !== "object" || first === null) return `${String(second)}:${String(first)}`;
  const { host, port, path } = first as { host?: string; port?: number; path?: string };
  return path ?? `${host ?? "localhost"}:${port}`;
}
