import { spawnSync } from "node:child_process";
import { createHash, randomBytes } from "node:crypto";
import { mkdir, mkdtemp, readdir, readFile, rm, stat, utimes, writeFile } from "node:fs/promises";
import { hostname, tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { storeFile } from "./file-bytes.ts";
import { storeInMemory } from "./memory-bytes.ts";
import { MemoryBudget, Spool } from "./spool.ts";
import { createSpoolFolder } from "./spool-folder.ts";
import type { StoredBytes } from "./stored-bytes.ts";

let folder = "";
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "spool-"));
});
afterAll(() => rm(folder, { recursive: true }));

test.each([
  ["in memory", 10_000_000, 0],
  ["in a file", 1_000_000, 1],
  ["in a file from the first byte", 0, 1],
])("bytes spooled %s are returned complete, in one buffer and in pieces", async (_where, memory, files) => {
  const content = randomBytes(3_333_333);
  const stored = await spool(content, new MemoryBudget(memory));
  expect(await readdir(folder)).toHaveLength(files);
  expect(stored.byteLength).toBe(content.length);
  expect(stored.sha256).toBe(createHash("sha256").update(content).digest("hex"));
  const bytes = await stored.bytes();
  expect(bytes.buffer.byteLength).toBe(content.length);
  expect(content.equals(bytes)).toBe(true);
  const pieces: Uint8Array[] = [];
  for await (const piece of stored.chunks()) pieces.push(piece);
  expect(content.equals(Buffer.concat(pieces))).toBe(true);
  await stored.dispose();
  expect(await readdir(folder)).toEqual([]);
});

test("only its owner can read a spool file", async () => {
  const stored = await spool(Buffer.from("secret model"), new MemoryBudget(0));
  const [name] = await readdir(folder);
  const { mode } = await stat(join(folder, String(name)));
  expect(mode & 0o777).toBe(0o600);
  await stored.dispose();
});

test("a moved file is complete at its new path and outlives the store", async () => {
  const target = await mkdtemp(join(tmpdir(), "spool-target-"));
  const content = randomBytes(100_000);
  const sources = [storeInMemory(content), await spool(content, new MemoryBudget(0))];
  for (const [index, stored] of sources.entries()) {
    const path = join(target, `moved-${index}`);
    await stored.moveTo(path);
    expect(content.equals(await stored.bytes())).toBe(true);
    await stored.dispose();
    expect(content.equals(await readFile(path))).toBe(true);
  }
  expect(await readdir(folder)).toEqual([]);
  expect(await readdir(target)).toHaveLength(2);
  await rm(target, { recursive: true });
});

test("a borrowed file stays in place during every operation on its bytes", async () => {
  const path = join(folder, "checkpoint");
  await writeFile(path, "model");
  const stored = await storeFile(path);
  expect(stored.sha256).toBe(createHash("sha256").update("model").digest("hex"));
  await stored.moveTo(join(folder, "copy"));
  await stored.dispose();
  expect((await readdir(folder)).sort()).toEqual(["checkpoint", "copy"]);
  await rm(path);
  await rm(join(folder, "copy"));
});

test("the memory budget used by bytes is released when they move to a file", async () => {
  const budget = new MemoryBudget(1000);
  const large = await spool(Buffer.alloc(1001), budget, 500);
  expect(budget.take(1000)).toBe(true);
  await large.dispose();
});

test("a process has its own private folder and deletes the folders of dead processes", async () => {
  const dead = spawnSync(process.execPath, ["-e", ""]).pid;
  const prefix = `tollgate-spool-${hostname().replaceAll(/[^A-Za-z0-9]/g, "_")}-`;
  await mkdir(join(folder, `${prefix}${dead}-abandoned`));
  const first = await createSpoolFolder(folder);
  const second = await createSpoolFolder(folder);
  expect(await readdir(folder)).toHaveLength(2);
  expect((await stat(first.path)).mode & 0o777).toBe(0o700);
  await writeFile(join(first.path, "left.spool"), "x");
  await Promise.all([first.close(), second.close()]);
  expect(await readdir(folder)).toEqual([]);
});

test("a restarted container's process deletes the folder that the killed process with the same PID left behind", async () => {
  const prefix = `tollgate-spool-${hostname().replaceAll(/[^A-Za-z0-9]/g, "_")}-`;
  const killed = join(folder, `${prefix}${process.pid}-killed`);
  await mkdir(killed);
  await utimes(killed, new Date(0), new Date(0));
  const mine = await createSpoolFolder(folder);
  const mineToo = await createSpoolFolder(folder);
  expect((await readdir(folder)).map((name) => join(folder, name)).toSorted()).toEqual(
    [mine.path, mineToo.path].toSorted(),
  );
  await Promise.all([mine.close(), mineToo.close()]);
});

async function spool(content: Buffer, budget: MemoryBudget, cut = 65_536): Promise<StoredBytes> {
  const target = new Spool(folder, budget);
  for (let at = 0; at < content.length; at += cut) await target.write(content.subarray(at, at + cut));
  return target.finish();
}
