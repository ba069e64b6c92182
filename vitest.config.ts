import { defineConfig } from "vitest/config";

/** Tests of pure code, which leave nothing behind for the next file: they share what they import, which takes longer than they do. */
const pure = [
  "packages/{domain,contracts,catalog}/**/*.test.ts",
  "apps/ui/**/*.test.ts",
  "scripts/**/*.test.ts",
  "apps/gateway/src/{call,wire,operations,providers,models,accounting,pipeline,tokens,metrics}/**/*.test.ts",
];

/** Tests with a database of their own each: what they import is most of the platform, and is imported once for many. */
const stored = ["apps/{platform,cli}/src/**/*.test.ts", "packages/db/src/**/*.test.ts"];

/** Tests of a gateway in this process: importing it takes longer than most of these tests, so many files share it. */
const served = ["apps/server/src/*.test.ts", "apps/gateway/src/http/**/*.test.ts"];

/** Tests of how requests arrive. They run a second time with Node's parser, which an operator can choose. */
const framed = [
  "apps/gateway/src/http/{allowed-hosts,connections,direct-body,drain,framing,late-process,mounted}.test.ts",
  "apps/gateway/src/http/{refused-clients,shed-reads,slow-uploads}.test.ts",
  "apps/gateway/src/http/routes/large-bodies.test.ts",
];

/** Where processes die, memory fills or clients dawdle. CI leaves that to its stages; `bin/pnpm test` runs them too. */
const long = [
  "apps/server/src/{killed-runs,killed-gateway,full-journal,database-unavailable,long-streams}.test.ts",
  "apps/server/src/embedded-postgres/*.test.ts",
  "apps/operate/src/train/train-run.test.ts",
  "apps/worker/src/delivery.test.ts",
  "apps/gateway/src/http/slow-clients.test.ts",
  "apps/gateway/src/http/routes/chat-completions-hostile-memory.test.ts",
  "training/coordinator/src/resume-after-kill.test.ts",
  "training/tests/memory/*.test.ts",
];

/**
 * Tests that measure a time, a rate, or memory that other tests on the machine would change. They run after the others,
 * one file at a time, so that the figures are those of the code. A test that gives a change a second to arrive, or that
 * measures awake time, can run next to others: see `waitFor` and `watchAwakeTime`.
 */
const timed = [
  "apps/cli/src/packed-cli.test.ts",
  "apps/server/src/hub.test.ts",
  "apps/gateway/src/**/{audio-transcriptions-upload,hostile-json,hostile-patterns,journal-faults,loops}.test.ts",
  "apps/gateway/src/**/chat-completions-{disconnect,timeouts}.test.ts",
  "apps/gateway/src/**/{rate-limiter,rate-limiter-unavailable,upstream-clients}.test.ts",
];

/**
 * Tests that measure or change their process: its CPU time, memory, open files, warnings, environment, or working
 * directory. Each file has a process of its own.
 */
const isolated = [
  "packages/journal/src/scan-segment.test.ts",
  "packages/storage/src/storage-memory.test.ts",
  "packages/testkit/src/processes/start-instance.test.ts",
  "tests/bench/measure/process-usage.test.ts",
  "tests/cloud-credentials/*.test.ts",
  "training/coordinator/src/local/local-participants.test.ts",
  "training/participant-typescript/src/formats/tensor-files.test.ts",
  "training/participant-typescript/src/participant/participant-abuse.test.ts",
];

export default defineConfig({
  test: {
    // One worker more than cores, because a test that needs an engine waits for about half of its time.
    maxWorkers: 3,
    projects: [
      { extends: true, test: { name: "pure", include: pure, isolate: false } },
      {
        extends: true,
        test: {
          name: "console",
          include: ["apps/ui/**/*.test.tsx"],
          // A simulated page of the console, without layout. The whole console runs in a real browser in tests/e2e.
          // Rendering one component takes less time than importing React.
          isolate: false,
          environment: "happy-dom",
          environmentOptions: { happyDOM: { url: "http://console.test/ui/" } },
          setupFiles: ["apps/ui/src/testing/prepare-page.fixture.ts"],
        },
      },
      {
        extends: true,
        test: { name: "stored", include: stored, exclude: ["**/node_modules/**", ...timed], isolate: false },
      },
      {
        extends: true,
        test: { name: "served", include: served, exclude: ["**/node_modules/**", ...timed, ...long], isolate: false },
      },
      {
        extends: true,
        test: { name: "node-parser", include: framed, env: { HTTP_PARSER: "node" }, isolate: false },
      },
      {
        extends: true,
        test: {
          name: "running",
          include: [
            "apps/**/*.test.ts",
            "packages/**/*.test.ts",
            "sdks/typescript/**/*.test.ts",
            "tests/**/*.test.ts",
            "training/**/*.test.ts",
          ],
          exclude: ["**/node_modules/**", ...pure, ...stored, ...served, ...isolated, ...timed, ...long],
          isolate: false,
        },
      },
      { extends: true, test: { name: "isolated", include: isolated } },
      { extends: true, test: { name: "timed", include: timed, maxWorkers: 1, sequence: { groupOrder: 1 } } },
      { extends: true, test: { name: "long", include: long } },
    ],
    setupFiles: ["tests/choose-seed.ts"],
    // These limits only end a test that hangs, also on a machine that is starved for seconds at a time. Tests that promise
    // a time check it themselves.
    testTimeout: 180_000,
    hookTimeout: 180_000,
    expect: { poll: { timeout: 60_000 } },
  },
});
