import { execFile } from "node:child_process";
import { access, mkdir, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import type { CodingAgent } from "./coding-agent.ts";

const INSTALL_LIMIT_MS = 300_000;

/** Returns the folder with the agent's program, installed once per version; null if the registry is unreachable. */
export async function installAgent(agent: CodingAgent): Promise<string | null> {
  const folder = join(tmpdir(), "tollgate-coding-agents", `${agent.name}-${agent.version}`);
  const programs = join(folder, "node_modules/.bin");
  if (await exists(join(programs, agent.name))) return programs;
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, "package.json"), JSON.stringify({ private: true }));
  const args = ["install", "--no-audit", "--no-fund", `${agent.package}@${agent.version}`];
  try {
    await promisify(execFile)("npm", args, { cwd: folder, timeout: INSTALL_LIMIT_MS });
  } catch (error) {
    process.stdout.write(`  ${agent.package} cannot be installed here: ${String(error).split("\n")[0]}\n`);
    return null;
  }
  return (await exists(join(programs, agent.name))) ? programs : null;
}

async function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
