import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["apps/**/*.test.ts", "packages/**/*.test.ts", "sdks/typescript/**/*.test.ts", "tests/**/*.test.ts"],
    setupFiles: ["tests/choose-seed.ts"],
    testTimeout: 20_000,
    hookTimeout: 60_000,
    // Two cores: more workers only make the engines and each other slower.
    maxWorkers: 2,
  },
});
