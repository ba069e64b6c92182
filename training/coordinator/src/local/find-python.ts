import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { LocalSetupError } from "./local-setup-error.ts";

interface Python {
  readonly executable: string;
  /** Folders to add to the module search path, if the package is not installed. */
  readonly modulePath: string | null;
}

const SDK_SOURCE = join(import.meta.dirname, "../../../participant-python/src");
const LOOK_LIMIT_MS = 20_000;
const PROBE = `import importlib.util, json, sys
print(json.dumps([sys.executable, list(sys.version_info[:2]), importlib.util.find_spec("tollgate_participant") is not None]))`;

/**
 * Finds a Python interpreter for the plan that can run a participant. Throws an error that says what is missing and how
 * to fix it.
 */
export async function findPython(name: string, env: NodeJS.ProcessEnv, cwd: string): Promise<Python> {
  const names = name === "python" || name === "python3" ? ["python3", "python"] : [name];
  let tooOld: string | null = null;
  for (const candidate of names) {
    const found = await probe(candidate, env, cwd);
    if (found === null) continue;
    const [executable, [major, minor], hasSdk] = found;
    if (major < 3 || (major === 3 && minor < 9)) {
      tooOld ??= `${candidate} is Python ${major}.${minor}`;
      continue;
    }
    if (hasSdk) return { executable, modulePath: null };
    if (existsSync(SDK_SOURCE)) return { executable, modulePath: SDK_SOURCE };
    throw new LocalSetupError(
      `The package tollgate_participant is not installed for ${executable}.`,
      `${executable} -m pip install tollgate-participant`,
    );
  }
  throw new LocalSetupError(
    tooOld === null
      ? `This project's participants are Python programs, but '${name}' is not installed on this computer.`
      : `The participants require Python 3.9 or later, but ${tooOld}.`,
    "Install Python 3.9 or later, or create a TypeScript project: tollgate train new <name> --language typescript",
  );
}

type Probe = [executable: string, version: [major: number, minor: number], hasSdk: boolean];

function probe(name: string, env: NodeJS.ProcessEnv, cwd: string): Promise<Probe | null> {
  const { promise, resolve } = Promise.withResolvers<Probe | null>();
  execFile(name, ["-c", PROBE], { env, cwd, timeout: LOOK_LIMIT_MS }, (error, stdout) => {
    try {
      resolve(error === null ? (JSON.parse(stdout) as Probe) : null);
    } catch {
      resolve(null);
    }
  });
  return promise;
}
