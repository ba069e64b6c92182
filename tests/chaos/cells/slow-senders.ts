import { connect, type Socket } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import type { Cell, CellContext } from "../cell.ts";
import type { CallLog } from "../load/call-log.ts";
import type { Stage } from "../stage/stage.ts";
import { GATEWAY_PROCESSES } from "../stage/tollgate.ts";
import { underLoad } from "./under-load.ts";

/** Ways in which clients keep a server waiting. */
type Habit = "head" | "body" | "nothing";

const COUNTS = { head: 1_000, body: 500, nothing: 10_000 } as const;
const QUICK_COUNTS = { head: 300, body: 100, nothing: 2_000 } as const;
const CONNECTIONS_PER_ADDRESS = 256;
/** Number of source addresses, low enough that most idle connections exceed the limit per address. */
const ADDRESSES = 3;
const CALM_MS = 5_000;
const TRICKLE_MS = 1_000;
const CUT_AFTER_MS = 10_000;
/** Tolerance for deadlines, because gateways check them once a second and the machine is saturated. */
const LATE_MS = 3_000;
const MAX_SLOWER = 2;

/** Clients that send slowly, or nothing, are disconnected in time, and other clients are not affected. */
export const slowSenders: Cell = {
  id: "F40",
  title: "client: slow headers, slow bodies, and ten thousand idle connections",
  run: async (stage, context) => {
    const found: string[] = [];
    const figures: Record<string, number> = {};
    const result = await underLoad(stage, context, { mostFailed: 0, recoveryMs: 0 }, async (_until, load) => {
      await pause(CALM_MS);
      const attackAtMs = Date.now();
      const crowd = await openCrowd(stage, context);
      await pause(1_000);
      for (const habit of ["head", "body", "nothing"] as const) {
        const open = crowd.filter((client) => client.habit === habit && !client.isClosed).length;
        figures[`${habit}Open`] = open;
      }
      const most = CONNECTIONS_PER_ADDRESS * ADDRESSES * GATEWAY_PROCESSES;
      const idle = figures.nothingOpen ?? 0;
      if (idle > most || idle === 0) found.push(`${idle} connections from ${ADDRESSES} addresses`);
      await awaitCut(crowd);
      const left = crowd.filter(({ isClosed }) => !isClosed).length;
      if (left > 0) found.push(`${left} slow clients were not cut`);
      for (const client of crowd) client.leave();
      figures.slowestCutMs = crowd.reduce((slowest, { closedAfterMs }) => Math.max(slowest, closedAfterMs), 0);
      const limitMs = CUT_AFTER_MS + LATE_MS;
      if (figures.slowestCutMs > limitMs) found.push(`a slow client was cut after ${figures.slowestCutMs} ms`);
      const calm = load.logs.filter(({ sentAtMs }) => sentAtMs < attackAtMs);
      const under = load.logs.filter(({ sentAtMs }) => sentAtMs >= attackAtMs);
      figures.calmP99Ms = p99(calm);
      figures.attackP99Ms = p99(under);
      if (figures.attackP99Ms > figures.calmP99Ms * MAX_SLOWER) {
        found.push(`p99 of healthy calls is ${figures.attackP99Ms} ms, ${figures.calmP99Ms} without slow clients`);
      }
    });
    return { ...result, figures, problems: [...result.problems, ...found] };
  },
};

class SlowClient {
  readonly habit: Habit;
  readonly #socket: Socket;
  readonly #timer: NodeJS.Timeout | null;
  readonly #openedAtMs = performance.now();
  isClosed = false;
  closedAfterMs = 0;

  constructor(habit: Habit, port: number, localAddress: string, key: string) {
    this.habit = habit;
    this.#socket = connect({ port, host: "127.0.0.1", localAddress });
    this.#socket.on("error", () => {});
    this.#socket.on("close", () => this.#close());
    this.#socket.resume();
    if (habit !== "nothing") {
      const length = habit === "body" ? "content-length: 100000\r\n\r\n" : "";
      this.#socket.write(
        `POST /v1/chat/completions HTTP/1.1\r\nhost: 127.0.0.1\r\nx-gw-api-key: ${key}\r\n` +
          `content-type: application/json\r\n${length}`,
      );
    }
    this.#timer = habit === "nothing" ? null : setInterval(() => this.#trickle(), TRICKLE_MS);
  }

  leave(): void {
    this.#socket.destroy();
  }

  #trickle(): void {
    this.#socket.write(this.habit === "head" ? "x-more: of the same\r\n" : "          ");
  }

  #close(): void {
    if (this.#timer !== null) clearInterval(this.#timer);
    this.closedAfterMs = Math.round(performance.now() - this.#openedAtMs);
    this.isClosed = true;
  }
}

/**
 * Opens the connections over about three seconds, from additional loopback addresses, because 127.0.0.1 is not capped.
 */
async function openCrowd(stage: Stage, context: CellContext): Promise<readonly SlowClient[]> {
  const counts = context.isQuick ? QUICK_COUNTS : COUNTS;
  const quirks = (["head", "body", "nothing"] as const).flatMap((habit) => Array<Habit>(counts[habit]).fill(habit));
  const { apiKey } = context.random.pick(stage.tenants.filter(({ isPoor }) => !isPoor));
  const crowd: SlowClient[] = [];
  for (const [index, habit] of quirks.entries()) {
    // Clients that send use 127.0.0.1, so that all of them are accepted.
    const address = habit === "nothing" ? `127.0.9.${1 + (index % ADDRESSES)}` : "127.0.0.1";
    crowd.push(new SlowClient(habit, stage.tollgate.port, address, apiKey));
    if (index % 100 === 99) await pause(25);
  }
  return crowd;
}

async function awaitCut(crowd: readonly SlowClient[]): Promise<void> {
  const deadline = performance.now() + CUT_AFTER_MS + 2 * LATE_MS;
  while (crowd.some(({ isClosed }) => !isClosed) && performance.now() < deadline) await pause(200);
}

/** Returns the 99th percentile of the durations of complete calls. */
function p99(logs: readonly CallLog[]): number {
  const times = logs.filter(({ isComplete }) => isComplete).map(({ sentAtMs, endedAtMs }) => endedAtMs - sentAtMs);
  return times.sort((one, other) => one - other)[Math.floor(times.length * 0.99)] ?? 0;
}
