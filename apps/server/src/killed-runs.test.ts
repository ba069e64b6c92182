import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { Secret } from "@tollgate/domain/secret.ts";
import { querySql } from "@tollgate/testkit/database.ts";
import { waitFor } from "@tollgate/testkit/wait-for.ts";
import { expect, onTestFinished } from "vitest";
import { test, type UsageRow } from "./billed-gateway.fixture.ts";
import type { Death } from "./killed-run-worker.fixture.ts";
import { RUN_SECRET, startRunWorker } from "./run-worker.fixture.ts";
import { ANSWER, type BegunRun, talkOfWeather, WeatherClient } from "./weather-runs.fixture.ts";

const PROGRAM = join(import.meta.dirname, "killed-run-worker.fixture.ts");
const COMPILED = join(import.meta.dirname, "../../../tools/compiled");
const CREDIT = 1_000_000_000_000n;
const FEWEST_DEATHS = 20;
// Starting a process takes seconds while many tests run in parallel, and runs wait for the usage of lost calls to be
// recorded.
const PATIENCE = { limitMs: 60_000 };

/** A point at which to kill the worker, and whether the run is streamed. */
interface Planned extends Death {
  readonly isStreamed: boolean;
}

test("a run whose worker is killed at any point completes, repeats no output, and charges each call once", {
  timeout: 240_000,
}, async ({ tollgate, database, upstreams }) => {
  upstreams.alpha.behaves(talkOfWeather);
  const gateway = await tollgate.start({ secretKeys: [new Secret(RUN_SECRET)] });
  const { connectionString } = database;
  const address = { connectionString, gatewayUrl: gateway.url };
  const tenant = await tollgate.addTenant({ credit: CREDIT });
  const client = await WeatherClient.create(gateway.url, tenant.apiKey);

  const watch = async (isStreamed: boolean): Promise<readonly string[]> => {
    const points: string[] = [];
    const worker = startRunWorker({ ...address, onPoint: (point) => void points.push(point) });
    await client.finish(await client.begin(`watched, streamed: ${isStreamed}`, isStreamed), PATIENCE);
    await worker.stop();
    return points;
  };
  const deaths = planDeaths(await watch(false), await watch(true));
  expect(deaths.length, JSON.stringify(deaths)).toBeGreaterThanOrEqual(FEWEST_DEATHS);

  const killed: { death: Planned; run: BegunRun }[] = [];
  let next = loadWorker(connectionString, gateway.url);
  for (const [index, death] of deaths.entries()) {
    const worker = await next;
    next = loadWorker(connectionString, gateway.url);
    const run = await client.begin(`city ${index}`, death.isStreamed);
    worker.send(death);
    // Don't submit tool outputs before the worker is killed at this point. Otherwise, the next worker would find the
    // run already waiting.
    const isAttended = death.point !== "stored" || death.time > 1;
    const isDead = async () => {
      if (worker.signalCode !== null) return true;
      if (isAttended) await client.attend(run);
      return false;
    };
    await waitFor(`a worker to die at '${death.point}' the ${death.time}. time`, isDead, PATIENCE);
    // Extend the lease, so that no worker takes over the run until all workers have been killed.
    await setLease(connectionString, run, "now() + interval '1 hour'");
    killed.push({ death, run });
  }
  (await next).kill("SIGKILL");

  // Expire the leases now instead of waiting half a minute.
  for (const { run } of killed) await setLease(connectionString, run, "now()");
  const survivor = startRunWorker(address);
  const endings = await Promise.all(killed.map(({ run }) => client.finish(run, PATIENCE)));
  let calls = 0;
  for (const [index, { death, run }] of killed.entries()) {
    const where = `killed at '${death.point}' the ${death.time}. time${death.isStreamed ? ", streamed" : ""}`;
    expect({ where, status: endings[index]?.status }).toEqual({ where, status: "completed" });
    expect(await client.readThread(run), where).toEqual({
      messages: [
        ["user", "completed", run.question],
        ["assistant", "completed", ANSWER],
      ],
      steps: [
        ["tool_calls", "completed"],
        ["message_creation", "completed"],
      ],
    });
    const labels = await readLabels(connectionString, run, where);
    const made = upstreams.alpha.requests.filter(({ body }) => body.includes(run.question)).length;
    calls += made;
    const rows = await waitFor(
      `${made} calls in the ledger, ${where}`,
      async () => {
        const known = (await tollgate.calls(tenant)).filter(({ request_id }) => labels.includes(request_id));
        if (known.length > made) throw new Error(`${known.length} are charged, ${made} were made`);
        return known.length === made && known;
      },
      PATIENCE,
    );
    expect(new Set(rows.map(({ request_id }) => request_id)).size, where).toBe(made);
    // The usage of a killed worker's call is added to the run when the ledger receives the usage.
    await waitFor(
      `the usage and cost of a run to be the sum of its calls, ${where}`,
      async () => {
        // The worker may have died before it made the call. Then the ledger never has it, and the run's cost stays
        // unknown.
        const usage = labels.length === made ? sumOf(rows) : { ...sumOf(rows), cost_nano_usd: null };
        expect((await client.read(run)).usage).toEqual(usage);
        return true;
      },
      PATIENCE,
    );
  }
  await survivor.stop();
  // The next worker repeated calls whose responses were not stored.
  expect(calls).toBeGreaterThan(2 * killed.length);
});

/** Returns one kill point for every step of a non-streamed run, and one for each step that only a streamed run has. */
function planDeaths(whole: readonly string[], streamed: readonly string[]): readonly Planned[] {
  const place = (points: readonly string[], isStreamed: boolean) =>
    points.map((point, index) => ({
      point,
      time: points.slice(0, index + 1).filter((other) => other === point).length,
      isStreamed,
    }));
  // The number of progress events depends on timing, so only the first two events are certain to occur.
  const reported = place(streamed, true).filter(({ point, time }) => !whole.includes(point) && time <= 2);
  return [...place(whole, false), ...reported];
}

async function loadWorker(connectionString: string, gatewayUrl: string): Promise<ChildProcess> {
  const env = { ...process.env, NODE_COMPILE_CACHE: COMPILED };
  const worker = fork(PROGRAM, [connectionString, gatewayUrl], { env, stdio: ["ignore", "ignore", "inherit", "ipc"] });
  onTestFinished(() => void worker.kill("SIGKILL"));
  await once(worker, "message");
  return worker;
}

async function setLease(connectionString: string, { runId }: BegunRun, until: string): Promise<void> {
  await querySql(
    connectionString,
    `update thread_runs set leased_until = ${until} where id = '${runId}' and status in ('in_progress', 'cancelling')`,
  );
}

/**
 * Returns the labels of all recorded calls. Expects that the last call of each turn was stored and that no call follows
 * it.
 */
async function readLabels(connectionString: string, { runId }: BegunRun, where: string): Promise<readonly string[]> {
  const turns = await querySql<{ number: number; call_label: string; state: string }>(
    connectionString,
    `select number, call_label, state from run_turns where run_id = '${runId}' order by number, attempt`,
  );
  const isLast = (index: number) => turns[index + 1]?.number !== turns[index]?.number;
  expect(
    turns.map(({ state }) => state === "stored"),
    where,
  ).toEqual(turns.map((_, index) => isLast(index)));
  return turns.map(({ call_label }) => call_label);
}

function sumOf(rows: readonly UsageRow[]) {
  const sum = (field: "input_tokens" | "output_tokens" | "cost") =>
    rows.reduce((total, row) => total + Number(row[field]), 0);
  const [prompt_tokens, completion_tokens] = [sum("input_tokens"), sum("output_tokens")];
  const total_tokens = prompt_tokens + completion_tokens;
  return { prompt_tokens, completion_tokens, total_tokens, cost_nano_usd: sum("cost") };
}
