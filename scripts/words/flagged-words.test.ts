import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";

const root = join(import.meta.dirname, "../..");

test("flags planted words in identifiers, comments, and pages", () => {
  const folder = mkdtempSync(join(tmpdir(), "words-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  writeFileSync(join(folder, "planted.ts"), "/** Nobody is told. */\nexport const keyWish = 1;\n");
  writeFileSync(join(folder, "planted.md"), "# Mend it\n");
  const config = join(root, "cspell.json");
  // Without its own dictionaries, which flagged words do not need, cspell starts in a third of the time.
  const { stdout, status } = spawnSync(
    join(root, "node_modules/.bin/cspell"),
    ["lint", "--no-progress", "--no-summary", "--no-default-configuration", "--config", config, "--root", folder, "**"],
    { cwd: folder, encoding: "utf8" },
  );
  expect(status).toBe(1);
  for (const word of ["Nobody", "told", "Wish", "Mend"]) expect(stdout).toContain(`Forbidden word (${word})`);
});
