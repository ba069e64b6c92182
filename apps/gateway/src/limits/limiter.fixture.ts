import { type ChildProcess, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { createClient } from "@redis/client";
import { RedisCounters } from "@tollgate/runtime/limits/redis-counters.ts";
import type { Logger } from "@tollgate/runtime/logger.ts";
import { findFreePort } from "@tollgate/testkit/free-port.ts";
import { waitFor } from "@tollgate/testkit/wait-for.ts";
import { openRedisClient } from "../adapters/open-redis-client.ts";
import type { LimitedCaller, OwnerLimits } from "../call/caller-limits.ts";
import type { RateLimitReservation, Refusal } from "./limit.ts";
import { RateLimiter, type RateLimiterSettings } from "./rate-limiter.ts";

const unlimited: OwnerLimits = { rpm: null, tpm: null, maxParallel: null, modelRpm: {}, modelTpm: {} };

/** Creates a caller with these limits and unique IDs. */
export function limitedCaller(limits: {
  key?: Partial<OwnerLimits>;
  team?: Partial<OwnerLimits>;
  organization?: { rpm?: number; tpm?: number };
  user?: { rpm: number | null; tpm: number | null };
}): LimitedCaller {
  const id = randomBytes(6).toString("hex");
  return {
    keyId: `key-${id}`,
    keyName: "ci-bot",
    teamId: `team-${id}`,
    teamName: "Search",
    organizationId: `org-${id}`,
    userId: `user-${id}`,
    limits: {
      key: { ...unlimited, ...limits.key },
      team: { ...unlimited, ...limits.team },
      organization: { rpm: null, tpm: null, ...limits.organization },
      ...(limits.user && { user: limits.user }),
    },
  };
}

/** A simulated process with its own limiter, connection, and log. */
export interface TestLimiter {
  readonly limiter: RateLimiter;
  readonly messages: string[];
  /** Number of requests to the shared store. */
  readonly trips: () => number;
  readonly clock: { nowMs: number };
  /** Resolves once the store responds. */
  ready(): Promise<void>;
  take(caller: LimitedCaller, tokens?: number, model?: string): Promise<RateLimitReservation | Refusal>;
  close(): void;
}

/** Starts a limiter with the Redis server at this URL, or without a server if the URL is null. */
export function startLimiter(
  url: string | null,
  options: Partial<RateLimiterSettings> & { processes?: number; usesOwnClock?: boolean; isImpatient?: boolean } = {},
): TestLimiter {
  const { processes = 2, usesOwnClock = false, isImpatient = false, ...given } = options;
  const settings = { windowMs: 60_000, slotLeaseMs: 660_000, keyMaxParallel: null, ...given };
  // A busy test machine may stall for longer than a gateway waits for Redis, so most tests use longer timeouts.
  const patience = isImpatient ? undefined : { silenceMs: 5_000, maxWaitMs: 10_000 };
  const client = url === null ? null : openRedisClient(url);
  const counters = client && new RedisCounters(client, randomBytes(6).toString("hex"), patience);
  const clock = { nowMs: 1_000_000 };
  const messages: string[] = [];
  let trips = 0;
  const note = (message: string) => messages.push(message);
  const log: Logger = { info: note, warn: note, error: note };
  const limiter = new RateLimiter({
    shared: counters && {
      ask: (questions, asked) => {
        trips += 1;
        return counters.ask(questions, asked);
      },
      probe: () => counters.probe(),
    },
    settings,
    liveProcesses: () => processes,
    now: usesOwnClock ? () => clock.nowMs : () => performance.now(),
    wallClock: Date.now,
    log,
  });
  return {
    limiter,
    messages,
    clock,
    trips: () => trips,
    ready: async () => {
      await waitFor("a connection", async () => {
        await counters?.probe();
        return true;
      });
    },
    take: async (caller, tokens = 1, model = "m") => {
      const set = limiter.limitsOf(caller);
      if (set === null) throw new Error("nothing bounds this caller");
      return limiter.take(set, model, tokens);
    },
    close: () => {
      limiter.close();
      client?.destroy();
    },
  };
}

/** Returns the number of admitted calls. */
export function countTaken(outcomes: readonly (RateLimitReservation | Refusal)[]): number {
  return outcomes.filter((outcome) => outcome.kind === "taken").length;
}

/** Starts a separate Redis server that the test can stop, fill, and kill. */
export async function startRedisServer(...args: string[]) {
  const port = await findFreePort();
  const url = `redis://127.0.0.1:${port}`;
  let server = await launch(port, args);
  /** Runs one command, given as redis-cli arguments. */
  const run = async (...words: string[]): Promise<unknown> => {
    const client = await createClient({ url }).connect();
    try {
      return await client.sendCommand(words);
    } finally {
      client.destroy();
    }
  };
  return {
    url,
    run,
    freeze: () => server.kill("SIGSTOP"),
    thaw: () => server.kill("SIGCONT"),
    kill: async () => {
      if (server.exitCode !== null || server.signalCode !== null) return;
      const ended = once(server, "exit");
      server.kill("SIGKILL");
      await ended;
    },
    restart: async () => {
      server = await launch(port, args);
    },
  };
}

async function launch(port: number, args: readonly string[]): Promise<ChildProcess> {
  const server = spawn(
    "redis-server",
    ["--port", String(port), "--bind", "127.0.0.1", "--save", "", "--appendonly", "no", ...args],
    { stdio: "ignore" },
  );
  await waitFor("a Redis server", async () => {
    const client = createClient({ url: `redis://127.0.0.1:${port}`, socket: { reconnectStrategy: false } });
    client.on("error", () => {});
    await client.connect();
    client.destroy();
    return true;
  });
  return server;
}
