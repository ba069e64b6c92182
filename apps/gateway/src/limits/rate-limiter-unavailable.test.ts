import { watchAwakeTime } from "@tollgate/testkit/awake-time.ts";
import { waitFor } from "@tollgate/testkit/wait-for.ts";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { RateLimitReservation } from "./limit.ts";
import { countTaken, limitedCaller, startLimiter, startRedisServer, type TestLimiter } from "./limiter.fixture.ts";

const AWAY = "Redis is not responding; counting rate limits per process";
const BACK = "Redis is responding again; sharing rate limits between processes";

let server: Awaited<ReturnType<typeof startRedisServer>>;
let processes: TestLimiter[];

beforeEach(async () => {
  server = await startRedisServer();
  processes = [startLimiter(server.url), startLimiter(server.url)];
  for (const process of processes) await process.ready();
});

afterEach(async () => {
  for (const process of processes) process.close();
  server.thaw();
  await server.kill();
});

/** Makes calls one at a time, alternating between the processes. */
async function takeInTurn(caller: Parameters<TestLimiter["take"]>[0], times: number, tokens = 1) {
  const outcomes = [];
  for (let call = 0; call < times; call += 1) {
    const process = processes[call % processes.length];
    if (process !== undefined) outcomes.push(await process.take(caller, tokens));
  }
  return outcomes;
}

function allSay(message: string): boolean {
  return processes.every((process) => process.messages.includes(message));
}

test("an unresponsive Redis server delays five calls briefly, and the limit still applies", async () => {
  const hasty = startLimiter(server.url, { isImpatient: true });
  processes = [...processes, hasty];
  await hasty.ready();
  const caller = limitedCaller({ key: { rpm: 100 } });
  server.freeze();
  const awakeTime = watchAwakeTime();
  let waitedMs = 0;
  const outcomes = [];
  for (let call = 0; call < 80; call += 1) {
    const startedAtMs = performance.now();
    outcomes.push(await hasty.take(caller));
    waitedMs += awakeTime(startedAtMs, performance.now());
  }
  expect(hasty.trips()).toBe(5);
  // The total wait is at most five times 25 ms, plus a margin for a busy machine.
  expect(waitedMs).toBeGreaterThan(20);
  expect(waitedMs).toBeLessThan(1_000);
  expect(countTaken(outcomes)).toBe(50);
  expect(hasty.messages).toEqual([AWAY]);

  server.thaw();
  await waitFor("the way back", () => hasty.messages.includes(BACK));
  expect(hasty.messages).toEqual([AWAY, BACK]);
  // Calls admitted during the outage count, so two other processes can admit at most the remaining calls.
  await waitFor("the report", async () => Number(await server.run("HGET", keyOf(caller), "u")) >= 50);
  expect(countTaken(await takeInTurn(caller, 300))).toBeLessThanOrEqual(50);
});

test("after a Redis failure, each process enforces its share, and the counts are restored to a new, empty server", async () => {
  const caller = limitedCaller({ key: { rpm: 1_000 } });
  let admitted = countTaken(await takeInTurn(caller, 600));
  expect(admitted).toBe(600);
  await server.kill();
  admitted += countTaken(await takeInTurn(caller, 1_000));
  expect(allSay(AWAY)).toBe(true);
  expect(admitted).toBeGreaterThan(900);
  expect(admitted).toBeLessThanOrEqual(1_200);

  await server.restart();
  await waitFor("the way back", () => allSay(BACK));
  admitted += countTaken(await takeInTurn(caller, 1_000));
  expect(admitted).toBeLessThanOrEqual(1_200);
  for (const process of processes) expect(process.messages).toEqual([AWAY, BACK]);
});

test("two processes without Redis exceed a token limit by at most 20% if half the calls are long", async () => {
  const limit = 100_000;
  const caller = limitedCaller({ key: { tpm: limit } });
  await server.kill();
  let admitted = 0;
  for (let call = 0; call < 1_000; call += 1) {
    const process = processes[call % 2];
    const outcome = await process?.take(caller, 200);
    if (outcome?.kind !== "taken") continue;
    const used = call % 4 < 2 ? 200 : 1_000;
    admitted += used;
    process?.limiter.finish(outcome, used);
  }
  expect(admitted).toBeLessThanOrEqual(limit * 1.2);
  expect(admitted).toBeGreaterThan(limit * 0.9);
});

test("after Redis is flushed, processes restore the counters, and the limit stays exact", async () => {
  const caller = limitedCaller({ key: { rpm: 1_000, tpm: 1_000 } });
  expect(countTaken(await takeInTurn(caller, 700))).toBe(700);
  await server.run("FLUSHALL");
  const outcomes = await takeInTurn(caller, 600);
  expect(countTaken(outcomes)).toBeLessThanOrEqual(300);
  expect(countTaken(outcomes)).toBeGreaterThan(250);
});

test("after Redis is flushed, a process's next call restores its slots", async () => {
  const caller = limitedCaller({ key: { maxParallel: 4 } });
  expect(countTaken(await takeInTurn(caller, 4))).toBe(4);
  await server.run("FLUSHALL");
  await takeInTurn(caller, 2);
  expect(countTaken(await takeInTurn(caller, 20))).toBe(0);
});

test("slots taken during a Redis outage count after the outage, and slots released during the outage do not", async () => {
  const caller = limitedCaller({ key: { maxParallel: 4 } });
  const before = (await takeInTurn(caller, 2)).filter((outcome) => outcome.kind === "taken") as RateLimitReservation[];
  await server.kill();
  for (let call = 0; call < 20; call += 1) await takeInTurn(limitedCaller({ key: { rpm: 10 } }), 2);
  expect(allSay(AWAY)).toBe(true);
  expect(countTaken(await takeInTurn(caller, 10))).toBe(2);
  for (const [index, taken] of before.entries()) processes[index]?.limiter.finish(taken, 0);
  await server.restart();
  await waitFor("the way back", () => allSay(BACK));
  await waitFor(
    "both reports",
    async () => Number(await server.run("HLEN", keyOf(caller, "max_parallel_requests"))) === 2,
  );
  expect(countTaken(await takeInTurn(caller, 20))).toBe(2);
});

test("a Redis server that is out of memory counts as unavailable, and limits still apply", async () => {
  const caller = limitedCaller({ key: { rpm: 100 } });
  await server.run("CONFIG", "SET", "maxmemory-policy", "noeviction");
  await server.run("CONFIG", "SET", "maxmemory", "1");
  const admitted = countTaken(await takeInTurn(caller, 300));
  expect(admitted).toBe(100);
  expect(allSay(AWAY)).toBe(true);
  await server.run("CONFIG", "SET", "maxmemory", "0");
  await waitFor("the way back", () => allSay(BACK));
  await waitFor("both reports", async () => Number(await server.run("HGET", keyOf(caller), "u")) >= admitted);
  expect(countTaken(await takeInTurn(caller, 300))).toBe(0);
});

test("sends a script again after Redis has dropped it", async () => {
  const caller = limitedCaller({ key: { rpm: 20 } });
  expect(countTaken(await takeInTurn(caller, 10))).toBe(10);
  await server.run("SCRIPT", "FLUSH");
  expect(countTaken(await takeInTurn(caller, 30))).toBe(10);
  for (const process of processes) expect(process.messages).toEqual([]);
});

test.for([
  ["a string", "SET", "nonsense"],
  ["another hash", "HSET", "u"],
])("a counter that contains %s is rebuilt from the process counts", async ([, command = "", field = ""]) => {
  const caller = limitedCaller({ key: { rpm: 20 } });
  expect(countTaken(await takeInTurn(caller, 10))).toBe(10);
  await server.run("DEL", keyOf(caller));
  await server.run(command, keyOf(caller), field, ...(command === "HSET" ? ["many"] : []));
  expect(countTaken(await takeInTurn(caller, 30))).toBe(10);
  for (const process of processes) expect(process.messages).toEqual([]);
});

function keyOf(caller: { keyId: string; organizationId: string | null }, type = "requests"): string {
  return `tollgate:limits:{${caller.organizationId}}:api_key:${caller.keyId}:${type}`;
}
