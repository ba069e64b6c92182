import { fork } from "node:child_process";
import { once } from "node:events";
import { rm, symlink } from "node:fs/promises";
import { join } from "node:path";
import { expect, onTestFinished } from "vitest";
import { test } from "./journal.fixture.ts";
import { JournalInUse, lockDirectory } from "./lock-directory.ts";

const locker = join(import.meta.dirname, "lock-directory.fixture.ts");

test("a directory can be locked only once, regardless of the path used", async ({ directory }) => {
  const lock = await lockDirectory(directory);
  const other = `${directory}-link`;
  await symlink(directory, other);
  onTestFinished(() => rm(other));
  await expect(lockDirectory(directory)).rejects.toThrow(JournalInUse);
  await expect(lockDirectory(other)).rejects.toThrow(other);
  await lock.release();
  await (await lockDirectory(other)).release();
});

test("the lock of a killed process is released immediately", async ({ directory }) => {
  const child = fork(locker, [directory]);
  await once(child, "message");
  await expect(lockDirectory(directory)).rejects.toThrow(`The journal in ${directory} is in use`);
  child.kill("SIGKILL");
  await once(child, "exit");
  await (await lockDirectory(directory)).release();
});
