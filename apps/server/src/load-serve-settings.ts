import { existsSync } from "node:fs";
import { formatProblems } from "@tollgate/runtime/settings/format-problems.ts";
import { loadSettings } from "@tollgate/runtime/settings/load-settings.ts";
import type { SettingsText } from "@tollgate/runtime/settings/read-files.ts";
import type { Settings } from "@tollgate/runtime/settings/settings.ts";
import { knownProviders } from "./commands/known-providers.ts";

const DEFAULT_FILE = "tollgate.yaml";

/** Settings that cannot be used, with the text that says why and how to mend them. */
export class SettingsRefused extends Error {}

/** The files named in the environment, or the usual one when it exists. */
export function settingsFiles(env: NodeJS.ProcessEnv): readonly string[] {
  if (env.TOLLGATE_CONFIG) return [env.TOLLGATE_CONFIG];
  return existsSync(DEFAULT_FILE) ? [DEFAULT_FILE] : [];
}

/** Settings ready to serve with; what they say in vain is told, a line each. Throws `SettingsRefused` with every problem. */
export function loadServeSettings(
  files: readonly (string | SettingsText)[],
  env: NodeJS.ProcessEnv,
  tell: (warning: string) => void = () => {},
): Settings {
  const loaded = loadSettings({ files, env, providers: knownProviders });
  if (loaded.kind === "refused") {
    const named = files.find((file) => typeof file === "string");
    const command = `tollgate config check${named === undefined || named === DEFAULT_FILE ? "" : ` --config ${named}`}`;
    throw new SettingsRefused(formatProblems(loaded.problems, command));
  }
  for (const { file, line, message, suggestion } of loaded.warnings) {
    tell(`${file}:${line} ${message}${suggestion === undefined ? "" : `: ${suggestion}`}`);
  }
  return loaded.settings;
}
