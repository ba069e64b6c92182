import { BroadcastChannel } from "node:worker_threads";
import { STRICT_ADMISSION } from "@tollgate/domain/credit/admission.ts";
import { Secret } from "@tollgate/domain/secret.ts";
import type { LogFields } from "@tollgate/runtime/log-fields.ts";
import { defaultPlatformSettings } from "@tollgate/runtime/settings/platform-settings.ts";
import { waitFor } from "@tollgate/testkit/wait-for.ts";
import { expect, onTestFinished, test } from "vitest";
import type { WorkerSettings, WorkerStart } from "./worker-start.ts";
import { CHANNEL } from "./worker-thread.fixture.ts";
import { WorkerThread } from "./worker-thread.ts";

const PROGRAM = new URL("./worker-thread.fixture.ts", import.meta.url);
const START: WorkerStart = {
  connectionString: "postgres://127.0.0.1/unused",
  natsUrl: null,
  reclaimAfterSeconds: 900,
  gatewayUrl: null,
  secretKeys: [new Secret("for tests")],
  caFile: null,
  logLevel: "silent",
};
const SETTINGS: WorkerSettings = {
  platform: defaultPlatformSettings,
  admission: STRICT_ADMISSION,
  assistants: { slots: 50, organizationWeights: {}, retentionDays: null },
  storageLimits: { perKey: 1, perOrganization: 1, withoutCredit: null },
  general: { allowedHosts: [] },
  gatewayCertificate: null,
};

function start(program = PROGRAM) {
  const events: string[] = [];
  const lines: [string, LogFields | undefined][] = [];
  const write = (message: string, fields?: LogFields) => void lines.push([message, fields]);
  const channel = new BroadcastChannel(CHANNEL);
  channel.onmessage = ({ data }: { data: unknown }) => void events.push(data as string);
  const thread = new WorkerThread({
    start: START,
    settings: SETTINGS,
    program,
    maxHeapMb: 32,
    logger: { info: write, warn: write, error: write },
  });
  onTestFinished(async () => {
    await thread.stop(0);
    channel.close();
  });
  const count = (event: string) => events.filter((each) => each === event).length;
  return {
    thread,
    lines,
    count,
    ask: (what: string) => channel.postMessage(what),
    awaitStarts: (starts: number) => waitFor(`start ${starts}`, () => count("started") === starts),
  };
}

test("restarts a thread after an uncaught error, and this process goes on", async () => {
  const { thread, lines, ask, awaitStarts } = start();
  await thread.started;
  await awaitStarts(1);
  ask("throw");
  await awaitStarts(2);
  expect(lines).toMatchObject([
    ["worker thread failed", { error: new Error("the thread failed") }],
    ["worker thread exited; restarting it", { code: 1 }],
  ]);
});

test("a thread whose heap is full ends alone", async () => {
  const { lines, ask, awaitStarts } = start();
  await awaitStarts(1);
  ask("fill the heap");
  await awaitStarts(2);
  expect(lines[0]).toMatchObject(["worker thread failed", { error: { code: "ERR_WORKER_OUT_OF_MEMORY" } }]);
});

test("stops after the thread has finished its work, and doesn't restart it", async () => {
  const { thread, lines, count, awaitStarts } = start();
  await awaitStarts(1);
  await thread.stop();
  expect(count("stop")).toBe(1);
  expect(lines).toEqual([]);
});

test("stops the jobs of a thread before the thread, and those of its successor", async () => {
  const { thread, count, ask, awaitStarts } = start();
  await awaitStarts(1);
  thread.stopJobs();
  await waitFor("the first thread's jobs to stop", () => count("stop_jobs") === 1);
  ask("throw");
  await waitFor("its successor's jobs to stop", () => count("stop_jobs") === 2);
  await thread.stop();
  expect(count("stop")).toBe(1);
});

test("ends a thread that doesn't stop in time", async () => {
  const { thread, ask, awaitStarts } = start();
  await awaitStarts(1);
  ask("hang");
  await thread.stop(200);
});

test("passes on settings and secrets, also to a thread that is starting, and to its successor", async () => {
  const { thread, count, ask } = start();
  thread.reload({ ...SETTINGS, assistants: { ...SETTINGS.assistants, slots: 7 } });
  await waitFor("the reload", () => count("reload") === 1);
  expect(count("secret key for tests")).toBe(1);
  expect(count("slots 50")).toBe(1);
  ask("throw");
  await waitFor("the successor", () => count("slots 7") === 1);
});

test("a program that cannot start doesn't delay this process", async () => {
  const { thread, lines } = start(new URL("./no-such-program.ts", import.meta.url));
  await thread.started;
  expect(lines[0]).toMatchObject(["worker thread failed", { error: { code: "MODULE_NOT_FOUND" } }]);
});
