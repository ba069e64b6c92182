import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, expect, test } from "vitest";
import { quoteWord, runName } from "./run-name.ts";

const folder = mkdtempSync(join(tmpdir(), "run-name-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test("a run is identified by its ID inside the runs folder and by its path elsewhere", () => {
  mkdirSync(join(folder, "runs"));
  expect(runName(folder, join(folder, "runs/tr_01A"))).toBe("tr_01A");
  expect(runName(folder, join(folder, "mine"))).toBe("mine");
  expect(runName(folder, join(folder, "my run's"))).toBe("'my run'\\''s'");
  expect(runName(folder, folder)).toBe(".");
});

test("a shell parses a quoted word as the original text", () => {
  const word = fc.string({ unit: "grapheme-ascii", minLength: 1, maxLength: 20 });
  fc.assert(
    fc.property(word, (text) => {
      const read = execFileSync("/bin/sh", ["-c", `printf %s ${quoteWord(text)}`], { encoding: "utf8" });
      expect(read).toBe(text);
    }),
    { numRuns: 50 },
  );
});
