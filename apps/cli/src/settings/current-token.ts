import { closeSync, mkdirSync, openSync, statSync, unlinkSync } from "node:fs";
import { AuthenticationError } from "@tollgate/sdk/http/api-error.ts";
import type { PlatformClient } from "@tollgate/sdk/platform/platform-client.ts";
import { signInError } from "../cli-error.ts";
import type { Io } from "../io.ts";
import { configFolder, credentialsPath } from "./config-folder.ts";
import { isSamePlace, readCredential, type StoredCredential, writeCredential } from "./credentials.ts";
import type { Settings } from "./settings.ts";

/** The part of a command's context that its token depends on. */
export interface TokenContext {
  readonly io: Pick<Io, "env">;
  readonly settings: Settings;
  readonly url: string;
  environmentToken(): string | null;
  platformAs(token: string | null): PlatformClient;
}

/** Remaining share of a token's lifetime below which the token is renewed. */
const REFRESH_SHARE = 0.2;
/** Age after which a lock is considered abandoned by a dead process. */
const STALE_LOCK_MS = 30_000;

/**
 * Returns the token to send: the token from the environment, or the stored token, which is renewed before it expires.
 */
export async function currentToken(context: TokenContext): Promise<string> {
  const fromEnvironment = context.environmentToken();
  if (fromEnvironment !== null) return fromEnvironment;
  const { env } = context.io;
  const { profile } = context.settings;
  const credential = readCredential(env, profile);
  if (credential === null) throw signInError("You are not signed in.", loginCommand(context));
  refuseOtherServer(context, credential);
  return lifeLeft(credential) > REFRESH_SHARE ? credential.token : (await renew(context, credential)).token;
}

function refuseOtherServer(context: TokenContext, credential: StoredCredential): void {
  if (!isSamePlace(credential.url, context.url)) {
    const message = `You are signed in to ${credential.url}, not to ${context.url}.`;
    throw signInError(message, loginCommand(context));
  }
}

/** Renews the token. If another process is already renewing the token, returns it unchanged. */
export async function renew(context: TokenContext, credential: StoredCredential): Promise<StoredCredential> {
  refuseOtherServer(context, credential);
  const { env } = context.io;
  const { profile } = context.settings;
  const release = takeLock(`${credentialsPath(env)}.lock`, configFolder(env));
  // If two processes renewed the token concurrently, one of them would store an outdated token.
  if (release === null) return credential;
  try {
    const latest = readCredential(env, profile) ?? credential;
    if (latest.token !== credential.token) return latest;
    const { token, expiresAt } = await context.platformAs(latest.token).call("refreshToken");
    const renewed = { ...latest, token, issuedAt: new Date().toISOString(), expiresAt };
    writeCredential(env, profile, renewed);
    return renewed;
  } catch (error) {
    if (!(error instanceof AuthenticationError)) throw error;
    throw signInError("Your session has ended.", loginCommand(context));
  } finally {
    release();
  }
}

function loginCommand({ settings }: TokenContext): string {
  return settings.profile === "default" ? "tollgate login" : `tollgate login --profile ${settings.profile}`;
}

function lifeLeft({ issuedAt, expiresAt }: StoredCredential): number {
  const [from, to] = [Date.parse(issuedAt), Date.parse(expiresAt)];
  return to > from ? (to - Date.now()) / (to - from) : 0;
}

function takeLock(path: string, folder: string): (() => void) | null {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  for (let tries = 0; tries < 2; tries += 1) {
    try {
      closeSync(openSync(path, "wx", 0o600));
      return () => unlinkSync(path);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
      const age = Date.now() - (statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0);
      if (age < STALE_LOCK_MS) return null;
      unlinkSync(path);
    }
  }
  return null;
}
