import { existsSync } from "node:fs";
import { join } from "node:path";
import { commandGroups } from "@tollgate/cli/command-groups.ts";
import { clientChecks } from "@tollgate/cli/commands/account/doctor/client-checks.ts";
import { runCli } from "@tollgate/cli/run-cli.ts";
import { doctor } from "@tollgate/operate/doctor/doctor.ts";
import type { OperatorIo } from "@tollgate/operate/operator-io.ts";
import manifest from "../../package.json" with { type: "json" };

/** `tollgate doctor`: checks the local installation or, if there is none, the connection to a remote server. */
export async function doctorHere(args: readonly string[], io: OperatorIo): Promise<number> {
  if (isInstallation(args, io)) return doctor(args, io);
  return runCli(["doctor", "client", ...args], io, { groups: commandGroups, version: manifest.version });
}

function isInstallation(args: readonly string[], { env, cwd }: OperatorIo): boolean {
  if (env.TOLLGATE_CONFIG || env.DATABASE_URL) return true;
  if (["tollgate.yaml", ".tollgate"].some((name) => existsSync(join(cwd, name)))) return true;
  const clientFlags = args.every((word) => /^--(?:json|no-color|only)\b/.test(word) || isClientCheck(word));
  return !clientFlags;
}

function isClientCheck(word: string): boolean {
  return word.split(",").every((name) => name in clientChecks);
}
