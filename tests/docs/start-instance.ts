import { type ChildProcess, spawn } from "node:child_process";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";

const root = join(import.meta.dirname, "../..");
const START_LIMIT_MS = 60_000;

export interface Instance {
  /** Environment of a reader who has followed the quickstart: URL, key, session, and programs. */
  readonly environment: Readonly<Record<string, string>>;
  readonly dataFolder: string;
  stop(): Promise<void>;
}

interface Announced {
  readonly baseUrl: string;
  readonly apiKey: string;
  readonly masterKey: string;
  readonly admin: { readonly email: string; readonly password: string };
}

/** Starts one `tollgate dev` instance for all pages, with simulated models and payments. */
export async function startInstance(
  work: string,
  pythonFolder: string | null,
  settings: readonly string[],
): Promise<Instance> {
  const dataFolder = join(work, "data");
  linkModules(join(work, "node_modules"));
  const base = {
    PATH: [pythonFolder, join(root, "bin"), dirname(process.execPath), process.env.PATH].filter(Boolean).join(":"),
    HOME: join(work, "home"),
    LANG: "C.UTF-8",
    // Hide warnings that a slow machine causes, because they would obscure a page's errors.
    TOLLGATE_LOG_LEVEL: "error",
    PYTHONPATH: join(root, "training/participant-python/src"),
  };
  mkdirSync(base.HOME);
  const dev = spawn(
    join(root, "bin/tollgate"),
    ["dev", "--json", "--port", "0", "--data", dataFolder, "--config", writeSettings(work, settings)],
    {
      cwd: work,
      env: base,
      stdio: ["ignore", "pipe", "inherit"],
    },
  );
  const stop = async (): Promise<void> => {
    if (dev.exitCode !== null) return;
    dev.kill("SIGTERM");
    await new Promise((resolve) => dev.once("close", resolve));
  };
  const announced = await readAnnounced(dev);
  const token = await signIn(announced).catch(async (error: unknown) => {
    await stop();
    throw error;
  });
  const { baseUrl: url, apiKey, masterKey } = announced;
  return {
    dataFolder,
    environment: {
      ...base,
      URL: url,
      KEY: apiKey,
      TOLLGATE_URL: url,
      TOLLGATE_API_KEY: apiKey,
      TOLLGATE_TOKEN: token,
      MASTER_KEY: masterKey,
      OPENAI_BASE_URL: `${url}/v1`,
      OPENAI_API_KEY: apiKey,
      ANTHROPIC_BASE_URL: url,
      ANTHROPIC_API_KEY: apiKey,
    },
    stop,
  };
}

/** Writes one settings file that includes the settings of every page. */
function writeSettings(work: string, settings: readonly string[]): string {
  const names = settings.map((text, index) => {
    writeFileSync(join(work, `settings-${index}.yaml`), text);
    return `settings-${index}.yaml`;
  });
  writeFileSync(join(work, "tollgate.yaml"), `include: ${JSON.stringify(names)}\n`);
  return join(work, "tollgate.yaml");
}

async function readAnnounced(dev: ChildProcess): Promise<Announced> {
  const timer = setTimeout(() => dev.kill("SIGKILL"), START_LIMIT_MS);
  try {
    for await (const line of createInterface({ input: dev.stdout as NodeJS.ReadableStream })) {
      if (line.startsWith("{")) return JSON.parse(line) as Announced;
    }
  } finally {
    clearTimeout(timer);
  }
  throw new Error("tollgate dev ended before it was ready");
}

async function signIn({ baseUrl, admin }: Announced): Promise<string> {
  const answer = await fetch(`${baseUrl}/api/auth/token`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(admin),
  });
  if (!answer.ok) throw new Error(`signing in was answered ${answer.status}: ${await answer.text()}`);
  return ((await answer.json()) as { token: string }).token;
}

/** Makes the modules that pages import available, as if the reader had installed them. */
function linkModules(folder: string): void {
  for (const [name, from] of Object.entries({
    openai: "tests/conformance/node_modules/openai",
    "@anthropic-ai/sdk": "tests/conformance/node_modules/@anthropic-ai/sdk",
    "@tollgate/sdk": "examples/node_modules/@tollgate/sdk",
  })) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    symlinkSync(join(root, from), join(folder, name));
  }
}
