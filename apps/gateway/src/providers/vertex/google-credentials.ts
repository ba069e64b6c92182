import { createSign } from "node:crypto";
import { Secret } from "@tollgate/domain/secret.ts";
import type { TargetSettings } from "../../call/provider.ts";
import type { LibrarySource } from "../credentials/credential-source.ts";
import { type GoogleToken, googleSource } from "../credentials/google-source.ts";

const DEFAULT_TOKEN_ADDRESS = "https://oauth2.googleapis.com/token";
const SCOPE = "https://www.googleapis.com/auth/cloud-platform";
const LIFETIME_SECONDS = 3_600;

/** Credentials of a service account or a signed-in user, which can obtain Google access tokens. */
export interface GoogleCredentials {
  readonly project: string | null;
  /** The token endpoint. */
  readonly tokenAddress: URL;
  /** Returns the token request as a form body. Throws if the credentials are invalid. */
  tokenRequest(nowMs: number): string;
}

/**
 * Returns a deployment's credentials, or null if the deployment has none. Throws if the credentials can't be parsed.
 */
export function readGoogleCredentials(target: Pick<TargetSettings, "apiKey" | "options">): GoogleCredentials | null {
  const text = credentialText(target);
  if (text === null) return null;
  const parsed = JSON.parse(text) as Readonly<Record<string, unknown>>;
  const tokenAddress = new URL(stringIn(parsed, "token_uri") ?? DEFAULT_TOKEN_ADDRESS);
  const project = stringIn(parsed, "project_id") ?? stringIn(parsed, "quota_project_id");
  return {
    project,
    tokenAddress,
    tokenRequest: (nowMs) =>
      parsed.type === "authorized_user" ? refreshRequest(parsed) : assertionRequest(parsed, tokenAddress, nowMs),
  };
}

/**
 * Returns the credentials as text. An API key that contains a service account as JSON counts as credentials, because
 * some tools have no other field for a service account.
 */
export function credentialText({ apiKey, options }: Pick<TargetSettings, "apiKey" | "options">): string | null {
  const given = options.vertex_credentials;
  const text = given instanceof Secret ? given.reveal() : (given ?? "");
  if (text !== "") return text;
  const key = apiKey?.reveal() ?? "";
  return key.trimStart().startsWith("{") ? key : null;
}

/** Kinds of credentials that only Google's library supports: federated identities and impersonated accounts. */
const onlyInLibrary: ReadonlySet<unknown> = new Set([
  "external_account",
  "external_account_authorized_user",
  "impersonated_service_account",
]);

/**
 * Returns the source of a deployment's tokens in Google's library, or null if the gateway requests the tokens itself. A
 * document from the database is never passed to the library, because it can name files and commands.
 */
export function vertexCredentialSource(target: TargetSettings): LibrarySource<GoogleToken> | null {
  if (target.fileModelName == null) return null;
  const text = credentialText(target);
  const needsProject = projectOf(target) === "";
  if (text === null) return target.apiKey === null ? googleSource(null, needsProject) : null;
  return onlyInLibrary.has(kindOf(text)) ? googleSource(text, needsProject) : null;
}

/** Returns the project from the settings or from the credentials, or an empty string if neither contains it. */
export function projectOf(target: Pick<TargetSettings, "apiKey" | "options">): string {
  const { vertex_project: named } = target.options;
  if (typeof named === "string") return named;
  try {
    return readGoogleCredentials(target)?.project ?? "";
  } catch {
    // The project doesn't matter, because calls with invalid credentials are never sent.
    return "";
  }
}

function kindOf(text: string): unknown {
  try {
    return (JSON.parse(text) as { readonly type?: unknown } | null)?.type;
  } catch {
    return null;
  }
}

/** Builds a service account's token request, which contains a signed assertion. */
function assertionRequest(account: Readonly<Record<string, unknown>>, audience: URL, nowMs: number): string {
  const nowSeconds = Math.floor(nowMs / 1_000);
  const header = { alg: "RS256", typ: "JWT", kid: stringIn(account, "private_key_id") ?? undefined };
  const claims = {
    iss: required(account, "client_email"),
    scope: SCOPE,
    aud: audience.href,
    iat: nowSeconds,
    exp: nowSeconds + LIFETIME_SECONDS,
  };
  const signed = `${base64(JSON.stringify(header))}.${base64(JSON.stringify(claims))}`;
  const signature = createSign("RSA-SHA256").update(signed).sign(required(account, "private_key"), "base64url");
  return new URLSearchParams({
    grant_type: "urn:ietf:params:oauth:grant-type:jwt-bearer",
    assertion: `${signed}.${signature}`,
  }).toString();
}

function refreshRequest(person: Readonly<Record<string, unknown>>): string {
  return new URLSearchParams({
    grant_type: "refresh_token",
    client_id: required(person, "client_id"),
    client_secret: required(person, "client_secret"),
    refresh_token: required(person, "refresh_token"),
  }).toString();
}

function required(credentials: Readonly<Record<string, unknown>>, name: string): string {
  const value = stringIn(credentials, name);
  if (value === null) throw new Error(`the Google credentials have no ${name}`);
  return value;
}

function stringIn(credentials: Readonly<Record<string, unknown>>, name: string): string | null {
  const value = credentials[name];
  return typeof value === "string" && value !== "" ? value : null;
}

function base64(text: string): string {
  return Buffer.from(text, "utf8").toString("base64url");
}
