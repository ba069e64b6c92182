import { usageError } from "../cli-error.ts";
import { checkSetting, readConfigFile } from "./config-file.ts";
import { readProjectFile } from "./project-file.ts";
import { type SettingName, settingNames } from "./setting-names.ts";

/** Source of a value, highest precedence first. */
type OriginKind = "flag" | "environment" | "project file" | "user file" | "default";

interface SettingValue {
  readonly value: string | null;
  readonly kind: OriginKind;
  /** Description of the source: `--url`, `TOLLGATE_URL`, or a file. */
  readonly origin: string;
}

/** All effective settings with their sources. */
export interface Settings {
  readonly profile: string;
  readonly profileOrigin: string;
  readonly values: Readonly<Record<SettingName, SettingValue>>;
}

const DEFAULT_PROFILE = "default";

/** Loads the settings. Precedence: flags, environment, project file, user file, defaults. */
export function loadSettings(flags: Readonly<Record<string, unknown>>, env: NodeJS.ProcessEnv, cwd: string): Settings {
  const project = readProjectFile(cwd);
  const config = readConfigFile(env);
  const [profile, profileOrigin] = chooseProfile(flags, env, project, config);
  const isNamed = profileOrigin !== "default";
  if (isNamed && profileOrigin !== config.path && profile !== DEFAULT_PROFILE && !(profile in config.profiles)) {
    const known = Object.keys(config.profiles).join(", ");
    const hint = known === "" ? "No profiles exist yet." : `Profiles: ${known}.`;
    // An unknown profile is allowed if a URL is given, because signing in creates the profile.
    if (flags.url === undefined && !env.TOLLGATE_URL) {
      throw usageError(`Unknown profile '${profile}'. ${hint}`, `tollgate login --profile ${profile} --url URL`);
    }
  }
  const own = config.profiles[profile] ?? {};
  const read = (name: SettingName): SettingValue => {
    const { env: variable, fallback } = settingNames[name];
    const flag = flags[name];
    if (flag !== undefined) return { value: String(flag), kind: "flag", origin: `--${name}` };
    if (env[variable]) return { value: env[variable], kind: "environment", origin: variable };
    const shared = project?.values[name];
    if (project !== null && shared !== undefined) return { value: shared, kind: "project file", origin: project.path };
    if (own[name] !== undefined) return { value: own[name], kind: "user file", origin: config.path };
    return { value: fallback, kind: "default", origin: "default" };
  };
  const names = Object.keys(settingNames) as SettingName[];
  const values = Object.fromEntries(names.map((name) => [name, checked(name, read(name))]));
  return { profile, profileOrigin, values: values as Record<SettingName, SettingValue> };
}

function checked(name: SettingName, setting: SettingValue): SettingValue {
  if (setting.value !== null && setting.kind !== "default") checkSetting(name, setting.value);
  return setting;
}

function chooseProfile(
  flags: Readonly<Record<string, unknown>>,
  env: NodeJS.ProcessEnv,
  project: ReturnType<typeof readProjectFile>,
  config: ReturnType<typeof readConfigFile>,
): [string, string] {
  if (flags.profile !== undefined) return [String(flags.profile), "--profile"];
  if (env.TOLLGATE_PROFILE) return [env.TOLLGATE_PROFILE, "TOLLGATE_PROFILE"];
  if (project !== null && project.profile !== null) return [project.profile, project.path];
  if (config.profile !== null) return [config.profile, config.path];
  return [DEFAULT_PROFILE, "default"];
}
