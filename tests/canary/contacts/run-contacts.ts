import { existsSync, readFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { Agent, request as requestHttp } from "node:http";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startFakeUpstream } from "@tollgate/testkit/fake-upstream.ts";
import { startDev } from "@tollgate/testkit/processes/start-instance.ts";
import type { Report } from "@tollgate/testkit/report.ts";
import { waitFor } from "@tollgate/testkit/wait-for.ts";
import { readPublishedInterface } from "../../conformance/fuzz/published-operations.ts";
import { playConversation } from "../../conformance/stage/play-conversation.ts";
import { describeSettings } from "../../conformance/stage/served-groups.ts";
import { type CanaryHost, startCanaryHost } from "./canary-host.ts";
import { type LuredRequest, luredRequests } from "./lured-requests.ts";

const LANES = 8;
/**
 * Step between the positions that a quick run tests. Not a multiple of the number of lures, so that every lure reaches
 * every position over time.
 */
const QUICK_STEP = 5;
const ANSWER_LIMIT_MS = 20_000;
const WATCH = join(import.meta.dirname, "watch-egress.ts");

export interface ContactsSummary {
  readonly sent: number;
  readonly answered: number;
  readonly operations: number;
  /** Connections that reached the canary. */
  readonly contacts: number;
  /** The program's connections and DNS lookups for hosts other than its upstream and database. */
  readonly strangers: number;
  /** Connections to the expected hosts. */
  readonly connects: number;
}

/**
 * Puts the canary's URLs into every position of every operation and counts the connections to the canary. A quick run
 * tests one in five positions.
 */
export async function runContacts(report: Report, isQuick: boolean): Promise<ContactsSummary> {
  const folder = await mkdtemp(join(tmpdir(), "tollgate-canary-"));
  const [canary, upstream] = await Promise.all([startCanaryHost(), startFakeUpstream()]);
  upstream.behaves(playConversation);
  const egressFile = join(folder, "egress.jsonl");
  try {
    // Forward unknown fields, so that the URLs get as far as possible.
    const trusted = { unknown_params: "forward" };
    const tollgate = await startDev({
      folder,
      settings: describeSettings(upstream.origin, upstream.origin, trusted),
      env: { TOLLGATE_LOG_LEVEL: "warn", NODE_OPTIONS: `--import=${WATCH}`, CANARY_EGRESS_FILE: egressFile },
    });
    try {
      await report.check("canary", "the canary notices every connection", () => expectNoticed(canary));
      const before = canary.contacts;
      // Connections before the first request go to the program's own database.
      const own = new Set([...readEgress(egressFile).map(({ target }) => target), `127.0.0.1:${upstream.port}`]);
      const asked = await sendAll(tollgate.baseUrl, tollgate.masterKey, canary, isQuick ? QUICK_STEP : 1);
      const contacts = canary.contacts - before;
      const notes = readEgress(egressFile);
      const strange = notes.filter(({ target }) => !own.has(target) && target !== "127.0.0.1");
      const strangers = [...new Set(strange.map(({ kind, target }) => `${kind} ${target}`))];
      const connects = notes.filter(({ target }) => target.endsWith(`:${upstream.port}`)).length;
      const counts = `${asked.sent} requests to ${asked.operations} operations, ${asked.answered} of them served`;
      report.record("canary", `no URL from a caller is followed: ${counts}`, describeContacts(contacts, strangers));
      await report.check("canary", `what the program connects to is watched: ${connects} connections`, async () => {
        if (connects === 0) throw new Error("not even the upstream was reached");
        if (asked.answered * 4 < asked.sent) throw new Error("most requests were refused, so they prove little");
        if (!tollgate.program.isRunning) throw new Error("the program ended");
      });
      return { ...asked, contacts, strangers: strangers.length, connects };
    } finally {
      await tollgate.stop();
    }
  } finally {
    await Promise.all([canary.close(), upstream.close()]);
    await rm(folder, { recursive: true, force: true });
  }
}

async function expectNoticed(canary: CanaryHost): Promise<void> {
  const before = canary.contacts;
  connect(canary.port, "127.0.0.1").on("error", () => {});
  await waitFor("the canary to notice", () => canary.contacts > before);
}

async function sendAll(
  baseUrl: string,
  masterKey: string,
  canary: CanaryHost,
  step: number,
): Promise<Pick<ContactsSummary, "sent" | "answered" | "operations">> {
  const published = await readPublishedInterface(baseUrl);
  const requests = everyNth(luredRequests(published, canary.lures), step);
  const agent = new Agent({ keepAlive: true, maxSockets: LANES });
  const counts = { sent: 0, answered: 0 };
  const lane = async () => {
    for (const request of requests) {
      const status = await send(baseUrl, masterKey, request, agent);
      counts.sent += 1;
      if (status < 400) counts.answered += 1;
    }
  };
  await Promise.all(Array.from({ length: LANES }, lane));
  agent.destroy();
  return { ...counts, operations: published.operations.length };
}

function send(baseUrl: string, masterKey: string, lured: LuredRequest, agent: Agent): Promise<number> {
  const { hostname, port } = new URL(baseUrl);
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  const request = requestHttp({
    hostname,
    port,
    path: lured.target,
    method: lured.method,
    agent,
    headers: {
      ...lured.headers,
      "x-gw-api-key": masterKey,
      ...(lured.body !== null && { "content-length": lured.body.length }),
    },
    signal: AbortSignal.timeout(ANSWER_LIMIT_MS),
  });
  request.on("error", (error) => reject(new Error(`${lured.method} ${lured.target}: ${error.message}`)));
  request.once("response", (response) => {
    response.resume();
    response.once("end", () => resolve(response.statusCode ?? 0));
    response.once("error", reject);
  });
  request.end(lured.body ?? undefined);
  return promise;
}

/** Yields every nth item. */
function* everyNth<Item>(items: Iterable<Item>, step: number): Generator<Item> {
  let index = 0;
  for (const item of items) {
    if (index % step === 0) yield item;
    index += 1;
  }
}

interface EgressNote {
  readonly kind: "lookup" | "connect";
  readonly target: string;
}

/** Returns the program's connections and lookups so far. */
function readEgress(file: string): readonly EgressNote[] {
  const lines = existsSync(file) ? readFileSync(file, "utf8").split("\n") : [];
  return lines.filter((line) => line !== "").map((line) => JSON.parse(line) as EgressNote);
}

function describeContacts(contacts: number, strangers: readonly string[]): string | null {
  if (contacts === 0 && strangers.length === 0) return null;
  return `${contacts} contacts\n${strangers.slice(0, 20).join("\n")}`;
}
