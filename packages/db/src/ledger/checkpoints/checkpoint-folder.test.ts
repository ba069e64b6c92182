import { execFileSync } from "node:child_process";
import { closeSync, mkdtempSync, openSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { FolderWriter, listCheckpointFiles } from "./checkpoint-folder.ts";

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
