import { execFileSync } from "node:child_process";
import { closeSync, mkdtempSync, openSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { mountDisk, needsDisk } from "@tollgate/testkit/small-disk.ts";
import { expect, onTestFinished, test } from "vitest";
import { FolderWriter, listCheckpointFiles, writeCheckpointFile } from "./checkpoint-folder.ts";

test("a folder that does not respond is an error, and has only one pending write", async () => {
  const folder = mkdtempSync(join(tmpdir(), "tollgate-checkpoint-folder-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const path = join(folder, "checkpoint-000000000001.txt");
  // Reading a pipe without a writer waits, as a file of an unavailable server does.
  execFileSync("mkfifo", [path]);
  const writer = new FolderWriter(50);
  const first = { number: 1, content: "the first one", isFirst: true };
  await expect(writer.write(folder, first)).rejects.toThrow("the folder does not respond");
  await expect(writer.write(folder, first)).rejects.toThrow("has not responded to an earlier write yet");
  const pipe = openSync(path, "r+");
  rmSync(path);
  closeSync(pipe);
  await expect.poll(() => writer.write(folder, first).then(() => "written", String)).toBe("written");
  expect(readdirSync(folder)).toEqual(["checkpoint-000000000001.txt"]);
  expect(await listCheckpointFiles(folder)).toEqual([{ number: 1, path }]);
  expect(await listCheckpointFiles(join(folder, "other"))).toBe(null);
});

test(
  "a checkpoint that a full folder cuts leaves nothing behind, and is written once there is space",
  needsDisk,
  async () => {
    const { folder } = mountDisk("64k");
    const [fits, cut] = ["a".repeat(4_096), "b".repeat(48 * 1_024)];
    await writeCheckpointFile(folder, { number: 1, content: fits, isFirst: true });
    const filler = join(folder, "filler");
    writeFileSync(filler, Buffer.alloc(32 * 1_024));
    const second = { number: 2, content: cut, isFirst: false };
    await expect(writeCheckpointFile(folder, second)).rejects.toMatchObject({ code: "ENOSPC" });
    expect(readdirSync(folder).sort()).toEqual(["checkpoint-000000000001.txt", "filler"]);
    // The space of the cut file is free again.
    writeFileSync(filler, Buffer.alloc(8 * 1_024), { flag: "a" });
    rmSync(filler);
    await writeCheckpointFile(folder, second);
    expect((await listCheckpointFiles(folder))?.map(({ path }) => readFileSync(path, "utf8"))).toEqual([fits, cut]);
  },
);

test("a read-only folder is an error for a new checkpoint, also for the first one", needsDisk, async () => {
  const { folder, remount } = mountDisk("64k");
  remount("ro");
  const first = { number: 1, content: "the first one", isFirst: true };
  await expect(writeCheckpointFile(folder, first)).rejects.toMatchObject({ code: "EROFS" });
  // Node reports the failed creation of the folder as ENOENT.
  await expect(writeCheckpointFile(join(folder, "new"), first)).rejects.toThrow("mkdir");
  remount("rw");
  await writeCheckpointFile(folder, first);
  expect(readdirSync(folder)).toEqual(["checkpoint-000000000001.txt"]);
});
