import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { type DevReady, startDev } from "../../packages/testkit/src/processes/start-instance.ts";

const root = join(import.meta.dirname, "../..");

export interface Instance {
  /** Environment of a reader who has followed the quickstart: URL, key, session, and programs. */
  readonly environment: Readonly<Record<string, string>>;
  readonly dataFolder: string;
  stop(): Promise<void>;
}

/** Starts one `tollgate dev` instance for all pages, with simulated models and payments. */
export async function startInstance(
  work: string,
  pythonFolder: string | null,
  settings: readonly string[],
): Promise<Instance> {
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
  const dev = await startDev({ folder: work, settings: writeSettings(work, settings), env: base });
  const stop = async () => {
    await dev.stop();
  };
  const token = await signIn(dev).catch(async (error: unknown) => {
    await stop();
    throw error;
  });
  const { baseUrl: url, apiKey, masterKey } = dev;
  return {
    dataFolder: dev.dataDir,
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

/** Writes the settings of every page to a file each, and returns settings that include them all. */
function writeSettings(work: string, settings: readonly string[]): string {
  const names = settings.map((text, index) => {
    writeFileSync(join(work, `settings-${index}.yaml`), text);
    return `settings-${index}.yaml`;
  });
  return `include: ${JSON.stringify(names)}\n`;
}

async function signIn({ baseUrl, admin }: DevReady): Promise<string> {
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
