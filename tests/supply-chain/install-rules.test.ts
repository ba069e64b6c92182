import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { findOverspentBudget } from "../../scripts/supply-chain/dependency-budget.ts";
import { findLooseSettings, findUnreviewedScripts } from "../../scripts/supply-chain/install-rules.ts";

const strict = { allowBuilds: {}, strictDepBuilds: true, minimumReleaseAge: 20_160, blockExoticSubdeps: true };

test("accepts settings that allow only reviewed packages", () => {
  expect(findLooseSettings(strict)).toEqual([]);
});

test.each([
  { allowBuilds: undefined },
  { strictDepBuilds: false },
  { dangerouslyAllowAllBuilds: true },
  { minimumReleaseAge: 1_440 },
  { blockExoticSubdeps: false },
])("rejects settings with %j", (change) => {
  expect(findLooseSettings({ ...strict, ...change } as Parameters<typeof findLooseSettings>[0])).toHaveLength(1);
});

test("rejects a package with an install script or native code unless it is on the list", () => {
  const store = mkdtempSync(join(tmpdir(), "tollgate-store-"));
  try {
    place(store, "quiet", {});
    place(store, "@scope/loud", { postinstall: "node steal.js" });
    const compiled = place(store, "compiled", {});
    writeFileSync(join(compiled, "binding.gyp"), "{}");
    expect(findUnreviewedScripts(store, strict).map((line) => line.split(" ")[0])).toEqual(["@scope/loud", "compiled"]);
    const reviewed = { ...strict, allowBuilds: { "@scope/loud": false, compiled: true } };
    expect(findUnreviewedScripts(store, reviewed)).toEqual([]);
  } finally {
    rmSync(store, { recursive: true, force: true });
  }
});

function place(store: string, name: string, scripts: Record<string, string>): string {
  const folder = join(store, `${name.replace("/", "+")}@1.0.0/node_modules`, name);
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "package.json"), JSON.stringify({ name, scripts }));
  return folder;
}

test("rejects one direct dependency over the limit, even with a written reason", () => {
  const budget = {
    direct: 25,
    total: 150,
    allowedTotal: 165,
    reason: "a reason that is long enough to be one for a reader",
  };
  expect(findOverspentBudget({ direct: 25, total: 165 }, budget)).toEqual([]);
  expect(findOverspentBudget({ direct: 26, total: 100 }, budget)).toHaveLength(1);
});

test("accepts more packages than the limit only with a written reason, which covers only the stated number", () => {
  const reason = "a reason that is long enough to be one for a reader";
  expect(findOverspentBudget({ direct: 1, total: 151 }, { direct: 25, total: 150 })).toHaveLength(1);
  expect(findOverspentBudget({ direct: 1, total: 151 }, { direct: 25, total: 150, allowedTotal: 160 })).toHaveLength(1);
  expect(
    findOverspentBudget({ direct: 1, total: 161 }, { direct: 25, total: 150, allowedTotal: 160, reason }),
  ).toHaveLength(1);
  expect(findOverspentBudget({ direct: 1, total: 160 }, { direct: 25, total: 150, allowedTotal: 160, reason })).toEqual(
    [],
  );
});
