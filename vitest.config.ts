import { defineConfig } from "vitest/config";

/** Tests of pure code, which leave nothing behind for the next file: they share what they import, which takes longer than they do. */
const pure = [
  "packages/{domain,contracts,catalog}/**/*.test.ts",
  "apps/ui/**/*.test.ts",
  "scripts/**/*.test.ts",
  "apps/gateway/src/{providers,operations,model-list,pipeline,tokens,metrics}/**/*.test.ts",
];

/** Tests with a database of their own each: what they import is most of the platform, and is imported once for many. */
const stored = ["apps/{platform,cli}/src/**/*.test.ts", "packages/db/src/**/*.test.ts"];

/** Where processes die, memory fills or clients dawdle. CI leaves that to its stages; `bin/pnpm test` runs them too. */
const long = [
  "apps/server/src/{killed-runs,killed-gateway,full-journal,database-unavailable,long-streams}.test.ts",
  "apps/server/src/embedded-postgres/*.test.ts",
  "apps/server/src/commands/train/train-run.test.ts",
  "apps/worker/src/delivery.test.ts",
  "apps/gateway/src/edge/slow-clients.test.ts",
  "apps/gateway/src/routes/chat-completions-hostile-memory.test.ts",
  "packages/coordinator/src/resume-after-kill.test.ts",
  "tests/training/memory/*.test.ts",
];

export default defineConfig({
  test: {
    // Two cores: more workers only make the engines and each other slower.
    maxWorkers: 2,
    projects: [
      { extends: true, test: { name: "pure", include: pure, isolate: false } },
      { extends: true, test: { name: "stored", include: stored, isolate: false } },
      {
        extends: true,
        test: {
          name: "running",
          include: ["apps/**/*.test.ts", "packages/**/*.test.ts", "sdks/typescript/**/*.test.ts", "tests/**/*.test.ts"],
          exclude: ["**/node_modules/**", ...pure, ...stored, ...long],
        },
      },
      { extends: true, test: { name: "long", include: long } },
    ],
    setupFiles: ["tests/choose-seed.ts"],
    testTimeout: 20_000,
    hookTimeout: 60_000,
  },
});
