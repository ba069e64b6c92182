import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { makeUuidV7 } from "@tollgate/domain/ids.ts";
import { priceCall } from "@tollgate/domain/pricing/price-call.ts";
import { NO_USAGE } from "@tollgate/domain/pricing/usage.ts";
import { undoAtExit } from "@tollgate/testkit/processes/clean-up.ts";
import { addTenant } from "@tollgate/testkit/tenants.ts";
import { sql } from "kysely";
import type { Cell, CellContext, CellResult } from "../cell.ts";
import { PRICES } from "../models.ts";
import type { Stage } from "../stage/stage.ts";
import { GATEWAY_PROCESSES } from "../stage/tollgate.ts";
import { writePrompt } from "../upstream/instructions.ts";
import { underLoad } from "./under-load.ts";

const READERS = 2_000;
const QUICK_READERS = 600;
/** Concurrency limit with capacity for all slow readers and the standard load. */
const ROOM = 3_000;
/** A stream that is several times larger than the buffers between a gateway and a client that does not read. */
const STREAM = { chunks: 80, gapMs: 150, tokensPerChunk: 20, delayMs: 5, padding: 4_000 };
const MAX_INPUT = 200;
const STALLED_MS = 30_000;
/** Time until all buffers are full if all clients run on one small machine. */
const FILLING_MS = 12_000;
const CUT_LIMIT_MS = STALLED_MS + FILLING_MS;
const SETTLE_MS = 10_000;
const MAX_UNSENT = 64 * 1_024;
/**
 * Maximum memory per client, including a buffered read of the upstream's response, the call itself, and uncollected
 * garbage.
 */
const MAX_MEMORY = 512 * 1_024;
const PLENTY = 100_000_000_000_000n;
const reader = join(import.meta.dirname, "../load/slow_readers.py");

/**
 * Clients that don't read use little memory, don't affect other clients, and are disconnected and charged after half a
 * minute.
 */
export const slowReaders: Cell = {
  id: "F39",
  title: "client: two thousand clients that do not read",
  run: async (stage, context) => {
    await stage.tollgate.restart({ maxInFlight: ROOM });
    const nonces = nameReaders(context);
    const figures: Record<string, number> = { readers: nonces.length };
    const found: string[] = [];
    const expectation = { mostFailed: 0, recoveryMs: 0, settleLimitMs: 90_000 };
    const result = await underLoad(stage, context, expectation, async () => {
      const { apiKey } = await addTenant(stage.platform, { credit: PLENTY });
      const readers = { nonces, startedAtMs: Date.now() };
      const half = nonces.length / 2;
      const closeFirst = await openReaders(stage, apiKey, nonces.slice(0, half));
      await pause(FILLING_MS);
      // Measure only the second half of the clients, because the memory of a newly started process grows without load,
      // too.
      const memoryBefore = residentBytes(stage);
      const closeSecond = await openReaders(stage, apiKey, nonces.slice(half));
      await pause(FILLING_MS);
      figures.memoryPerReader = Math.round((residentBytes(stage) - memoryBefore) / half);
      figures.unsentPerReader = Math.round((await readUnsentBytes(stage)) / nonces.length);
      if (figures.memoryPerReader > MAX_MEMORY) found.push(`each takes ${figures.memoryPerReader} bytes of memory`);
      const unsent = figures.unsentPerReader;
      if (unsent === 0 || unsent > MAX_UNSENT) found.push(`${unsent} bytes are kept for each that does not read`);
      found.push(...judgeCut(await awaitCut(stage, readers), readers, figures));
      closeFirst();
      closeSecond();
    });
    await stage.tollgate.restart({ maxInFlight: null });
    return { ...result, figures, problems: [...result.problems, ...found] } satisfies CellResult;
  },
};

interface Readers {
  readonly nonces: readonly string[];
  readonly startedAtMs: number;
}

/** Returns nonces that differ from those of the standard load. */
function nameReaders({ prefix, isQuick }: CellContext): readonly string[] {
  return Array.from({ length: isQuick ? QUICK_READERS : READERS }, (_, index) => `slow-${prefix}${index}`);
}

/** Resolves once all requests are sent. The returned function closes the connections. */
async function openReaders(stage: Stage, key: string, nonces: readonly string[]): Promise<() => void> {
  const child = spawn("python3", [reader], { stdio: ["pipe", "pipe", "inherit"] });
  const forget = undoAtExit(() => child.kill("SIGKILL"));
  const calls = Object.fromEntries(nonces.map((nonce) => [nonce, bodyOf(nonce)]));
  child.stdin.write(`${JSON.stringify({ port: stage.tollgate.port, key, calls })}\n`);
  await Promise.race([
    once(child.stdout, "data"),
    once(child, "exit").then(() => Promise.reject(new Error("the readers ended before they had asked"))),
  ]);
  return () => {
    forget();
    child.stdin.end();
  };
}

function bodyOf(nonce: string): string {
  return JSON.stringify({
    model: "reporting",
    stream: true,
    max_tokens: STREAM.chunks * STREAM.tokensPerChunk,
    messages: [{ role: "user", content: writePrompt({ nonce, ...STREAM }) }],
  });
}

/** An interrupted stream, as recorded in the ledger. */
interface CutRow {
  readonly nonce: string;
  readonly status: string;
  readonly cost: bigint;
  readonly latencyMs: number;
}

/** Waits until every stream is in the ledger or the time limit is reached. */
async function awaitCut(stage: Stage, { nonces, startedAtMs }: Readers): Promise<readonly CutRow[]> {
  const prefix = (nonces[0] as string).replace(/\d+$/, "");
  const first = makeUuidV7(startedAtMs - 1_000, new Uint8Array(10));
  for (;;) {
    const { rows } = await sql<CutRow>`
      select request_id as nonce, status, cost, latency_ms as "latencyMs"
      from usage_events
      where day >= day_of_event(${first}) and id >= ${first} and starts_with(request_id, ${prefix})`.execute(
      stage.ledger,
    );
    if (rows.length >= nonces.length || Date.now() > startedAtMs + FILLING_MS + CUT_LIMIT_MS + SETTLE_MS) return rows;
    await pause(1_000);
  }
}

/** Checks that each stream was interrupted once and in time, and was charged, but not for more than was sent. */
function judgeCut(rows: readonly CutRow[], { nonces }: Readers, figures: Record<string, number>): string[] {
  const cut = new Set(rows.map(({ nonce }) => nonce));
  const latencies = rows.map(({ latencyMs }) => latencyMs);
  figures.cut = cut.size;
  figures.firstCutMs = Math.min(...latencies);
  figures.lastCutMs = Math.max(...latencies);
  const outputTokens = STREAM.chunks * STREAM.tokensPerChunk;
  const most = priceCall({ ...NO_USAGE, inputTokens: MAX_INPUT, outputTokens }, PRICES.reporting);
  const counts = {
    "were never cut": nonces.length - cut.size,
    "are charged more than once": rows.length - cut.size,
    "ended otherwise than by being cut": rows.filter(({ status }) => status !== "client_disconnect").length,
    "were cut before half a minute was over": latencies.filter((ms) => ms < STALLED_MS).length,
    "were cut too late": latencies.filter((ms) => ms > CUT_LIMIT_MS).length,
    "are charged nothing, or too much": rows.filter(({ cost }) => cost <= 0n || cost > most).length,
  };
  return Object.entries(counts).flatMap(([what, count]) =>
    count > 0 ? [`${count} clients that do not read ${what}`] : [],
  );
}

/** Returns the number of bytes that all gateways buffer for their clients. */
async function readUnsentBytes(stage: Stage): Promise<number> {
  const metrics = await (await fetch(`${stage.tollgate.url}/metrics`)).text();
  return Number(/^gw_unsent_bytes (\d+)$/m.exec(metrics)?.[1]);
}

/** Returns the resident memory of all gateways. */
function residentBytes(stage: Stage): number {
  let bytes = 0;
  for (let index = 0; index < GATEWAY_PROCESSES; index += 1) {
    const pages = readFileSync(`/proc/${stage.tollgate.gatewayPid(index)}/statm`, "latin1").split(" ")[1];
    bytes += Number(pages) * 4_096;
  }
  return bytes;
}
