import { test as base } from "vitest";
import { cloneDatabase } from "./database.ts";
import { claimEventLog } from "./event-log.ts";
import { startFakeUpstream } from "./fake-upstream.ts";
import { claimRedisDatabase } from "./redis.ts";

/**
 * A test with fixtures for real engines and fake upstreams. A fixture is created only if a test in the file uses it.
 */
export const test = base
  // biome-ignore lint/correctness/noEmptyPattern: the runner parses the pattern for dependencies; there are none.
  .extend("database", { scope: "file" }, async ({}, { onCleanup }) => {
    const database = await cloneDatabase();
    onCleanup(() => database.drop());
    return database;
  })
  // biome-ignore lint/correctness/noEmptyPattern: the runner parses the pattern for dependencies; there are none.
  .extend("redis", { scope: "file" }, async ({}, { onCleanup }) => {
    const redis = await claimRedisDatabase();
    onCleanup(() => redis.release());
    return redis;
  })
  // biome-ignore lint/correctness/noEmptyPattern: the runner parses the pattern for dependencies; there are none.
  .extend("eventLog", async ({}, { onCleanup }) => {
    const eventLog = await claimEventLog();
    onCleanup(() => eventLog.release());
    return eventLog;
  })
  // biome-ignore lint/correctness/noEmptyPattern: the runner parses the pattern for dependencies; there are none.
  .extend("upstreams", async ({}, { onCleanup }) => {
    const [alpha, beta] = await Promise.all([startFakeUpstream(), startFakeUpstream()]);
    onCleanup(async () => {
      await Promise.all([alpha.close(), beta.close()]);
    });
    return { alpha, beta };
  });
