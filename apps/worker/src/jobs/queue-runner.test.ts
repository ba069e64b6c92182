import { querySql } from "@tollgate/testkit/database.ts";
import { test } from "@tollgate/testkit/test.ts";
import { waitFor } from "@tollgate/testkit/wait-for.ts";
import { expect, onTestFinished } from "vitest";
import { QueueRunner } from "./queue-runner.ts";

const SLOTS = 6;
const LOOK_EVERY_MS = 5_000;
const silent = { info: () => {}, warn: () => {}, error: () => {} };

test("all slots start working if several jobs become due without a notification", async ({ database }) => {
  const startedAtMs: number[] = [];
  const release = Promise.withResolvers<void>();
  const runner = new QueueRunner({
    connectionString: database.connectionString,
    name: "test jobs",
    tasks: {
      wait_for_all: async () => {
        startedAtMs.push(performance.now());
        await release.promise;
      },
    },
    crontab: "",
    slots: SLOTS,
    lookEveryMs: LOOK_EVERY_MS,
    poolSize: 4,
    logger: silent,
  });
  onTestFinished(() => runner.stop());
  onTestFinished(() => release.resolve());
  const ask = (text: string) => querySql<{ count: string }>(database.connectionString, text);
  // The notifications of these jobs find no job that is due.
  await ask(
    `select graphile_worker.add_job('wait_for_all', '{}', run_at => now() + interval '2 seconds')
       from generate_series(1, ${SLOTS})`,
  );
  await waitFor("all slots", () => startedAtMs.length === SLOTS);
  const [first = 0] = startedAtMs;
  // One slot per interval would take much longer.
  expect((startedAtMs.at(-1) ?? 0) - first).toBeLessThan(LOOK_EVERY_MS * 2);
});
