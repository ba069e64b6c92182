import { execFileSync, fork } from "node:child_process";
import { readFileSync } from "node:fs";
import { Agent, request } from "node:http";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { postEntry } from "@tollgate/db/ledger/post-entry.ts";
import { runAsAdministrator } from "@tollgate/db/tenancy.ts";
import { cloneDatabase } from "@tollgate/testkit/database.ts";
import { listProcessTree } from "@tollgate/testkit/processes/clean-up.ts";
import { startServe } from "@tollgate/testkit/processes/start-instance.ts";
import { readCpuMs } from "../measure/process-usage.ts";
import { quantile } from "../measure/statistics.ts";
import { undoAtEnd } from "../processes/clean-up.ts";
import { takeFreePort } from "../processes/free-port.ts";
import { fillUsage } from "../reports/fill-usage.ts";
import { runBench } from "../run-bench.ts";
import { type BesideOptions, readOptions, usage } from "./options.ts";

// Measures how much reports slow down calls: the same load on a gateway, with and without constant log and aggregate
// requests to a platform in another process on the same database.

/**
 * The gateway and the load generator share one core, and the platform, the database, and the report clients share the
 * other cores. Otherwise, a saturated machine would show the cost of CPU scheduling instead of the actual cost.
 */
const GATEWAY_CORE = "0";
const LAST_CORE = availableParallelism() - 1; // read before this process is pinned, because it then sees only one core
const OTHER_CORES = LAST_CORE > 1 ? `1-${LAST_CORE}` : "1";
const program = join(import.meta.dirname, "../../../bin/tollgate");
const CALLS_PER_SECOND = 100;
const SLICE_MS = 8_000;
const MAX_RATIO = 1.1;
const SETTINGS = `
model_list: [{ model_name: "sim/*", litellm_params: { model: "sim/*" } }]
billing: { provider: fake }
limits: { requestsPerMinute: 1000000, unauthenticatedRequestsPerMinute: 1000000 }
`;

interface Slice {
  readonly cpuMicrosPerCall: number;
  readonly p50Ms: number;
  readonly reports: number;
}

/** Pins a process and its threads to these cores. Future child processes inherit the cores. */
function pin(pid: number, cores: string): void {
  execFileSync("taskset", ["-a", "-cp", cores, String(pid)], { stdio: "ignore" });
}

/** Returns the PID of the shared PostgreSQL server. The server processes of new connections inherit its cores. */
function readPostgresPid(): number {
  const file = join(import.meta.dirname, "../../../.engines/postgres/data/postmaster.pid");
  return Number(readFileSync(file, "utf8").split("\n")[0]);
}

async function bench({ rows, rounds, askers, printsJson }: BesideOptions): Promise<boolean> {
  const database = await cloneDatabase();
  undoAtEnd(() => database.drop());
  const postgres = readPostgresPid();
  undoAtEnd(async () => pin(postgres, `0-${LAST_CORE}`));
  pin(postgres, OTHER_CORES);
  pin(process.pid, GATEWAY_CORE);
  const start = (role: string) => startRole(role, database.connectionString);
  const [gateway, platform] = [await start("gateway"), await start("platform")];
  const { token, organizationId, apiKey, keyId } = await openAccount(platform.url);
  await runAsAdministrator(database.connect("tollgate_platform"), (transaction) =>
    postEntry(transaction, {
      kind: "grant",
      organizationId,
      amount: 10n ** 15n,
      idempotencyKey: "grant:bench",
      actor: "bench",
    }),
  );
  console.log(`filling ${rows} calls`);
  await fillUsage(database.connectionString, { organizationId, teamIds: [], keyIds: [keyId] }, rows, () =>
    process.stdout.write("."),
  );
  const measure = (reporters: number) => runSlice(gateway, platform.url, { apiKey, token }, reporters);
  await measure(0);
  await measure(askers);
  const pairs: (readonly [Slice, Slice])[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const pair = [await measure(0), await measure(askers)] as const;
    pairs.push(pair);
    const [quiet, busy] = pair;
    console.log(
      `\n${quiet.cpuMicrosPerCall.toFixed(0)} µs, p50 ${quiet.p50Ms.toFixed(2)} ms alone; ` +
        `${busy.cpuMicrosPerCall.toFixed(0)} µs, p50 ${busy.p50Ms.toFixed(2)} ms beside ${busy.reports} reports`,
    );
  }
  const cpuRatio = quantile(
    pairs.map(([quiet, busy]) => busy.cpuMicrosPerCall / quiet.cpuMicrosPerCall),
    0.5,
  );
  const p50Ratio = quantile(
    pairs.map(([quiet, busy]) => busy.p50Ms / quiet.p50Ms),
    0.5,
  );
  const ok = cpuRatio <= MAX_RATIO && p50Ratio <= MAX_RATIO;
  console.log(`CPU per call × ${cpuRatio.toFixed(3)}, p50 × ${p50Ratio.toFixed(3)} beside reports`);
  if (printsJson) console.log(JSON.stringify({ rows, rounds, askers, cpuRatio, p50Ratio, pairs, ok }));
  return ok;
}

interface Server {
  readonly url: string;
  readonly pid: number;
}

async function startRole(role: string, databaseUrl: string): Promise<Server> {
  const server = await startServe({
    command: ["taskset", "-c", role === "gateway" ? GATEWAY_CORE : OTHER_CORES, program],
    settings: SETTINGS,
    databaseUrl,
    port: await takeFreePort(),
    roles: role,
    env: { TOLLGATE_LOG_LEVEL: "error" },
  });
  undoAtEnd(async () => {
    await server.stop();
  });
  return { url: server.url, pid: server.program.pid };
}

async function openAccount(url: string) {
  const ask = async (path: string, body: object, token?: string) => {
    const headers = {
      "content-type": "application/json",
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
    };
    const response = await fetch(url + path, { method: "POST", headers, body: JSON.stringify(body) });
    if (!response.ok) throw new Error(await response.text());
    return (await response.json()) as {
      token: string;
      organization: { id: string };
      team: { id: string };
      apiKey: { id: string; token: string };
    };
  };
  const account = await ask("/api/auth/sign-up", { email: "bench@example.org", password: "a password for the bench" });
  const { apiKey } = await ask("/api/gw/api-keys", { name: "bench", team_id: account.team.id }, account.token);
  return { token: account.token, organizationId: account.organization.id, apiKey: apiKey.token, keyId: apiKey.id };
}

/** Runs a steady load for a few seconds while this many clients request one report after another. */
async function runSlice(
  gateway: Server,
  platformUrl: string,
  keys: { apiKey: string; token: string },
  reporters: number,
): Promise<Slice> {
  const agent = new Agent({ keepAlive: true, maxSockets: 64 });
  const people = reporters === 0 ? null : await startPeople(platformUrl, keys.token, reporters);
  await pause(500);
  const pids = listProcessTree(gateway.pid);
  const before = readCpuMs(pids);
  const times: number[] = [];
  const calls: Promise<void>[] = [];
  const startedAtMs = performance.now();
  for (let index = 0; performance.now() - startedAtMs < SLICE_MS; index += 1) {
    calls.push(call(gateway.url, keys.apiKey, agent).then((ms) => void times.push(ms)));
    const dueMs = startedAtMs + ((index + 1) * 1_000) / CALLS_PER_SECOND;
    await pause(Math.max(0, dueMs - performance.now()));
  }
  await Promise.all(calls);
  const cpuMs = readCpuMs(pids) - before;
  const reports = (await people?.stop()) ?? 0;
  agent.destroy();
  return { cpuMicrosPerCall: (cpuMs * 1_000) / times.length, p50Ms: quantile(times, 0.5), reports };
}

/** Starts the report clients in a separate process, so that reading their responses does not delay the measurement. */
async function startPeople(url: string, token: string, count: number): Promise<{ stop(): Promise<number> }> {
  const child = fork(join(import.meta.dirname, "ask-reports.ts"), [url, token, String(count)], { stdio: "inherit" });
  pin(child.pid as number, OTHER_CORES);
  await new Promise((resolve) => child.once("message", resolve));
  return {
    stop: () =>
      new Promise((resolve) => {
        child.once("message", (reports) => resolve(Number(reports)));
        child.send("stop");
      }),
  };
}

function call(url: string, apiKey: string, agent: Agent): Promise<number> {
  const body = JSON.stringify({ model: "sim/paid", max_tokens: 16, messages: [{ role: "user", content: "hello" }] });
  const startedAtMs = performance.now();
  return new Promise((resolve, reject) => {
    const headers = { "x-gw-api-key": apiKey, "content-type": "application/json", "content-length": body.length };
    const outgoing = request(`${url}/v1/chat/completions`, { method: "POST", agent, headers }, (answer) => {
      if (answer.statusCode !== 200) reject(new Error(`a call was answered ${answer.statusCode}`));
      answer.resume();
      answer.once("end", () => resolve(performance.now() - startedAtMs));
    });
    outgoing.once("error", reject);
    outgoing.end(body);
  });
}

process.exitCode = await runBench({ usage, readOptions, bench });
