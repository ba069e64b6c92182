import assert from "node:assert/strict";
import { execFileSync, spawn, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { parseArgs } from "node:util";
import { Report } from "../../packages/testkit/src/report.ts";
import { installTarball, makeCleanPrefix } from "./clean-prefix.ts";
import { proveInstallLock } from "./install-lock.ts";
import { provePackageContents, proveSbom } from "./package-contents.ts";
import { secondsSince } from "./seconds-since.ts";

// Tests the package as a user gets it: built twice, installed where only Node exists, and run without network access.
//   node tests/packed/run.ts [--root DIR] [--quick] [--json]
//   --root DIR    package another checkout
//   --quick       build and install once

const here = join(import.meta.dirname, "../..");
const FIRST_MINUTE_S = 60;
const { values: options } = parseArgs({
  options: {
    root: { type: "string", default: here },
    quick: { type: "boolean", default: false },
    json: { type: "boolean", default: false },
  },
});

interface Built {
  readonly tarball: string;
  readonly sbom: string;
  readonly tarball_bytes: number;
  readonly unpacked_bytes: number;
  readonly files: number;
}

const report = new Report();
const scratch = mkdtempSync(join(tmpdir(), "tollgate-packed-"));
try {
  await main();
} finally {
  rmSync(scratch, { recursive: true, force: true });
}
const { passed, failed, figures } = report;
process.exitCode = report.close(options.json ? { passed, failed, ...figures } : null);

async function main(): Promise<void> {
  const out = join(scratch, "first");
  const built = build(out);
  Object.assign(report.figures, {
    tarball_bytes: built.tarball_bytes,
    unpacked_bytes: built.unpacked_bytes,
    files: built.files,
  });
  await report.check("packed", "the package has what runs and nothing else, its dependencies exact", () =>
    provePackageContents(join(out, "package")),
  );
  await report.check("packed", "the SBOM describes every package that is installed", () =>
    proveSbom(built.sbom, join(out, "package")),
  );
  if (!options.quick) {
    await report.check("packed", "built again it is the same, byte by byte", () => {
      const again = build(join(scratch, "second"));
      assert.equal(digest(again.tarball), digest(built.tarball));
      assert.equal(digest(again.sbom), digest(built.sbom));
    });
  }
  const prefix = makeCleanPrefix(scratch);
  await report.check("packed", "it installs where there is only Node, with no install script run", () => {
    const startedAtMs = performance.now();
    installTarball(prefix, built.tarball);
    report.figures.install_s = secondsSince(startedAtMs);
    // Install again without downloading, because the registry's speed varies. On one machine with one package, a first
    // install took 30 to 59 s, and a second one took 15 s.
    rmSync(join(prefix.folder, "node_modules"), { recursive: true });
    const secondStartedAtMs = performance.now();
    installTarball(prefix, built.tarball);
    report.figures.install_from_cache_s = secondsSince(secondStartedAtMs);
  });
  report.figures.installed_bytes =
    1_024 * Number.parseInt(execFileSync("du", ["-sk", prefix.folder], { encoding: "utf8" }), 10);
  if (!options.quick) {
    await report.check("packed", "the lock beside it installs what the SBOM says, and nothing else", () =>
      proveInstallLock(out, built.sbom, prefix),
    );
  }
  await runOffline(JSON.stringify({ prefix, python: buildWheel() }));
  await report.check(
    "packed",
    `the first completion arrives within ${FIRST_MINUTE_S} s of installing, downloads aside`,
    () => {
      const seconds = Number(report.figures.install_from_cache_s) + Number(report.figures.first_completion_s);
      report.figures.first_minute_s = Math.round(seconds * 10) / 10;
      report.figures.load_average = Math.round(loadavg()[0] ?? 0); // Seconds of a machine that was busy otherwise say little.
      assert.ok(seconds < FIRST_MINUTE_S, `${seconds} s`);
    },
  );
}

function build(out: string): Built {
  const program = join(here, "scripts/build-package.ts");
  const stdout = execFileSync(process.execPath, [program, "--root", options.root, "--out", out, "--json"], {
    encoding: "utf8",
    stdio: ["ignore", "pipe", "inherit"],
  });
  return JSON.parse(stdout) as Built;
}

/**
 * Builds the wheel and installs only the wheel, without a package index. Returns the path of the Python interpreter
 * that can import it.
 */
function buildWheel(): string {
  execFileSync(join(here, "scripts/python-sdk"), ["wheel"], { stdio: ["ignore", "ignore", "inherit"] });
  return join(here, "tools/python-sdk-wheel/environment/bin/python");
}

/** Runs the remaining checks in a process whose only network is loopback, if this machine allows it. */
async function runOffline(argument: string): Promise<void> {
  const program = [process.execPath, join(import.meta.dirname, "offline.ts"), argument];
  const isAllowed = spawnSync("unshare", ["--net", "sh", "-c", "ip link set lo up"]).status === 0;
  if (!isAllowed) console.log("packed: this machine does not allow network namespaces; the network stays on");
  const inside = ["unshare", "--net", "sh", "-c", 'ip link set lo up && exec "$0" "$@"'];
  const [command = "", ...args] = isAllowed ? [...inside, ...program] : program;
  const child = spawn(command, args, {
    stdio: ["ignore", "pipe", "inherit"],
    env: isAllowed ? { ...process.env, TOLLGATE_ISOLATED: "1" } : process.env,
  });
  let last = "";
  for await (const line of createInterface({ input: child.stdout })) {
    if (last !== "") console.log(last);
    last = line;
  }
  const { passed, failed, ...figures } = JSON.parse(last) as { passed: number; failed: number };
  report.add("packed", { passed, failed });
  Object.assign(report.figures, figures);
}

function digest(file: string): string {
  return createHash("sha256").update(readFileSync(file)).digest("hex");
}
