import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { areasAbove, countByArea } from "./check-words.ts";

const root = join(import.meta.dirname, "../..");

test("counts flagged words by the first two folders", () => {
  const report = [
    "apps/cli/src/a.ts:3:43 - Forbidden word (told) fix: (sent)",
    "apps/cli/src/deep/b.ts:1:1 - Forbidden word (Purse) fix: (Allowance)",
    "README.md:9:1 - Forbidden word (mend) fix: (fix)",
    "something else",
  ].join("\n");
  expect(countByArea(report)).toEqual({ ".": 1, "apps/cli": 2 });
});

test("an area fails if it has more flagged words than its baseline, and a new area if it has any", () => {
  expect(areasAbove({ "apps/cli": 3, "docs/guides": 1 }, { "apps/cli": 3 })).toEqual([
    "docs/guides: 1 flagged words, at most 0 allowed",
  ]);
});

test("flags planted words in identifiers, comments, and pages", { timeout: 60_000 }, () => {
  const folder = mkdtempSync(join(tmpdir(), "words-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  writeFileSync(join(folder, "planted.ts"), "/** Nobody is told. */\nexport const keyWish = 1;\n");
  writeFileSync(join(folder, "planted.md"), "# Mend it\n");
  const config = join(root, "cspell.json");
  // Without its own dictionaries, which flagged words do not need, cspell starts in a third of the time.
  const { stdout } = spawnSync(
    join(root, "node_modules/.bin/cspell"),
    ["lint", "--no-progress", "--no-summary", "--no-default-configuration", "--config", config, "--root", folder, "**"],
    { cwd: folder, encoding: "utf8" },
  );
  for (const word of ["Nobody", "told", "Wish", "Mend"]) expect(stdout).toContain(`Forbidden word (${word})`);
});
