import { homedir } from "node:os";
import { join } from "node:path";

/** Returns the folder that contains the user's configuration files. */
export function configFolder(env: NodeJS.ProcessEnv, platform: NodeJS.Platform = process.platform): string {
  if (env.TOLLGATE_CONFIG_DIR) return env.TOLLGATE_CONFIG_DIR;
  if (platform === "win32" && env.APPDATA) return join(env.APPDATA, "tollgate");
  return join(env.XDG_CONFIG_HOME || join(env.HOME || homedir(), ".config"), "tollgate");
}

/** Returns the path of the file that stores each profile's settings. */
export const configPath = (env: NodeJS.ProcessEnv) => join(configFolder(env), "config.toml");
/** Returns the path of the file that stores tokens and keys. Only the file's owner can read it. */
export const credentialsPath = (env: NodeJS.ProcessEnv) => join(configFolder(env), "credentials.toml");
/** Returns the path of the file that caches names for completion. */
export const cachePath = (env: NodeJS.ProcessEnv) => join(configFolder(env), "completion-cache.json");
