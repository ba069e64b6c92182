import { connect as connectTcp, type Socket } from "node:net";
import { availableParallelism } from "node:os";
import { connect as connectTls } from "node:tls";
import { type DoctorContext, type Finding, failed, passed, warned } from "./doctor-finding.ts";

const ANSWER_LIMIT_MS = 3_000;
const MAX_LINE_BYTES = 64 * 1024;

/**
 * Checks Redis with a PING command, which gets a reply even before authentication. A single gateway process doesn't
 * need Redis.
 */
export async function checkRedis(context: DoctorContext): Promise<Finding[]> {
  const { env, settings } = context;
  const url = env.REDIS_URL || (settings?.router.redisUrl ?? settings?.gateway.cache.redisUrl)?.reveal();
  if (url) return [await judge("redis", "REDIS_URL", url, redis)];
  const processes = await countProcesses(context);
  if (processes === 1) return [passed("redis", "not configured; not required for a single process")];
  const text = `not configured: each of the ${processes} processes enforces its own share of a rate limit`;
  return [warned("redis", text, "Set REDIS_URL, or run one process: tollgate serve --processes 1")];
}

/** Checks NATS, which greets new connections with an INFO line. */
export async function checkNats({ env }: DoctorContext): Promise<Finding[]> {
  const url = env.NATS_URL?.split(",")[0];
  if (!url) {
    const fix = "If gateways and workers run on separate machines, set NATS_URL.";
    return [warned("nats", "not configured: usage events go directly to the database", fix)];
  }
  return [await judge("nats", "NATS_URL", url, nats)];
}

/** Checks the mail server's greeting. Without a mail server, invitation links must be sent manually. */
export async function checkMail({ settings }: DoctorContext): Promise<Finding[]> {
  if (settings === null) return [];
  const url = settings.platform.mail.url?.reveal();
  if (url)
    return [await judge("email", "email.url", url, { ...smtp, defaultPort: url.startsWith("smtps:") ? 465 : 587 })];
  const fix = "Set email.url to smtp://user:password@host:port.";
  return [
    warned(
      "email",
      "not configured: invitation links must be sent manually, and passwords can't be reset by email",
      fix,
    ),
  ];
}

/**
 * Returns the number of live gateways in the database or, before the first start, the number of gateways that `serve`
 * would start.
 */
async function countProcesses({ dataDir, database }: DoctorContext): Promise<number> {
  if (dataDir !== null) return 1;
  const status = await database();
  return (status.kind === "seen" && status.facts.liveGateways) || availableParallelism();
}

interface Dialect {
  readonly defaultPort: number;
  readonly greeting: string;
  readonly expected: RegExp;
  /** Returns the problem that makes a responding server unusable, and its fix; null if there is no problem. */
  readonly objection?: (line: string) => { readonly text: string; readonly fix: string } | null;
}

const redis: Dialect = { defaultPort: 6379, greeting: "PING\r\n", expected: /^[+-]/ };

const smtp = { greeting: "", expected: /^220/ } as const;

const nats: Dialect = {
  defaultPort: 4222,
  greeting: "",
  expected: /^INFO /,
  objection: (line) =>
    /"jetstream":\s*true/.test(line)
      ? null
      : {
          text: "JetStream is disabled",
          fix: "Add `jetstream: { store_dir: …, sync_interval: always }` to the NATS configuration.",
        },
};

async function judge(name: string, variable: string, url: string, dialect: Dialect): Promise<Finding> {
  let address: URL;
  try {
    address = new URL(url.includes("://") ? url : `${name}://${url}`);
  } catch {
    return failed(name, "invalid URL", `Correct ${variable}.`);
  }
  const host = `${address.hostname}:${address.port || dialect.defaultPort}`;
  const fix = `Check that the server is running and that ${variable} is correct.`;
  const startedMs = performance.now();
  try {
    const line = await readFirstLine(address, dialect);
    const latencyMs = Math.round(performance.now() - startedMs);
    if (!dialect.expected.test(line)) return failed(name, `${host} responds, but not as a ${name} server`, fix);
    const objection = dialect.objection?.(line) ?? null;
    if (objection !== null) return failed(name, `${host} responds, but ${objection.text}`, objection.fix);
    return passed(name, `${host} responds, ${latencyMs} ms`);
  } catch (error) {
    return failed(name, `${host}: ${(error as Error).message}`, fix);
  }
}

function readFirstLine(address: URL, dialect: Dialect): Promise<string> {
  const host = address.hostname;
  const port = Number(address.port || dialect.defaultPort);
  const isSecure = ["rediss:", "tls:", "smtps:"].includes(address.protocol);
  const socket: Socket = isSecure ? connectTls({ host, port, servername: host }) : connectTcp({ host, port });
  return new Promise<string>((resolve, reject) => {
    let text = "";
    socket.setTimeout(ANSWER_LIMIT_MS, () =>
      socket.destroy(new Error(`no response within ${ANSWER_LIMIT_MS / 1_000} s`)),
    );
    socket.on("data", (chunk: Buffer) => {
      text += chunk.toString("latin1");
      if (text.includes("\r\n") || text.length > MAX_LINE_BYTES) resolve(text);
    });
    socket.once("error", reject);
    socket.once("end", () => resolve(text));
    if (dialect.greeting !== "") socket.write(dialect.greeting);
  }).finally(() => socket.destroy());
}
