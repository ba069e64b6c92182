import { expect, test } from "vitest";
import type { Lock } from "../../scripts/package/runtime-packages.ts";
import { findLooseVersions, findUnpinnedEntries, findUnsafeVersions } from "../../scripts/supply-chain/lock-rules.ts";

const HASH = `sha512-${"A".repeat(86)}==`;

/** Returns a lockfile with one importer, which depends on `left`, and one package. */
function lockOf(resolution: object, specifier = "1.0.0", version = "1.0.0", key = "left@1.0.0"): Lock {
  return {
    importers: { "apps/a": { dependencies: { left: { specifier, version } } } },
    packages: { [key]: { resolution } },
    snapshots: { [key]: {} },
  };
}

test("accepts a lockfile with registry archives and sha512 hashes", () => {
  const lock = lockOf({ integrity: HASH });
  expect([...findUnpinnedEntries(lock), ...findLooseVersions(lock)]).toEqual([]);
});

test.each([
  ["no hash", {}],
  ["a weak hash", { integrity: `sha1-${"A".repeat(27)}=` }],
  ["an archive from elsewhere", { integrity: HASH, tarball: "https://evil.example/left.tgz" }],
  ["a git repository", { type: "git", repo: "https://git.example/left", commit: "abc" }],
])("rejects an entry with %s", (_, resolution) => {
  expect(findUnpinnedEntries(lockOf(resolution))).toHaveLength(1);
});

test.each(["file:../left", "https://evil.example/left.tgz", "git+ssh://git@host/left.git"])(
  "rejects a dependency resolved to %s",
  (version) => {
    expect(findUnpinnedEntries(lockOf({ integrity: HASH }, "1.0.0", version))).toHaveLength(1);
  },
);

test.each(["^1.0.0", "~1.0.0", "latest", "1.x", ">=1", "*", "https://evil.example/left.tgz"])(
  "rejects the specifier %s, because it is not one version",
  (specifier) => {
    expect(findLooseVersions(lockOf({ integrity: HASH }, specifier))).toHaveLength(1);
  },
);

test.each([
  ["6.23.9", false],
  ["6.24.0-rc.1", false],
  ["6.24.0", true],
  ["7.23.0", false],
  ["7.24.1", true],
  ["5.99.0", false],
  ["8.0.0", true],
])("with minimum versions for major versions 6 and 7, version %s is safe: %s", (version, isSafe) => {
  const lock = lockOf({ integrity: HASH }, version, version, `left@${version}`);
  const problems = findUnsafeVersions(lock, { left: { floors: ["6.24.0", "7.24.0"], why: "it mixed up answers" } });
  expect(problems.length === 0).toBe(isSafe);
});
