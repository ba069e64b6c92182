import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Report } from "@tollgate/testkit/report.ts";
import { unitPath } from "./unit.ts";

/** Maximum exposure score, which systemd rates as OK. An unprotected service has a score of 10. */
const MAX_EXPOSED = 2;

/** Checks the unit with systemd's own tools, if they are installed. */
export async function checkUnit(report: Report): Promise<void> {
  if (spawnSync("systemd-analyze", ["--version"]).status !== 0) {
    report.skip("systemd", "the unit is verified", "needs systemd-analyze");
    return;
  }
  const folder = mkdtempSync(join(tmpdir(), "tollgate-unit-"));
  // systemd checks that the program exists, but Node has a different path on this machine.
  const verify = (text: string) => {
    writeFileSync(join(folder, "tollgate.service"), text.replace("/usr/bin/node", "/usr/bin/env"));
    return spawnSync("systemd-analyze", ["verify", join(folder, "tollgate.service")], { encoding: "utf8" });
  };
  const unit = readFileSync(unitPath, "utf8");
  try {
    await report.check("systemd", "the unit is understood", () => {
      assert.equal(verify(unit).stderr, "");
      assert.match(verify(unit.replace("ProtectSystem=", "ProtectSytem=")).stderr, /ProtectSytem/);
    });
    await report.check("systemd", "the service is little exposed", () => {
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
