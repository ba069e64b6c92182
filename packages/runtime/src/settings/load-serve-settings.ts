import { existsSync } from "node:fs";
import { formatProblems } from "./format-problems.ts";
import { loadSettings } from "./load-settings.ts";
import type { Providers } from "./name-provider.ts";
import type { SettingsText } from "./read-files.ts";
import type { Settings } from "./settings.ts";

const DEFAULT_FILE = "tollgate.yaml";

/** Thrown for invalid settings. The message lists the problems and their fixes. */
export class SettingsRefused extends Error {}

/** Returns the settings file that the environment names, or the default file if it exists. */
export function settingsFiles(env: NodeJS.ProcessEnv): readonly string[] {
  if (env.TOLLGATE_CONFIG) return [env.TOLLGATE_CONFIG];
  return existsSync(DEFAULT_FILE) ? [DEFAULT_FILE] : [];
}

/** Loads the settings and warns about each setting that has no effect. Throws `SettingsRefused` with all problems. */
export function loadServeSettings(
  files: readonly (string | SettingsText)[],
  env: NodeJS.ProcessEnv,
  providers: Providers,
  tell: (warning: string) => void = () => {},
): Settings {
  const loaded = loadSettings({ files, env, providers });
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
