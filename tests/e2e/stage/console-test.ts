import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test as base } from "@playwright/test";
import { CONSOLE_FOLDER } from "../run-options.ts";
import { type Filled, fillInstance } from "./fill-instance.ts";
import { type ConsoleView, type OpenConsole, openConsole, openConsoleAs } from "./open-console.ts";
import { type Instance, type Person, startInstance } from "./start-instance.ts";

/** Options of a suite, which apply to all of its tests. */
export interface SuiteOptions {
  /** Root path of the instance, for example `/x/y`, or "" for the root. */
  rootPath: string;
  /** False for an instance whose console files were deleted. */
  hasConsole: boolean;
}

/** Fixtures that all tests of a suite share. After a failed test, the next one gets new ones. */
interface SuiteFixtures extends SuiteOptions {
  /** Folder of the built console. */
  consoleFolder: string;
  instance: Instance;
  /** Records of the administrator's organization. */
  filled: Filled;
  /**
   * The administrator's console, in an organization with records. A test must not rely on the page that an earlier test
   * left open.
   */
  admin: OpenConsole;
  /** A console without a session. */
  stranger: OpenConsole;
}

interface TestFixtures {
  /** Opens another browser, signed in if a user is given, and closes it after the test. */
  newConsole: (view?: ConsoleView & { readonly person?: Person }) => Promise<OpenConsole>;
  logOfFailure: undefined;
}

export const test = base.extend<TestFixtures, SuiteFixtures>({
  rootPath: ["", { scope: "worker", option: true }],
  hasConsole: [true, { scope: "worker", option: true }],
  consoleFolder: [
    async ({ hasConsole }, use) => {
      if (hasConsole) return use(String(process.env[CONSOLE_FOLDER]));
      const empty = mkdtempSync(join(tmpdir(), "tollgate-e2e-no-console-"));
      await use(empty);
      rmSync(empty, { recursive: true, force: true });
    },
    { scope: "worker" },
  ],
  instance: [
    async ({ consoleFolder, rootPath }, use) => {
      const instance = await startInstance(consoleFolder, rootPath);
      await use(instance);
      await instance.stop();
    },
    { scope: "worker" },
  ],
  filled: [async ({ instance }, use) => use(await fillInstance(instance)), { scope: "worker" }],
  admin: [
    async ({ browser, instance, filled: _ }, use) => {
      const opened = await openConsoleAs(browser, instance, instance.admin);
      await use(opened);
      await opened.close();
    },
    { scope: "worker" },
  ],
  stranger: [
    async ({ browser, instance }, use) => {
      const opened = await openConsole(browser, instance);
      await use(opened);
      await opened.close();
    },
    { scope: "worker" },
  ],
  newConsole: async ({ browser, instance }, use) => {
    const all: OpenConsole[] = [];
    await use(async ({ person, ...view } = {}) => {
      const opened = await (person === undefined
        ? openConsole(browser, instance, view)
        : openConsoleAs(browser, instance, person, view));
      all.push(opened);
      return opened;
    });
    for (const opened of all) await opened.close();
  },
  logOfFailure: [
    async ({ instance }, use, testInfo) => {
      await use(undefined);
      if (testInfo.status === testInfo.expectedStatus) return;
      const path = testInfo.outputPath("instance.log");
      writeFileSync(path, instance.readLog());
      testInfo.attachments.push({ name: "instance.log", path, contentType: "text/plain" });
    },
    { auto: true },
  ],
});
