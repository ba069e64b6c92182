import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { root } from "./read-repository.ts";

const gateway = join(root, "apps/gateway/src");

/** Declares the stages. A new body is written there, because the body is private. */
const declaration = "call/call.ts";

test("each stage of a call is written only by the files of its step", () => {
  const writers = new Map<string, Set<string>>();
  const files = globSync("**/*.ts", { cwd: gateway });
  for (const file of files.filter((path) => path !== declaration && !/\.(?:test|fixture)\.ts$/.test(path))) {
    for (const [, stage] of readFileSync(join(gateway, file), "utf8").matchAll(/\binStage\([^,()]+, "(\w+)"\)/g)) {
      writers.set(stage as string, (writers.get(stage as string) ?? new Set()).add(file));
    }
  }
  expect(Object.fromEntries([...writers].map(([stage, files]) => [stage, [...files].toSorted()]))).toEqual({
    read: ["pipeline/read-call.ts", "pipeline/steps.ts"],
    checked: [
      "cache/find-embeddings.ts",
      "cache/response-cache.ts",
      "guardrails/active-guards.ts",
      "pipeline/answer-early.ts",
      "pipeline/steps.ts",
    ],
    routed: ["pipeline/choose-target.ts"],
    opened: [
      "accounting/call-account.ts",
      "operations/count-input.ts",
      "pipeline/open-account.ts",
      "pipeline/steps.ts",
    ],
    sent: ["pipeline/answer-early.ts", "pipeline/call-upstream.ts", "pipeline/open-stream.ts"],
  });
});
