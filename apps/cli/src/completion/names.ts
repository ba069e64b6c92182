import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { PlatformClient } from "@tollgate/sdk/platform/platform-client.ts";
import type { NameKind } from "../command.ts";
import type { Io } from "../io.ts";
import { cachePath, configFolder } from "../settings/config-folder.ts";
import { isSamePlace, readCredential } from "../settings/credentials.ts";
import { loadSettings } from "../settings/settings.ts";

/** Maximum time to wait for names. The user is waiting at a prompt. */
const LIMIT_MS = 300;
const FRESH_MS = 60_000;
const PAGE = 100;

interface CachedNames {
  readonly at: number;
  readonly names: readonly string[];
}

/**
 * Returns the names of this object type, at most a minute old. Returns an empty list if the names can't be loaded in
 * time.
 */
export async function namesFor(kind: NameKind, io: Io): Promise<readonly string[]> {
  try {
    const { profile, values } = loadSettings({}, io.env, io.cwd);
    const url = values.url.value as string;
    const key = `${profile} ${url} ${values.org.value ?? ""} ${kind}`;
    const cache = readCache(io.env);
    const cached = cache[key];
    if (cached !== undefined && Date.now() - cached.at < FRESH_MS) return cached.names;
    const credential = readCredential(io.env, profile);
    const isUsable = credential !== null && isSamePlace(credential.url, url);
    if (!isUsable && kind !== "models") return [];
    const { value: org } = values.org;
    const platform = new PlatformClient({
      platformUrl: url,
      token: isUsable ? credential.token : null,
      ...(org?.startsWith("org_") === true && { organizationId: org }),
      timeoutMs: LIMIT_MS,
      retries: 0,
    });
    const names = await lists[kind](platform);
    writeCache(io.env, { ...cache, [key]: { at: Date.now(), names } });
    return names;
  } catch {
    return [];
  }
}

const query = { pageSize: PAGE };
const lists: Readonly<Record<NameKind, (platform: PlatformClient) => Promise<string[]>>> = {
  keys: async (platform) => (await platform.call("listApiKeys", { query })).data.map(({ name }) => name),
  teams: async (platform) => (await platform.call("listTeams", { query })).data.map(({ name }) => name),
  orgs: async (platform) => (await platform.call("listOrganizations", { query })).data.map(({ name }) => name),
  models: async (platform) => (await platform.call("listModels", { query })).data.map(({ id }) => id),
};

function readCache(env: NodeJS.ProcessEnv): Record<string, CachedNames> {
  try {
    return JSON.parse(readFileSync(cachePath(env), "utf8")) as Record<string, CachedNames>;
  } catch {
    return {};
  }
}

function writeCache(env: NodeJS.ProcessEnv, cache: Record<string, CachedNames>): void {
  const fresh = Object.entries(cache).filter(([, { at }]) => Date.now() - at < FRESH_MS);
  mkdirSync(configFolder(env), { recursive: true, mode: 0o700 });
  writeFileSync(cachePath(env), JSON.stringify(Object.fromEntries(fresh)), { mode: 0o600 });
}
