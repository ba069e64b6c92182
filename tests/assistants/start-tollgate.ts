import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { findFreePort } from "../../packages/testkit/src/free-port.ts";

const PROGRAM = join(import.meta.dirname, "../../bin/tollgate");
const SETTINGS = `model_list: [{ model_name: "sim/*", litellm_params: { model: "sim/*" } }]
assistants: { slots: 50 }
`;

export interface RunningTollgate {
  readonly url: string;
  stop(): Promise<void>;
}

/** Starts one gateway process and this many workers with a shared database, as in production. */
export async function startTollgate(connectionString: string, workers: number): Promise<RunningTollgate> {
  const folder = await mkdtemp(join(tmpdir(), "tollgate-runs-"));
  const config = join(folder, "tollgate.yaml");
  await writeFile(config, SETTINGS);
  const port = await findFreePort();
  const url = `http://127.0.0.1:${port}`;
  const env = {
    // Pass no other environment variables to the programs under test.
    PATH: process.env.PATH,
    HOME: process.env.HOME,
    HOST: "127.0.0.1",
    PORT: String(port),
    DATABASE_URL: connectionString,
    TOLLGATE_SECRET_KEY: "0123456789abcdef0123456789abcdef",
    TOLLGATE_GATEWAY_URL: url,
    TOLLGATE_JOURNAL_DIR: join(folder, "journal"),
    TOLLGATE_DRAIN_GRACE: "0",
    TOLLGATE_LOG_LEVEL: "warn",
  };
  const serve = async (roles: string): Promise<ChildProcess> => {
    const args = ["serve", "--config", config, "--processes", "1", "--roles", roles, "--json"];
    const child = spawn(PROGRAM, args, { env, stdio: ["ignore", "pipe", "inherit"] });
    process.once("exit", () => child.kill("SIGTERM"));
    await once(child.stdout, "data");
    return child;
  };
  const children = [await serve("gateway")];
  for (let index = 0; index < workers; index += 1) children.push(await serve("worker"));
  return {
    url,
    stop: async () => {
      await Promise.all(
        children.map(async (child) => {
          const exited = once(child, "exit");
          child.kill("SIGTERM");
          await exited;
        }),
      );
      await rm(folder, { recursive: true, force: true });
    },
  };
}
