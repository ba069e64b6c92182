import { spawn } from "node:child_process";
import { join } from "node:path";
import { test as base } from "@playwright/test";
import type { PlatformClient } from "@tollgate/sdk/platform";
import { readEmbeddedConnection } from "../../../apps/server/src/embedded-postgres/embedded-connection.ts";
import { CONSOLE_FOLDER } from "../run-options.ts";
import { type OpenConsole, openConsoleAs } from "../stage/open-console.ts";
import { type Instance, startInstance } from "../stage/start-instance.ts";
import { LIVE_SETTINGS, type LiveKeys, makeLiveRequests } from "./make-live-requests.ts";
import { type Counters, readCounters } from "./read-counters.ts";
import { Rows, type TimeRange } from "./read-rows.ts";

const DAY_MS = 86_400_000;
const QUARTER_MS = 15 * 60_000;
const PROGRAM = join(import.meta.dirname, "../../../bin/tollgate");
/** Wide enough for every column of every table. */
const WIDTH = 2_200;

/** An instance with a month of history and some live requests, after which nothing changes. */
export interface Seeded {
  readonly instance: Instance;
  readonly organizationId: string;
  readonly platform: PlatformClient;
  readonly rows: Rows;
  readonly keys: LiveKeys;
  /** The console, whose clock stands still at `now`. */
  readonly opened: OpenConsole;
  /** Time after the last request. */
  readonly now: Date;
  /** The last 30 days in UTC, the current one included. */
  readonly month: TimeRange;
  /** The last 24 hours, in whole quarter hours. */
  readonly day: TimeRange;
  /** Counters of `/metrics` before and after the live requests. */
  readonly counters: { readonly before: Counters; readonly after: Counters };
  /** Requests a path of the management API and returns the text of the response. */
  fetchText(path: string): Promise<string>;
  /** Runs the command line with these arguments and returns what it prints. */
  runCommand(...args: readonly string[]): Promise<string>;
}

interface FiguresFixtures {
  seeded: Seeded;
}

export const test = base.extend<object, FiguresFixtures>({
  seeded: [
    async ({ browser }, use) => {
      const options = { isDemo: true, settings: LIVE_SETTINGS };
      const instance = await startInstance(String(process.env[CONSOLE_FOLDER]), "", options);
      const { admin, url } = instance;
      const platform = await instance.signIn(admin);
      const { token } = await platform.call("createToken", { body: admin });
      const { quota } = await platform.call("getQuota");
      const { organizationId } = quota;
      const rows = new Rows(String(readEmbeddedConnection(instance.dataDir)), organizationId);
      const before = await readCounters(instance);
      const keys = await makeLiveRequests(instance, platform, rows);
      const after = await readCounters(instance);
      const now = new Date();
      const opened = await openConsoleAs(browser, instance, admin, { width: WIDTH, height: 900 });
      await opened.page.clock.setFixedTime(now);
      const end = new Date((Math.floor(now.getTime() / QUARTER_MS) + 1) * QUARTER_MS);
      const today = Math.floor(now.getTime() / DAY_MS) * DAY_MS;
      await use({
        ...{ instance, organizationId, platform, rows, keys, opened, now },
        month: { from: new Date(today - 29 * DAY_MS), to: end },
        day: { from: new Date(end.getTime() - DAY_MS), to: end },
        counters: { before, after },
        fetchText: async (path) => {
          const answer = await fetch(`${url}${path}`, { headers: { authorization: `Bearer ${token}` } });
          const text = await answer.text();
          if (!answer.ok) throw new Error(`${path} is ${answer.status}: ${text}`);
          return text;
        },
        runCommand: (...args) => runCommand(instance, token, args),
      });
      await opened.close();
      await instance.stop();
    },
    // The history of a month takes longer than a test's own fixtures.
    { scope: "worker", timeout: 180_000 },
  ],
});

function runCommand({ url, dataDir }: Instance, token: string, args: readonly string[]): Promise<string> {
  const { PATH } = process.env;
  const env = { PATH, HOME: dataDir, TOLLGATE_URL: url, TOLLGATE_TOKEN: token, TOLLGATE_CONFIG_DIR: dataDir };
  const child = spawn(PROGRAM, args, { env, stdio: ["ignore", "pipe", "pipe"] });
  let [printed, problems] = ["", ""];
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    printed += text;
  });
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    problems += text;
  });
  return new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (code) => {
      if (code === 0) resolve(printed);
      else reject(new Error(`tollgate ${args.join(" ")} ended with ${code}: ${problems}`));
    });
  });
}
