import { spawn } from "node:child_process";
import { once } from "node:events";
import { readlinkSync } from "node:fs";
import { mkdir, mkdtemp, open, readdir, rm, stat, symlink, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { mountDisk, needsDisk } from "@tollgate/testkit/small-disk.ts";
import { expect, onTestFinished, test, vi } from "vitest";
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

test("neither a folder nor a link is an object, and no link leads out of the storage", async () => {
  const { folder: outside } = await openFolder();
  await writeFile(join(outside, "passwd"), "secret");
  const { folder, storage } = await openFolder();
  await mkdir(join(folder, "folder"));
  await symlink(outside, join(folder, "linked"));
  await symlink(join(outside, "passwd"), join(folder, "link"));
  for (const key of ["folder", "linked", "link", "linked/passwd"]) {
    expect(await storage.find(key)).toBeNull();
    await expect(storage.read(key).next()).rejects.toMatchObject({ kind: "missing" });
    await storage.delete(key);
  }
  for (const listed of ["", "linked/"]) {
    for await (const { key } of storage.list(listed)) expect.unreachable(key);
  }
  await expect(storage.write("linked/new/object", [])).rejects.toMatchObject({ kind: "unavailable" });
  expect(await readdir(outside)).toEqual(["passwd"]);
  expect(await readdir(folder)).toEqual([".drafts", "folder", "link", "linked"]);
});

test("a write syncs all folders above its object, even if another writer created them", async () => {
  const { folder, storage } = await openFolder();
  await storage.write("a/b/first", []);
  const handle = await open(folder, "r");
  const synced: string[] = [];
  const sync = vi.spyOn(Object.getPrototypeOf(handle), "sync").mockImplementation(function (this: typeof handle) {
    synced.push(readlinkSync(`/proc/self/fd/${this.fd}`));
    return this.datasync();
  });
  onTestFinished(() => sync.mockRestore());
  await handle.close();
  await new FolderStorage(folder).write("a/b/second", []);
  expect(synced).toEqual(expect.arrayContaining([join(folder, "a/b"), join(folder, "a"), folder]));
});

test("two processes delete abandoned writes together, and each of them is counted once", async () => {
  const { folder, storage } = await openFolder();
  await storage.write("object", []);
  for (let at = 0; at < 200; at += 1) await writeFile(join(folder, ".drafts", `draft-${at}`), "");
  const later = new Date(Date.now() + 60_000);
  const deleted = await Promise.all([1, 2, 3].map(() => new FolderStorage(folder).deleteAbandonedWrites(later)));
  expect(deleted.reduce((sum, count) => sum + count)).toBe(200);
});

test("drafts that cannot be listed are an error, and not the same as none", async () => {
  const { folder, storage } = await openFolder();
  await writeFile(join(folder, ".drafts"), "");
  await expect(storage.deleteAbandonedWrites(new Date())).rejects.toMatchObject({ name: "StorageError" });
});
