import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readdir, rm, stat, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { mountDisk, needsDisk } from "@tollgate/testkit/small-disk.ts";
import { expect, onTestFinished, test } from "vitest";
import { FolderStorage } from "./folder-storage.ts";

async function openFolder() {
  const folder = await mkdtemp(join(tmpdir(), "storage-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  return { folder, storage: new FolderStorage(folder) };
}

test("a process that is killed while it writes leaves no object, and its draft is deleted once it is old enough", async () => {
  const { folder, storage } = await openFolder();
  const module = join(import.meta.dirname, "folder-storage.ts");
  const script = `
    import { FolderStorage } from ${JSON.stringify(module)};
    const content = (async function* () {
      yield Buffer.alloc(1_000_000);
      process.stdout.write("written");
      await new Promise(() => setInterval(() => {}, 1_000));
    })();
    await new FolderStorage(${JSON.stringify(folder)}).write("day/object", content);
  `;
  const child = spawn(process.execPath, ["--input-type=module", "--eval", script], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  await once(child.stdout, "data");
  child.kill("SIGKILL");
  await once(child, "exit");

  expect(await storage.find("day/object")).toBeNull();
  for await (const { key } of storage.list("")) expect.unreachable(key);
  const [draft = ""] = await readdir(join(folder, ".drafts"));
  expect(draft).not.toBe("");
  expect(await storage.deleteAbandonedWrites(new Date(Date.now() - 60_000))).toBe(0);
  await utimes(join(folder, ".drafts", draft), 0, 0);
  expect(await storage.deleteAbandonedWrites(new Date(Date.now() - 60_000))).toBe(1);
  await storage.write("day/object", [Buffer.from("complete")]);
  expect(await storage.find("day/object")).toEqual({ key: "day/object", bytes: 8 });
});

test("a folder that disappears, such as one that is not mounted, is unavailable and is not created", async () => {
  const { folder } = await openFolder();
  const storage = new FolderStorage(join(folder, "unmounted"));
  const unavailable = { kind: "unavailable" };
  await expect(storage.write("key", [])).rejects.toMatchObject(unavailable);
  await expect(storage.find("key")).rejects.toMatchObject(unavailable);
  await expect(storage.delete("key")).rejects.toMatchObject(unavailable);
  await expect(storage.read("key").next()).rejects.toMatchObject(unavailable);
  await expect(storage.list("").next()).rejects.toMatchObject(unavailable);
  await expect(storage.deleteAbandonedWrites(new Date())).rejects.toMatchObject(unavailable);
  expect(await readdir(folder)).toEqual([]);
});

test("a full disk leaves neither an object nor a draft", needsDisk, async () => {
  const { folder } = mountDisk("256k");
  const storage = new FolderStorage(folder);
  await expect(storage.write("large", [Buffer.alloc(1_000_000)])).rejects.toMatchObject({ kind: "full" });
  expect(await storage.find("large")).toBeNull();
  await storage.write("small", [Buffer.alloc(1_000)]);
  expect(await readdir(join(folder, ".drafts"))).toEqual([]);
});

test("a disk that became read-only denies writes, and is still read", needsDisk, async () => {
  const { folder, remount } = mountDisk("256k");
  const storage = new FolderStorage(folder);
  await storage.write("before", [Buffer.from("text")]);
  remount("ro");
  await expect(storage.write("after", [])).rejects.toMatchObject({ kind: "denied" });
  await expect(storage.delete("before")).rejects.toMatchObject({ kind: "denied" });
  expect(await storage.find("before")).toEqual({ key: "before", bytes: 4 });
});

test("files are readable by the group and by no other user, and foreign files are not listed", async () => {
  const { folder, storage } = await openFolder();
  await storage.write("a/b/object", [Buffer.from("text")]);
  await writeFile(join(folder, "a", ".hidden"), "");
  await writeFile(join(folder, "a", "with space"), "");
  expect((await stat(join(folder, "a/b/object"))).mode & 0o007).toBe(0);
  expect((await stat(join(folder, "a"))).mode & 0o007).toBe(0);
  const keys: string[] = [];
  for await (const { key } of storage.list("")) keys.push(key);
  expect(keys).toEqual(["a/b/object"]);
});
