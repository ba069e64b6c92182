import { spawn, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { parseArgs } from "node:util";
import { drawRecording, type RecordedLine } from "./draw-recording.ts";
import { measureSlowness } from "./measure-slowness.ts";

// Tests a new user's first minute: runs `tollgate dev` without network access, installed software, or provider keys,
// and then runs the curl command exactly as printed. `--record FILE` saves the terminal output as an animated image,
// such as the one in the README. Then it measures how long `tollgate dev --demo` takes until the console has its page
// and the month of figures for its charts. That must take at most 15 seconds. On a machine that is slow or busy, the
// limit is longer in proportion, as measured before and after. `--json` ends with a line of figures.

const LIMIT_MS = 60_000;
/** Limit for the demo on a quiet machine. */
const DEMO_LIMIT_MS = 15_000;
/** Stops a demo that hangs. No limit of a demo is longer. */
const DEMO_HANGS_MS = 120_000;
const COPYING_MS = 3_000;
/** Days with requests that the demo has at least, of the 30 days of its history. */
const DEMO_DAYS = 28;
const DAY_MS = 86_400_000;
const root = join(import.meta.dirname, "../..");
const { values } = parseArgs({ options: { record: { type: "string" }, json: { type: "boolean", default: false } } });
const recorded: RecordedLine[] = [];

/** Runs this program again with loopback as its only network, if the machine allows it. */
function isolate(): number | null {
  if (process.env.TOLLGATE_ISOLATED !== undefined) return null;
  const inside = `ip link set lo up && exec "$0" "$@"`;
  const probe = spawnSync("unshare", ["--net", "sh", "-c", "ip link set lo up"]);
  if (probe.status !== 0) {
    console.log("first minute: this machine does not allow network namespaces; running with the network it has");
    return null;
  }
  const { status } = spawnSync(
    "unshare",
    ["--net", "sh", "-c", inside, process.execPath, import.meta.filename, ...process.argv.slice(2)],
    {
      stdio: "inherit",
      env: { ...process.env, TOLLGATE_ISOLATED: "1" },
    },
  );
  return status ?? 1;
}

interface Outcome {
  readonly isGood: boolean;
  readonly seconds: number;
}

async function firstMinute(): Promise<Outcome> {
  const data = mkdtempSync(join(tmpdir(), "tollgate-first-"));
  const startedAtMs = performance.now();
  const see = (text: string) => void recorded.push({ atMs: performance.now() - startedAtMs, text });
  see("$ tollgate dev");
  const dev = spawn(join(root, "bin/tollgate"), ["dev", "--data", join(data, "data")], {
    cwd: data,
    env: { PATH: process.env.PATH, HOME: data },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const timer = setTimeout(() => dev.kill("SIGKILL"), LIMIT_MS);
  try {
    const command = await readPrintedCommand(dev.stdout, see);
    // Includes the time to copy the command.
    const copiedAtMs = performance.now() - startedAtMs + COPYING_MS;
    const { stdout, status } = spawnSync("sh", ["-c", command], { encoding: "utf8" });
    const seconds = (performance.now() - startedAtMs) / 1_000;
    console.log(`${command}\n\n${stdout}\n`);
    if (values.record !== undefined) {
      const answered = [`$ ${command}`, stdout.trim()].map((text, index) => ({ atMs: copiedAtMs + index * 300, text }));
      writeFileSync(values.record, drawRecording([...recorded, { atMs: copiedAtMs, text: "" }, ...answered]));
    }
    const answer = JSON.parse(stdout) as { choices: { message: { content: string } }[] };
    const isGood = status === 0 && answer.choices[0]?.message.content === "hello" && seconds < LIMIT_MS / 1_000;
    console.log(`first minute: ${isGood ? "a completion" : "no completion"} after ${seconds.toFixed(1)} s`);
    return { isGood, seconds };
  } finally {
    clearTimeout(timer);
    dev.kill("SIGTERM");
    await new Promise((resolve) => dev.once("close", resolve));
    rmSync(data, { recursive: true, force: true });
  }
}

/** Returns the curl command from the banner as one line. */
async function readPrintedCommand(stdout: NodeJS.ReadableStream, see: (line: string) => void): Promise<string> {
  const lines: string[] = [];
  for await (const line of createInterface({ input: stdout })) {
    console.log(line);
    see(line);
    if (lines.length > 0 || line.trim().startsWith("curl ")) lines.push(line.trim());
    if (lines.at(-1)?.startsWith("-d ")) return lines.map((part) => part.replace(/\\$/, "")).join(" ");
  }
  throw new Error("the banner had no command to copy");
}

async function firstCharts(): Promise<Outcome & { readonly slowness: number; readonly limitSeconds: number }> {
  const folder = mkdtempSync(join(tmpdir(), "tollgate-demo-"));
  const slownessBefore = measureSlowness();
  const startedAtMs = performance.now();
  const args = ["dev", "--demo", "--json", "--port", "0", "--data", join(folder, "data")];
  const dev = spawn(join(root, "bin/tollgate"), args, {
    cwd: folder,
    env: { PATH: process.env.PATH, HOME: folder },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const timer = setTimeout(() => dev.kill("SIGKILL"), DEMO_HANGS_MS);
  let days: number;
  let elapsedMs: number;
  try {
    days = await readDemoDays(dev.stdout);
    elapsedMs = performance.now() - startedAtMs;
  } finally {
    clearTimeout(timer);
    dev.kill("SIGTERM");
    await new Promise((resolve) => dev.once("close", resolve));
    rmSync(folder, { recursive: true, force: true });
  }
  const slowness = (slownessBefore + measureSlowness()) / 2;
  const limitMs = Math.min(DEMO_LIMIT_MS * slowness, DEMO_HANGS_MS);
  const [seconds, limitSeconds] = [elapsedMs / 1_000, limitMs / 1_000];
  const limit = `${limitSeconds.toFixed(1)} s (${DEMO_LIMIT_MS / 1_000} s × slowness ${slowness.toFixed(2)})`;
  console.log(`first charts: ${days} days of history after ${seconds.toFixed(1)} s; limit ${limit}`);
  return { isGood: days >= DEMO_DAYS && elapsedMs <= limitMs, seconds, slowness, limitSeconds };
}

interface DemoReady {
  readonly platformUrl: string;
  readonly uiUrl: string;
  readonly admin: { readonly email: string; readonly password: string };
}

/** Requests what the console's first page shows, and returns the number of days on its chart that have requests. */
async function readDemoDays(stdout: NodeJS.ReadableStream): Promise<number> {
  for await (const line of createInterface({ input: stdout })) {
    const { platformUrl, uiUrl, admin } = JSON.parse(line) as DemoReady;
    const page = await fetch(uiUrl);
    if (!page.ok) throw new Error(`the console is ${page.status}`);
    const body = JSON.stringify(admin);
    const headers = { "content-type": "application/json" };
    const signedIn = await fetch(`${platformUrl}/api/auth/token`, { method: "POST", headers, body });
    const { token } = (await signedIn.json()) as { token: string };
    const startDate = new Date(Date.now() - 29 * DAY_MS).toISOString().slice(0, 10);
    const usage = await fetch(`${platformUrl}/api/gw/usage?groupBy=day&startDate=${startDate}`, {
      headers: { authorization: `Bearer ${token}` },
    });
    const { data } = (await usage.json()) as { data: readonly { requests: number }[] };
    return data.filter(({ requests }) => requests > 0).length;
  }
  throw new Error("the demo did not start");
}

async function run(): Promise<number> {
  const completion = await firstMinute();
  const charts = await firstCharts();
  const failed = [completion, charts].filter(({ isGood }) => !isGood).length;
  const tenths = (value: number) => Math.round(value * 10) / 10;
  const figures = {
    passed: 2 - failed,
    failed,
    firstCompletionSeconds: tenths(completion.seconds),
    firstChartsSeconds: tenths(charts.seconds),
    firstChartsLimitSeconds: tenths(charts.limitSeconds),
    firstChartsQuietLimitSeconds: DEMO_LIMIT_MS / 1_000,
    slowness: tenths(charts.slowness),
  };
  if (values.json) console.log(JSON.stringify(figures));
  return failed === 0 ? 0 : 1;
}

process.exitCode = isolate() ?? (await run());
