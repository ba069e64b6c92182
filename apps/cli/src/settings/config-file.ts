import type { TomlTable } from "smol-toml";
import { usageError } from "../cli-error.ts";
import { configPath } from "./config-folder.ts";
import { type SettingName, settingNamed } from "./setting-names.ts";
import { readToml, writeToml } from "./toml-file.ts";

/** The user's configuration file: the default profile and each profile's settings. */
interface ConfigFile {
  readonly path: string;
  readonly profile: string | null;
  readonly profiles: Readonly<Record<string, Readonly<Record<string, string>>>>;
}

/** Reads the user's configuration file; empty if the file doesn't exist. */
export function readConfigFile(env: NodeJS.ProcessEnv): ConfigFile {
  const path = configPath(env);
  const table = readToml(path) ?? {};
  const profiles = Object.entries(tableOf(table.profiles)).map(([name, values]) => {
    const known = Object.entries(tableOf(values)).flatMap(([key, value]) => {
      const setting = settingNamed(key);
      return setting === null ? [] : [[setting, String(value)] as const];
    });
    return [name, Object.fromEntries(known)] as const;
  });
  return {
    path,
    profile: typeof table.profile === "string" ? table.profile : null,
    profiles: Object.fromEntries(profiles),
  };
}

/** Sets one value in a profile; null removes the value. Other values are unchanged. */
export function writeSetting(env: NodeJS.ProcessEnv, profile: string, name: SettingName, value: string | null): void {
  changeConfigFile(env, ({ profiles, ...rest }) => {
    const { [name]: _, ...others } = profiles[profile] ?? {};
    return { ...rest, profiles: { ...profiles, [profile]: value === null ? others : { ...others, [name]: value } } };
  });
}

/** Sets the default profile. */
export function writeDefaultProfile(env: NodeJS.ProcessEnv, profile: string): void {
  changeConfigFile(env, (file) => ({ ...file, profile }));
}

/** Removes a profile's settings. */
export function removeProfile(env: NodeJS.ProcessEnv, profile: string): void {
  changeConfigFile(env, ({ profiles: { [profile]: _, ...profiles }, profile: current, ...rest }) => ({
    ...rest,
    profile: current === profile ? null : current,
    profiles,
  }));
}

/** Returns the value if it is valid for this setting. */
export function checkSetting(name: SettingName, value: string): string {
  if (name === "output" && value !== "table" && value !== "json")
    throw usageError("Setting 'output' must be table or json.");
  if (name === "timeout" && !(Number(value) > 0))
    throw usageError("Setting 'timeout' must be a number of seconds greater than 0.");
  if ((name === "url" || name === "base-url") && !/^https?:\/\/[^/\s]+/.test(value)) {
    throw usageError(`Setting '${name}' must be a URL, such as https://tollgate.example.org.`);
  }
  return value;
}

function changeConfigFile(env: NodeJS.ProcessEnv, change: (file: ConfigFile) => ConfigFile): void {
  const { path, profile, profiles } = change(readConfigFile(env));
  writeToml(path, { ...(profile !== null && { profile }), profiles: { ...profiles } });
}

function tableOf(value: unknown): TomlTable {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as TomlTable) : {};
}
