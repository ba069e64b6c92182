import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { convertLitellmFile } from "@tollgate/runtime/settings/convert-litellm-file.ts";
import { formatProblems } from "@tollgate/runtime/settings/format-problems.ts";
import { loadSettings } from "@tollgate/runtime/settings/load-settings.ts";
import type { OperatorIo } from "../operator-io.ts";

const EXIT_OK = 0;
const EXIT_INVALID = 2;

const USAGE = `Convert a LiteLLM settings file to Tollgate's format.

  tollgate config convert config.yaml > tollgate.yaml

Prints the converted file. The original file is not changed.
`;

/**
 * `tollgate config convert FILE`: prints a LiteLLM config in Tollgate's format. Exits with 2 if the config is invalid.
 */
export async function configConvert(args: readonly string[], io: OperatorIo): Promise<number> {
  if (args.includes("--help") || args.includes("-h")) {
    io.stdout.write(USAGE);
    return EXIT_OK;
  }
  const [file, ...rest] = args;
  if (file === undefined || file.startsWith("-") || rest.length > 0) {
    io.stderr.write("✗ Specify one file:  tollgate config convert config.yaml > tollgate.yaml\n");
    return EXIT_INVALID;
  }
  const loaded = loadSettings({ files: [file], env: io.env, providers: io.apps.gateway.knownProviders, cwd: io.cwd });
  if (loaded.kind === "refused") {
    io.stderr.write(formatProblems(loaded.problems, `tollgate config check --config ${file}`));
    return EXIT_INVALID;
  }
  const own = loaded.warnings.filter((warning) => warning.file === file);
  io.stdout.write(convertLitellmFile(readFileSync(resolve(io.cwd, file), "utf8"), own));
  return EXIT_OK;
}
