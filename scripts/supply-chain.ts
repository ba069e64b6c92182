import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { parse } from "yaml";
import { readLock } from "./package/runtime-packages.ts";
import { type Budget, findOverspentBudget } from "./supply-chain/dependency-budget.ts";
import { findSecrets } from "./supply-chain/find-secrets.ts";
import { findLooseSettings, findUnreviewedScripts, type InstallSettings } from "./supply-chain/install-rules.ts";
import { type Floor, findLooseVersions, findUnpinnedEntries, findUnsafeVersions } from "./supply-chain/lock-rules.ts";
import { productionPackages } from "./supply-chain/production-packages.ts";

// Checks the supply chain offline: the lockfile, the package manager's settings, the number and versions of packages,
// and that no secret is committed.
//   node scripts/supply-chain.ts [--json]

const root = join(import.meta.dirname, "..");
const LARGEST_TEXT_BYTES = 5_000_000;
const { values: options } = parseArgs({ options: { json: { type: "boolean", default: false } } });

const lock = readLock(root);
const settings = parse(readFileSync(join(root, "pnpm-workspace.yaml"), "utf8")) as InstallSettings;
const { direct, installed } = productionPackages(lock);
const count = { direct: direct.size, total: installed.length };
const rules: Readonly<Record<string, () => string[]>> = {
  "every entry of the lock is the registry's, by its sha512": () => findUnpinnedEntries(lock),
  "every version asked for is one version": () => findLooseVersions(lock),
  "no locked version is known to be unsafe": () =>
    findUnsafeVersions(lock, readJson("floors.json") as Record<string, Floor>),
  "the package manager lets in only what was looked at": () => findLooseSettings(settings),
  "no package runs an unreviewed script when installed": () =>
    findUnreviewedScripts(join(root, "node_modules/.pnpm"), settings),
  "production has as many packages as agreed": () => findOverspentBudget(count, readJson("budget.json") as Budget),
  "no file has a secret": () => listFiles().flatMap((path) => findSecrets(path, readText(path))),
};

let failed = 0;
for (const [promise, find] of Object.entries(rules)) {
  const problems = find();
  if (problems.length > 0) failed += 1;
  console.log([`${problems.length === 0 ? "✓" : "✗"} ${promise}`, ...problems.map((line) => `  ${line}`)].join("\n"));
}
const passed = Object.keys(rules).length - failed;
console.log(`${count.direct} direct dependencies in production, ${count.total} packages on one system`);
if (options.json) {
  console.log(JSON.stringify({ passed, failed, direct_dependencies: count.direct, runtime_packages: count.total }));
}
process.exitCode = failed === 0 ? 0 : 1;

/** Lists all files that are or would be committed. */
function listFiles(): string[] {
  return execFileSync("git", ["ls-files", "-z", "--cached", "--others", "--exclude-standard"], {
    cwd: root,
    encoding: "utf8",
    maxBuffer: 1e8,
  })
    .split("\0")
    .filter((path) => path !== "" && existsSync(join(root, path)) && statSync(join(root, path)).isFile());
}

function readText(path: string): string {
  const file = join(root, path);
  if (statSync(file).size > LARGEST_TEXT_BYTES) return "";
  const bytes = readFileSync(file);
  return bytes.includes(0) ? "" : bytes.toString("utf8");
}

function readJson(name: string): unknown {
  return JSON.parse(readFileSync(join(import.meta.dirname, "supply-chain", name), "utf8"));
}
