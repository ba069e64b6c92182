import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { dev } from "../commands/dev.ts";
import { countDemoRequests, markDemoFolder, readDemoFolder, unmarkDemoFolder } from "./demo-folder.ts";

function makeFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "tollgate-demo-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return folder;
}

test("refuses to write a demo into a folder with other data, and says what to do", async () => {
  const folder = makeFolder();
  writeFileSync(join(folder, "credentials.json"), "{}");
  let shown = "";
  const stderr = { write: (text: string) => (shown += text) } as never;
  const io = { stdout: stderr, stderr, stdin: process.stdin, env: {}, cwd: folder };
  expect(await dev(["--demo", "--data", folder], io)).toBe(2);
  expect(shown).toContain("has data that is not a complete demo");
  expect(shown).toContain("tollgate dev --demo --data DIR");
});

test("a folder is a demo only after the demo was written completely", () => {
  const folder = makeFolder();
  expect(readDemoFolder(folder)).toBe("empty");
  markDemoFolder(folder, "prepared", 0);
  writeFileSync(join(folder, "credentials.json"), "{}");
  // A start that failed before it wrote any history can be repeated.
  expect(readDemoFolder(folder)).toBe("empty");
  markDemoFolder(folder, "writing", 12);
  expect(readDemoFolder(folder)).toBe("other");
  markDemoFolder(folder, "complete", 12);
  unmarkDemoFolder(folder);
  expect(readDemoFolder(folder)).toBe("demo");
  expect(countDemoRequests(folder)).toBe(12);
});

test("a folder that was prepared for a demo and got other data is not a demo", () => {
  const folder = makeFolder();
  markDemoFolder(folder, "prepared", 0);
  unmarkDemoFolder(folder);
  writeFileSync(join(folder, "credentials.json"), "{}");
  expect(readDemoFolder(folder)).toBe("other");
});
