import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { hostname } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { makeFolder } from "../test-fleet.fixture.ts";
import { findLockHolder, LOCK_FILE, lockRun, RunIsLocked } from "./run-lock.ts";

test("a run folder allows one coordinator at a time", async () => {
  const dir = await makeFolder();
  const unlock = await lockRun(dir);
  await expect(lockRun(dir)).rejects.toThrow(RunIsLocked);
  expect((await findLockHolder(dir))?.pid).toBe(process.pid);
  await unlock();
  expect(await findLockHolder(dir)).toBeNull();
  await (await lockRun(dir))();
  expect(existsSync(join(dir, LOCK_FILE))).toBe(false);
});

test("takes over the lock of a process that has exited", async () => {
  const dir = await makeFolder();
  const child = spawn("true");
  await once(child, "exit");
  await writeFile(join(dir, LOCK_FILE), JSON.stringify({ pid: child.pid, started: "1", host: hostname(), since: "" }));
  await (await lockRun(dir))();
});

test("a process that reuses the PID of a dead process is not mistaken for the lock holder", async () => {
  const dir = await makeFolder();
  const holder = { pid: process.pid, started: "before this process", host: hostname(), since: "" };
  await writeFile(join(dir, LOCK_FILE), JSON.stringify(holder));
  await (await lockRun(dir))();
});

test("never takes over a lock that is held on another machine", async () => {
  const dir = await makeFolder();
  await writeFile(join(dir, LOCK_FILE), JSON.stringify({ pid: 1, started: "1", host: "elsewhere", since: "" }));
  await expect(lockRun(dir)).rejects.toThrow(
    /process 1 on elsewhere.* If that machine is no longer running, remove .*lock\./,
  );
});

test("exactly one of several concurrent processes takes over a dead process's lock", async () => {
  const dir = await makeFolder();
  for (let round = 0; round < 10; round += 1) {
    const holder = { pid: process.pid, started: "dead", host: hostname(), since: "" };
    await writeFile(join(dir, LOCK_FILE), JSON.stringify(holder));
    const tries = await Promise.allSettled(Array.from({ length: 8 }, () => lockRun(dir)));
    const won = tries.filter((attempt) => attempt.status === "fulfilled");
    expect(won).toHaveLength(1);
    await won[0]?.value();
  }
});
