import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { parseArgs } from "node:util";
import { describeLitellmFile, formatFileReport } from "@tollgate/runtime/settings/describe-litellm-file.ts";
import { formatProblems } from "@tollgate/runtime/settings/format-problems.ts";
import { type LoadedSettings, loadSettings } from "@tollgate/runtime/settings/load-settings.ts";
import type { OperatorIo } from "../operator-io.ts";

const DEFAULT_FILE = "tollgate.yaml";
const EXIT_OK = 0;
const EXIT_INVALID = 2;

const USAGE = `Validate a settings file and show the effective settings.

  tollgate config check
  tollgate config check --config config.yaml
  tollgate config check --json

  --config FILE   Settings file; repeat for more files, later files take precedence
                  (default: TOLLGATE_CONFIG, then ./${DEFAULT_FILE})
  --json          Print the findings as JSON
`;

/**
 * `tollgate config check`: loads the settings in the same way as a starting server. Exits with 0 if the settings are
 * valid, otherwise with 2.
 */
export async function configCheck(args: readonly string[], io: OperatorIo): Promise<number> {
  const options = readOptions(args);
  if (options.kind === "help") {
    io.stdout.write(USAGE);
    return EXIT_OK;
  }
  if (options.kind === "wrong") {
    io.stderr.write(`✗ ${options.message}\n\n${USAGE}`);
    return EXIT_INVALID;
  }
  const files = options.files.length > 0 ? options.files : findFiles(io);
  const loaded = loadSettings({ files, env: io.env, providers: io.apps.gateway.knownProviders, cwd: io.cwd });
  if (options.json) io.stdout.write(`${JSON.stringify(describeAsData(files, loaded))}\n`);
  else if (loaded.kind === "refused") io.stderr.write(formatProblems(loaded.problems, repeatCommand(options.files)));
  else io.stdout.write(describeAsText(files, loaded));
  return loaded.kind === "loaded" ? EXIT_OK : EXIT_INVALID;
}

type Options =
  | { readonly kind: "check"; readonly files: readonly string[]; readonly json: boolean }
  | { readonly kind: "help" }
  | { readonly kind: "wrong"; readonly message: string };

function readOptions(args: readonly string[]): Options {
  try {
    const { values } = parseArgs({
      args: [...args],
      options: {
        config: { type: "string", multiple: true, default: [] },
        json: { type: "boolean", default: false },
        help: { type: "boolean", short: "h", default: false },
      },
    });
    return values.help ? { kind: "help" } : { kind: "check", files: values.config, json: values.json };
  } catch (error) {
    return { kind: "wrong", message: (error as Error).message };
  }
}

/** Returns the files that a server started without `--config` reads. */
function findFiles({ env, cwd }: OperatorIo): readonly string[] {
  if (env.TOLLGATE_CONFIG) return [env.TOLLGATE_CONFIG];
  return existsSync(resolve(cwd, DEFAULT_FILE)) ? [DEFAULT_FILE] : [];
}

function describeAsText(files: readonly string[], loaded: Extract<LoadedSettings, { kind: "loaded" }>): string {
  if (files.length === 0) return `✓ no ${DEFAULT_FILE} found: all settings use their defaults\n`;
  return formatFileReport(describeLitellmFile(files.join(", "), loaded));
}

function describeAsData(files: readonly string[], loaded: LoadedSettings): unknown {
  const { warnings } = loaded;
  if (loaded.kind === "refused") return { ok: false, files, problems: loaded.problems, warnings };
  const { isLitellm, deployments, groups, sections } = describeLitellmFile(files.join(", "), loaded);
  return { ok: true, files, isLitellm, deployments, groups, sections, problems: [], warnings };
}

function repeatCommand(files: readonly string[]): string {
  return ["tollgate config check", ...files.map((file) => `--config ${file}`)].join(" ");
}
