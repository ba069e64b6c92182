import { cloneDatabase, querySql } from "../../packages/testkit/src/database.ts";
import { addTenant } from "../../packages/testkit/src/tenants.ts";
import { waitFor } from "../../packages/testkit/src/wait-for.ts";
import { startTollgate } from "./start-tollgate.ts";

export interface RunsPlan {
  readonly runs: number;
  /** Number of worker processes. */
  readonly workers: number;
}

export interface Spread {
  readonly p50: number;
  readonly p95: number;
  readonly max: number;
}

export interface RunsResult extends RunsPlan {
  /** Maximum number of concurrent runs. */
  readonly mostAtOnce: number;
  readonly byStatus: Readonly<Record<string, number>>;
  /** Time from a run's creation to its claim. */
  readonly waitMs: Spread;
  /** Time from a run's claim to its end. */
  readonly lifeMs: Spread;
  /** Response time of the request that creates a run. */
  readonly createMs: Spread;
}

/** The model's response takes longer than creating all runs, so all runs are in progress concurrently. */
const MODEL = "sim/slow?ttft=8s";
const QUICK_MODEL = "sim/echo";
const CREDIT = 1_000_000_000_000n;
const END_LIMIT_MS = 60_000;

/** Starts a separate instance, creates all runs concurrently, and reads their timing from the instance's database. */
export async function measureRuns({ runs, workers }: RunsPlan): Promise<RunsResult> {
  const database = await cloneDatabase();
  const { connectionString } = database;
  try {
    const { apiKey } = await addTenant(database.connect("tollgate_platform"), { credit: CREDIT });
    const tollgate = await startTollgate(connectionString, workers);
    try {
      const post = (path: string, body: object) => postJson(`${tollgate.url}/v1${path}`, apiKey, body);
      const quick = await post("/assistants", { model: QUICK_MODEL });
      const slow = await post("/assistants", { model: MODEL });
      // Warm up, so that each process's one-time work is not measured.
      await awaitEnd(connectionString, await createRuns(post, quick.id, workers * 5));
      const created = await createRuns(post, slow.id, runs);
      const rows = await awaitEnd(connectionString, created);
      const statuses = rows.map(({ status }) => status);
      return {
        runs,
        workers,
        mostAtOnce: mostAtOnce(rows),
        byStatus: Object.fromEntries(
          [...new Set(statuses)].map((status) => [status, statuses.filter((other) => other === status).length]),
        ),
        waitMs: spread(rows.map(({ wait }) => wait)),
        lifeMs: spread(rows.map(({ life }) => life)),
        createMs: spread(created.map(({ tookMs }) => tookMs)),
      };
    } finally {
      await tollgate.stop();
    }
  } finally {
    await database.drop();
  }
}

interface Created {
  readonly id: string;
  readonly tookMs: number;
}

type Post = (path: string, body: object) => Promise<{ readonly id: string }>;

function createRuns(post: Post, assistant_id: string, count: number): Promise<readonly Created[]> {
  const thread = { messages: [{ role: "user", content: "hello" }] };
  return Promise.all(
    Array.from({ length: count }, async () => {
      const startedAtMs = performance.now();
      const { id } = await post("/threads/runs", { assistant_id, thread });
      return { id, tookMs: performance.now() - startedAtMs };
    }),
  );
}

interface RunRow {
  readonly status: string;
  /** Claim time, delay before the claim, and duration after the claim, in milliseconds. */
  readonly start: number;
  readonly wait: number;
  readonly life: number;
}

function awaitEnd(connectionString: string, created: readonly Created[]): Promise<readonly RunRow[]> {
  const ids = created.map(({ id }) => `'${id}'`).join(", ");
  return waitFor(
    `the end of ${created.length} runs`,
    async () => {
      const rows = await querySql<RunRow>(
        connectionString,
        `select status, extract(epoch from started_at)::float8 * 1000 as start,
           extract(epoch from started_at - created_at)::float8 * 1000 as wait,
           extract(epoch from ended_at - started_at)::float8 * 1000 as life
         from thread_runs where id in (${ids}) and ended_at is not null`,
      );
      return rows.length === created.length && rows;
    },
    { limitMs: END_LIMIT_MS },
  );
}

async function postJson(url: string, apiKey: string, body: object): Promise<{ readonly id: string }> {
  const headers = { "x-gw-api-key": apiKey, "content-type": "application/json" };
  const answer = await fetch(url, { method: "POST", headers, body: JSON.stringify(body) });
  if (answer.status !== 200) throw new Error(`${url}: ${answer.status} ${await answer.text()}`);
  return (await answer.json()) as { readonly id: string };
}

function mostAtOnce(rows: readonly RunRow[]): number {
  const atWork = (atMs: number) => rows.filter(({ start, life }) => start <= atMs && atMs < start + life).length;
  return Math.max(...rows.map(({ start }) => atWork(start)));
}

function spread(values: readonly number[]): Spread {
  const sorted = values.toSorted((one, other) => one - other);
  const at = (share: number) => Math.round(sorted[Math.ceil(share * sorted.length) - 1] ?? Number.NaN);
  return { p50: at(0.5), p95: at(0.95), max: at(1) };
}
