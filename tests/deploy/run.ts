import { execFileSync } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { Report } from "@tollgate/testkit/report.ts";
import { checkSchemas } from "./check-schemas.ts";
import { checkSettings } from "./check-settings.ts";
import { replayImage } from "./image/replay.ts";
import { root } from "./paths.ts";
import { checkProxies } from "./proxies/check-proxies.ts";
import { checkUnit } from "./systemd/check-unit.ts";

// Tests the shipped deployment files on a machine without a container engine:
//   node tests/deploy/run.ts --quick     validates manifests, Compose files, and the unit, and tests nginx and haproxy
//   node tests/deploy/run.ts             also tests Caddy, and replays the image from the Dockerfile (needs root)
//     --package FILE                     uses this tarball from scripts/build-package.ts for the image; built if omitted
// scripts/deploy-check runs the checks that need helm.

const { values: options } = parseArgs({
  options: {
    quick: { type: "boolean", default: false },
    json: { type: "boolean", default: false },
    package: { type: "string" },
  },
});

/** Calls the function with the given tarball, or with one built for this run. */
async function withPackage<T>(use: (tarball: string) => Promise<T>): Promise<T> {
  if (options.package !== undefined) return use(options.package);
  const out = mkdtempSync(join(tmpdir(), "tollgate-package-"));
  try {
    execFileSync(process.execPath, [`${root}/scripts/build-package.ts`, "--out", out], {
      stdio: ["ignore", "ignore", "pipe"],
    });
    const tarball = readdirSync(out).find((name) => name.endsWith(".tgz"));
    if (tarball === undefined) throw new Error("the package was not built");
    return await use(join(out, tarball));
  } finally {
    rmSync(out, { recursive: true, force: true });
  }
}

const report = new Report();
let image: Readonly<Record<string, unknown>> = {};
execFileSync(`${root}/scripts/deploy-tools`, ["schemas"], { stdio: ["ignore", "ignore", "inherit"] });
await checkSchemas(report);
await checkSettings(report);
await checkUnit(report);
await checkProxies(options.quick ? ["nginx", "haproxy"] : ["nginx", "haproxy", "caddy"], report);
if (!options.quick || options.package !== undefined) {
  await report.check("image", "the image serves read-only, without root and without a shell", async () => {
    image = await withPackage(replayImage);
    return JSON.stringify(image);
  });
}
const { passed, failed, skipped } = report;
const seconds = Math.round(report.seconds);
process.exitCode = report.close(options.json ? { passed, failed, skipped, seconds, ...image } : null);
