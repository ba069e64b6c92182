import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Report } from "../report.ts";
import { unitPath } from "./unit.ts";

/** systemd's scale ends at 10 for a service without any protection; up to here it says OK. */
const MAX_EXPOSED = 2;

/** What systemd itself says of the unit, where it is installed. */
export async function checkUnit(report: Report): Promise<void> {
  if (spawnSync("systemd-analyze", ["--version"]).status !== 0) {
    console.log("- systemd-analyze is not here; the unit was not verified");
    return;
  }
  const folder = mkdtempSync(join(tmpdir(), "tollgate-unit-"));
  // The program has to exist to be verified, and this machine keeps its Node elsewhere.
  const verify = (text: string) => {
    writeFileSync(join(folder, "tollgate.service"), text.replace("/usr/bin/node", "/usr/bin/env"));
    return spawnSync("systemd-analyze", ["verify", join(folder, "tollgate.service")], { encoding: "utf8" });
  };
  const unit = readFileSync(unitPath, "utf8");
  try {
    await report.try("systemd: the unit is understood", () => {
      assert.equal(verify(unit).stderr, "");
      assert.match(verify(unit.replace("ProtectSystem=", "ProtectSytem=")).stderr, /ProtectSytem/);
    });
    await report.try("systemd: the service is little exposed", () => {
      verify(unit);
      const path = join(folder, "tollgate.service");
      const { stdout } = spawnSync("systemd-analyze", ["security", "--offline=true", path], { encoding: "utf8" });
      const [, exposure = "10"] = /Overall exposure level for \S+: ([\d.]+)/.exec(stdout) ?? [];
      assert(Number(exposure) <= MAX_EXPOSED, stdout.split("\n").at(-2));
      return `exposure ${exposure} of 10`;
    });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
