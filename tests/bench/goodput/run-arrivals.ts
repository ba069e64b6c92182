import { Random } from "../../random.ts";
import type { Target } from "../load/commands.ts";
import { LoadConnection } from "../load/load-connection.ts";
import { readCpuMs } from "../measure/process-usage.ts";
import type { Arrivals, ArrivalsResult, CallEnd, Crowd } from "./arrivals.ts";

const TICK_MS = 1;
const STUCK_AFTER_MS = 15_000;
const OPENED_TOGETHER = 128;
const DRAWS_APART = 1_000;

/**
 * Sends calls at random times, regardless of responses (open loop). Each crowd has its own rate and a fixed set of
 * connections. If a crowd has no free connection for a call, the call is counted but not sent.
 */
export async function runArrivals({ crowds, durationMs, pids, seed }: Arrivals): Promise<ArrivalsResult> {
  const senders: Sender[] = [];
  // Each crowd has its own random number generator, so that its call times do not depend on other crowds.
  for (const [index, crowd] of crowds.entries()) {
    senders.push(await Sender.open(crowd, new Random(seed * DRAWS_APART + index)));
  }
  const cpuBefore = readCpuMs(pids);
  const startMs = performance.now();
  for (const sender of senders) sender.begin(startMs);
  await new Promise<void>((resolve) => {
    const timer = setInterval(() => {
      const nowMs = performance.now();
      for (const sender of senders) sender.sendDue(Math.min(nowMs, startMs + durationMs));
      if (nowMs < startMs + durationMs) return;
      clearInterval(timer);
      resolve();
    }, TICK_MS);
  });
  const cpuMs = readCpuMs(pids) - cpuBefore;
  const deadline = performance.now() + STUCK_AFTER_MS;
  while (senders.some(({ underWay }) => underWay > 0)) {
    if (performance.now() > deadline) throw new Error("calls got no end");
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  for (const sender of senders) sender.close();
  return { cpuMs, crowds: senders.map(({ ends, unsent }) => ({ ends, unsent })) };
}

interface Sent {
  readonly dueMs: number;
  readonly sentMs: number;
}

class Sender {
  readonly ends: CallEnd[] = [];
  unsent = 0;
  underWay = 0;
  readonly #perMs: number;
  readonly #random: Random;
  readonly #target: Target;
  readonly #request: Buffer;
  readonly #all = new Set<LoadConnection>();
  readonly #idle: LoadConnection[] = [];
  readonly #sent = new Map<LoadConnection, Sent>();
  #startMs = 0;
  #nextMs = 0;

  static async open(crowd: Crowd, random: Random): Promise<Sender> {
    const sender = new Sender(crowd, random);
    for (let opened = 0; opened < crowd.connections; opened += OPENED_TOGETHER) {
      const count = Math.min(OPENED_TOGETHER, crowd.connections - opened);
      await Promise.all(Array.from({ length: count }, () => sender.#connect()));
    }
    return sender;
  }

  private constructor({ perSecond, target }: Crowd, random: Random) {
    this.#perMs = perSecond / 1_000;
    this.#target = target;
    this.#request = Buffer.from(target.request, "base64");
    this.#random = random;
  }

  begin(startMs: number): void {
    this.#startMs = startMs;
    this.#nextMs = startMs + this.#gap();
  }

  sendDue(nowMs: number): void {
    for (; this.#nextMs <= nowMs; this.#nextMs += this.#gap()) {
      let connection = this.#idle.shift();
      while (connection?.isClosed) connection = this.#idle.shift();
      if (connection === undefined) {
        this.unsent += 1;
        continue;
      }
      this.underWay += 1;
      this.#sent.set(connection, { dueMs: this.#nextMs, sentMs: performance.now() });
      connection.send();
    }
  }

  close(): void {
    for (const connection of this.#all) connection.close();
  }

  async #connect(): Promise<void> {
    const connection = new LoadConnection(this.#target, this.#request, (one, problem) => this.#end(one, problem));
    this.#all.add(connection);
    await connection.whenConnected();
    this.#idle.push(connection);
  }

  #end(connection: LoadConnection, problem: string | null): void {
    const { dueMs, sentMs } = this.#sent.get(connection) as Sent;
    this.underWay -= 1;
    const nowMs = performance.now();
    const kind = problem === null ? "good" : problem.startsWith("status 503") ? "refused" : "failed";
    this.ends.push({
      kind,
      dueMs: dueMs - this.#startMs,
      // Refusals are timed from when the call was sent, because their latency depends on the server. All other
      // responses are timed from when the call was due.
      latencyMs: nowMs - (kind === "refused" ? sentMs : dueMs),
      problem: kind === "failed" ? problem : null,
    });
    if (!connection.isClosed) {
      this.#idle.push(connection);
      return;
    }
    // Open a new connection when the server closes one after a number of calls.
    this.#sent.delete(connection);
    this.#all.delete(connection);
    this.#connect().catch(() => {});
  }

  /** Returns the time to the next call, exponentially distributed as for independent callers. */
  #gap(): number {
    return -Math.log(1 - this.#random.next()) / this.#perMs;
  }
}
