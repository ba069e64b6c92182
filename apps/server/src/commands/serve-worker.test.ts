import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { type Api, createApi } from "@tollgate/testkit/api-client.ts";
import type { TestDatabase } from "@tollgate/testkit/database.ts";
import { type ServeInstance, startServe } from "@tollgate/testkit/processes/start-instance.ts";
import { addTenant } from "@tollgate/testkit/tenants.ts";
import { test } from "@tollgate/testkit/test.ts";
import { waitFor } from "@tollgate/testkit/wait-for.ts";
import { expect, onTestFinished } from "vitest";

const CRASH_FIXTURE = join(import.meta.dirname, "crash-worker.fixture.ts");

interface Service {
  readonly instance: ServeInstance;
  readonly api: Api;
  readonly token: string;
  /** Returns the programs of the supervisor's children. */
  programs(): readonly string[];
  /** Makes the worker's thread fail once. */
  crashWorker(): void;
}

async function serve(
  database: TestDatabase,
  options: { readonly processes?: number; readonly env?: Readonly<Record<string, string>> } = {},
): Promise<Service> {
  const { apiKey } = await addTenant(database.connect("tollgate_platform"));
  const folder = mkdtempSync(join(tmpdir(), "tollgate-serve-worker-"));
  const crashFile = join(folder, "crash");
  const instance = await startServe({
    databaseUrl: database.connectionString,
    processes: options.processes ?? 1,
    env: {
      NODE_OPTIONS: `--import ${CRASH_FIXTURE}`,
      CRASH_WORKER_FILE: crashFile,
      TOLLGATE_LOG_LEVEL: "info",
      ...options.env,
    },
  });
  onTestFinished(async () => {
    await instance.kill();
    rmSync(folder, { recursive: true });
  });
  return {
    instance,
    api: createApi(instance.url),
    token: apiKey,
    programs: () =>
      instance.program
        .pids()
        .slice(1)
        .map((pid) =>
          readFileSync(`/proc/${pid}/cmdline`, "utf8")
            .split("\0")
            .find((part) => part.endsWith(".ts")),
        )
        .map((path) => basename(path ?? ""))
        .sort(),
    crashWorker: () => writeFileSync(crashFile, ""),
  };
}

/** Creates a run, which only a worker can execute. Returns a function that reads its status. */
async function startRun({ api, token }: Service, model: string): Promise<() => Promise<string>> {
  const assistant = await api("POST", "/v1/assistants", { token, body: { model } });
  const thread = { messages: [{ role: "user", content: "hello" }] };
  const { body, text } = await api("POST", "/v1/threads/runs", {
    token,
    body: { assistant_id: assistant.body.id, thread },
  });
  expect(body, text).toMatchObject({ status: "queued" });
  return async () => (await api("GET", `/v1/threads/${body.thread_id}/runs/${body.id}`, { token })).body.status;
}

const chat = ({ api, token }: Service) =>
  api("POST", "/v1/chat/completions", {
    token,
    body: { model: "sim/echo", messages: [{ role: "user", content: "hello" }] },
  });

test("the worker is a thread of the only gateway process", async ({ database }) => {
  const service = await serve(database);
  expect(service.programs()).toEqual(["serve-child.ts"]);
  const status = await startRun(service, "sim/echo");
  await waitFor("the run", async () => (await status()) === "completed");
});

test("restarts the worker's thread after a crash, and calls go on", async ({ database }) => {
  const service = await serve(database);
  const pids = service.instance.program.pids();
  const log = () => service.instance.readLog();
  service.crashWorker();
  await waitFor("the crash", async () => {
    expect((await chat(service)).status).toBe(200);
    return log().includes("worker thread exited; restarting it");
  });
  const status = await startRun(service, "sim/echo");
  await waitFor("the run", async () => (await status()) === "completed");
  expect(log()).toContain("the test wants the worker to fail");
  expect(service.instance.program.pids()).toEqual(pids);
});

test("SIGHUP reaches the worker's thread", async ({ database }) => {
  const { instance } = await serve(database);
  instance.program.signal("SIGHUP");
  await waitFor("the worker's line", () => /"name":"worker".*settings reloaded/.test(instance.readLog()));
});

test("SIGTERM drains the worker's thread, too", async ({ database }) => {
  const service = await serve(database);
  const status = await startRun(service, "sim/lorem?tokens=30&tps=20");
  // On a slow machine, the run can have ended before this process asks again.
  await waitFor("the model call", async () => (await status()) !== "queued");
  service.instance.program.signal("SIGTERM");
  expect(await service.instance.program.exited).toBe(0);
  // A worker that is killed leaves its run in progress, until the lease expires.
  const runs = await database.connect("tollgate_worker").selectFrom("thread_runs").select("status").execute();
  expect(runs.map((run) => run.status)).not.toContain("in_progress");
});

test.for([
  ["two gateway processes", { processes: 2 }, ["serve-child.ts", "serve-child.ts", "worker-child.ts"]],
  ["TOLLGATE_SEPARATE_WORKER", { env: { TOLLGATE_SEPARATE_WORKER: "true" } }, ["serve-child.ts", "worker-child.ts"]],
] as const)("with %s, the worker is a process", async ([, options, programs], { database }) => {
  const service = await serve(database, options);
  expect(service.programs()).toEqual(programs);
  const status = await startRun(service, "sim/echo");
  await waitFor("the run", async () => (await status()) === "completed");
});
