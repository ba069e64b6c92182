import { basename, delimiter, join } from "node:path";
import { findPython } from "./find-python.ts";

interface ParticipantCommand {
  readonly command: readonly string[];
  readonly env: NodeJS.ProcessEnv;
}

const RESOLVE_SDK = join(import.meta.dirname, "resolve-sdk.ts");

/** Resolves a plan's command to a verified interpreter, with the path to the SDK unless the SDK is installed. */
export async function resolveCommand(
  command: readonly string[],
  env: NodeJS.ProcessEnv,
  cwd: string,
): Promise<ParticipantCommand> {
  const [program = "", ...args] = command;
  if (/^python[0-9.]*$/.test(basename(program))) {
    const { executable, modulePath } = await findPython(program, env, cwd);
    if (modulePath === null) return { command: [executable, ...args], env };
    const path = [modulePath, env.PYTHONPATH].filter((entry) => entry).join(delimiter);
    return { command: [executable, ...args], env: { ...env, PYTHONPATH: path } };
  }
  if (program === "node") {
    return { command: [process.execPath, "--import", RESOLVE_SDK, ...args], env };
  }
  return { command, env };
}
