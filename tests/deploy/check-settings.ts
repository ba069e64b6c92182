import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Report } from "@tollgate/testkit/report.ts";
import { examples } from "./chart/helm.ts";
import { readManifests } from "./chart/manifests.ts";
import { folder as compose } from "./compose/files.ts";
import { root } from "./paths.ts";

/** Validates every shipped settings file with the program that reads it. */
export async function checkSettings(report: Report): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "tollgate-settings-"));
  const file = join(folder, "tollgate.yaml");
  const check = (text: string) => {
    writeFileSync(file, text);
    const env = { ...process.env, OPENAI_API_KEY: "none", TOLLGATE_MASTER_KEY: "sk-none" };
    const args = ["config", "check", "--config", file];
    return spawnSync(`${root}/bin/tollgate`, args, { cwd: folder, env, encoding: "utf8" });
  };
  try {
    for (const example of examples) {
      await report.check("settings", `kubernetes/${example}.yaml has settings that can be used`, () => {
        const settings = readManifests(example).find(({ kind }) => kind === "ConfigMap")?.data?.["tollgate.yaml"] ?? "";
        const { status, stdout, stderr } = check(settings);
        assert.equal(status, 0, stdout + stderr);
      });
    }
    await report.check("settings", "compose/tollgate.yaml has settings that can be used", () => {
      const settings = readFileSync(`${compose}/tollgate.yaml`, "utf8");
      const { status, stdout, stderr } = check(settings);
      assert.equal(status, 0, stdout + stderr);
      assert.notEqual(check(settings.replace("master_key", "mister_key")).status, 0);
    });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
