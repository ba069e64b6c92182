import { once } from "node:events";
import { setTimeout as pause } from "node:timers/promises";
import { claimEventLog } from "@tollgate/testkit/event-log.ts";
import { readCpuMs } from "../measure/process-usage.ts";
import { undoAtEnd } from "../processes/clean-up.ts";
import { runBench } from "../run-bench.ts";
import { fillBacklog } from "./fill-backlog.ts";
import { type CostBySource, openBooks } from "./open-books.ts";
import { readOptions, type SettlementOptions, usage } from "./options.ts";
import { forkWorker } from "./worker-process.ts";

// Measures how fast workers settle a backlog, with the engines on the same machine, and verifies the ledger afterward.

/** Required settlement rate for two workers on two cores that they share with Postgres and NATS. */
const REQUIRED_PER_SECOND = 10_000;
const POLL_MS = 100;
const START_LIMIT_MS = 30_000;
const STALL_LIMIT_MS = 30_000;

interface Result {
  readonly eventsPerSecond: number;
  readonly seconds: number;
  readonly workers: number;
  readonly deadlocks: number;
  /** CPU time per event, and growth of the database per event. */
  readonly databaseMicros: number;
  readonly workerMicros: number;
  readonly databaseBytes: number;
  readonly ok: boolean;
}

interface Speed {
  readonly perSecond: number;
  readonly seconds: number;
  /** CPU time per event, in microseconds. */
  readonly databaseMicros: number;
  readonly workerMicros: number;
}

async function bench({
  events,
  organizations,
  workers,
  eventsInMessage,
  printsJson,
}: SettlementOptions): Promise<boolean> {
  const books = await openBooks(organizations);
  undoAtEnd(() => books.close());
  const log = await claimEventLog();
  undoAtEnd(() => log.release());
  const { streamName, subjectPrefix: subject, url: natsUrl } = log;
  const stream = { streamName, subject, replicas: 1, maxBytes: null };
  await fillBacklog(log, stream, books.tenants, events, eventsInMessage);
  console.log(`${events} events of ${organizations} organizations wait in the log`);

  const deadlocksBefore = await books.countDeadlocks();
  const bytesBefore = await books.readBytes();
  const children = Array.from({ length: workers }, () =>
    forkWorker({ connectionString: books.connectionString, natsUrl, stream }),
  );
  const stopWorkers = undoAtEnd(async () => {
    await Promise.all(
      children
        .filter(({ exitCode }) => exitCode === null)
        .map(async (child) => {
          child.disconnect();
          await once(child, "exit");
        }),
    );
  });
  const speed = await measure(
    books,
    events,
    children.map(({ pid }) => pid as number),
  );
  await stopWorkers();

  const deadlocks = (await books.countDeadlocks()) - deadlocksBefore;
  const databaseBytes = Math.round(((await books.readBytes()) - bytesBefore) / events);
  const broken = await books.findBroken();
  const parked = await books.countParked();
  const ok = speed.perSecond >= REQUIRED_PER_SECOND && deadlocks === 0 && broken.length === 0 && parked === 0;
  console.log(`${speed.perSecond} events/s over ${speed.seconds} s from ${workers} workers, ${deadlocks} deadlocks`);
  console.log(`CPU for each event: ${speed.databaseMicros} µs in Postgres, ${speed.workerMicros} µs in the workers`);
  console.log(broken.length === 0 ? "the books agree" : `the books do not agree:\n${broken.join("\n")}`);
  if (parked > 0) console.log(`${parked} events were parked`);
  const { perSecond: eventsPerSecond, seconds, databaseMicros, workerMicros } = speed;
  const costs = { databaseMicros, workerMicros, databaseBytes };
  const result: Result = { eventsPerSecond, seconds, workers, deadlocks, ...costs, ok };
  if (printsJson) console.log(JSON.stringify(result));
  return ok;
}

/** Measures from the first settled events to the last, because startup time says nothing about the settlement rate. */
async function measure(books: CostBySource, events: number, workerPids: readonly number[]): Promise<Speed> {
  const first = await waitForMore(books, 0, START_LIMIT_MS);
  const backends = await books.listBackends();
  const cpu = () => ({ database: readCpuMs(backends), workers: readCpuMs(workerPids) });
  const [startedAtMs, before] = [performance.now(), cpu()];
  let last = first;
  while (last < events) last = await waitForMore(books, last, STALL_LIMIT_MS);
  const [elapsedMs, after] = [performance.now() - startedAtMs, cpu()];
  const micros = (ms: number) => Math.round((ms * 1_000) / (last - first));
  return {
    perSecond: Math.round(((last - first) / elapsedMs) * 1_000),
    seconds: Math.round(elapsedMs / 100) / 10,
    databaseMicros: micros(after.database - before.database),
    workerMicros: micros(after.workers - before.workers),
  };
}

async function waitForMore(books: CostBySource, than: number, limitMs: number): Promise<number> {
  const deadlineMs = performance.now() + limitMs;
  while (performance.now() < deadlineMs) {
    const settled = await books.countSettled();
    if (settled > than) return settled;
    await pause(POLL_MS);
  }
  throw new Error(`nothing was settled for ${limitMs / 1_000} s after ${than} events`);
}

process.exitCode = await runBench({ usage, readOptions, bench });
