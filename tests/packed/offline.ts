import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { copyFileSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { Report } from "../../packages/testkit/src/report.ts";
import type { CleanPrefix } from "./clean-prefix.ts";
import { DevProcess } from "./dev-process.ts";
import { secondsSince } from "./seconds-since.ts";

// Tests an installed package without network access. The last line of the output contains the counts and figures.

const root = join(import.meta.dirname, "../..");
const FIRST_COMPLETION_LIMIT_S = 60;
const DEMO_CREDIT = 5_000_000_000; // nano-USD

/**
 * The methods of the SDK's client that are called here. This folder has no dependency from which to import the type.
 */
type OpenAiClient = new (options: {
  baseURL: string;
  apiKey: string;
  maxRetries: number;
}) => {
  chat: {
    completions: {
      create(request: object): Promise<AsyncIterable<{ choices: { delta: { content?: string } }[] }>>;
    };
  };
};

interface DevFacts {
  readonly baseUrl: string;
  readonly apiKey: string;
  readonly admin: { readonly email: string; readonly password: string };
}

interface CostBySource {
  readonly differences: number;
  readonly events: number;
  readonly balance: number;
}

const { prefix, python } = JSON.parse(process.argv[2] ?? "{}") as { prefix: CleanPrefix; python: string };
const report = new Report();

await report.check("packed", "nothing outside this computer can be reached", async () => {
  if (process.env.TOLLGATE_ISOLATED === undefined) return; // This machine allows no namespaces; said by the caller.
  await assert.rejects(fetch("http://192.0.2.1", { signal: AbortSignal.timeout(5_000) }), /fetch failed/);
});

await report.check("packed", "every bundle in the package can be loaded", async () => {
  const vendor = join(prefix.folder, "node_modules/tollgate/vendor");
  const scripts = readdirSync(vendor, { recursive: true, encoding: "utf8" }).filter((path) => path.endsWith(".js"));
  assert.ok(scripts.length > 0);
  for (const path of scripts) await import(join(vendor, path));
});

await report.check("packed", "`npx tollgate dev` prints a command that works as it is", async () => {
  const startedAtMs = performance.now();
  const dev = new DevProcess(prefix, []);
  try {
    const lines = await dev.readUntil((line) => line.trim().startsWith("-d "));
    const first = lines.findIndex((line) => line.trim().startsWith("curl "));
    const command = lines
      .slice(first)
      .map((line) => line.trim().replace(/\\$/, ""))
      .join(" ");
    const answer = JSON.parse(
      execFileSync("sh", ["-c", command], { encoding: "utf8", env: prefix.env, stdio: "pipe" }),
    );
    assert.equal(answer.choices[0].message.content, "hello");
    const seconds = secondsSince(startedAtMs);
    report.figures.first_completion_s = seconds;
    assert.ok(seconds < FIRST_COMPLETION_LIMIT_S, `${seconds} s to the first completion`);
  } finally {
    await dev.stop();
  }
});

await report.check(
  "packed",
  "`dev --json` on the same data: the stock SDK streams, a paid call is made, pages answer, jobs run",
  async () => {
    const startedAtMs = performance.now();
    const dev = new DevProcess(prefix, ["--json"]);
    try {
      const [line = ""] = await dev.readUntil((text) => text.startsWith("{"));
      report.figures.second_start_s = secondsSince(startedAtMs);
      const { baseUrl, apiKey, admin } = JSON.parse(line) as DevFacts;
      assert.equal(await streamWithSdk(baseUrl, apiKey, "sim/paid"), "hello again");
      for (const path of ["/ui/", "/docs/", "/docs/api", "/docs/api/viewer.js", "/fallback/login"]) {
        assert.equal((await fetch(`${baseUrl}${path}`)).status, 200, path);
      }
      // A job in the queue verifies the ledger, so this also shows that the worker runs jobs.
      const env = { TOLLGATE_URL: baseUrl };
      tollgate(["login", "--email", admin.email, "--password-stdin"], { env, input: `${admin.password}\n` });
      assert.equal(tollgate(["admin", "reconcile", "--jq", ".ok"], { env }), "true\n");
    } finally {
      await dev.stop();
    }
  },
);

await report.check(
  "packed",
  "`tollgate ledger verify` knows both calls, sees the charge, and finds no difference",
  () => {
    const books = JSON.parse(tollgate(["ledger", "verify", "--json", "--quiescent", "--drained"])) as CostBySource;
    report.figures.verify_differences = books.differences;
    assert.equal(books.differences, 0);
    assert.equal(books.events, 2);
    assert.ok(books.balance < DEMO_CREDIT, `the balance is ${books.balance} nano-USD, as it was before`);
  },
);

await report.check("packed", "a training project in TypeScript runs before anything is installed for it", () => {
  tollgate(["train", "new", "demo", "--language", "typescript"]);
  tollgate(["train", "run", "--rounds", "2"], { cwd: join(prefix.folder, "demo") });
});

await report.check("packed", "a participant of ten lines runs on the wheel alone", () => {
  const folder = join(prefix.folder, "wheel");
  mkdirSync(folder);
  copyFileSync(join(import.meta.dirname, "participant.py"), join(folder, "participant.py"));
  writeFileSync(join(folder, "data.csv"), "value\n3\n3\n");
  writeFileSync(
    join(folder, "plan.yaml"),
    `run: { name: wheel, rounds: 1, seed: 7, dir: run }
local: { participants: 2, command: [${python}, participant.py], dataset: data.csv }
aggregate: { by: coordinator, method: fedavg, format: f32 }
evaluate: { every: 1, on: all }
`,
  );
  tollgate(["train", "run"], { cwd: folder });
  assert.match(readFileSync(join(folder, "run/history.jsonl"), "utf8"), /0\.75/);
});

/** Returns the text that the SDK, installed from the registry, reads from a stream. */
async function streamWithSdk(baseUrl: string, apiKey: string, model: string): Promise<string> {
  const require = createRequire(join(root, "tests/conformance/package.json"));
  const { OpenAI } = require("openai") as { OpenAI: OpenAiClient };
  const stream = await new OpenAI({ baseURL: `${baseUrl}/v1`, apiKey, maxRetries: 0 }).chat.completions.create({
    model,
    messages: [{ role: "user", content: "hello again" }],
    stream: true,
  });
  let text = "";
  for await (const chunk of stream) text += chunk.choices[0]?.delta.content ?? "";
  return text;
}

interface RunOptions {
  readonly cwd?: string;
  readonly env?: NodeJS.ProcessEnv;
  readonly input?: string;
}

/** Runs the installed program, by default in the project's folder, and returns its output. */
function tollgate(args: readonly string[], { cwd = prefix.folder, env = {}, input = "" }: RunOptions = {}): string {
  return execFileSync(join(prefix.folder, "node_modules/.bin/tollgate"), args, {
    cwd,
    env: { ...prefix.env, ...env },
    input,
    stdio: "pipe", // The output of a failed command is part of its error.
    encoding: "utf8",
    timeout: 60_000,
  });
}

const { passed, failed, figures } = report;
console.log(JSON.stringify({ passed, failed, ...figures }));
process.exitCode = failed === 0 ? 0 : 1;
