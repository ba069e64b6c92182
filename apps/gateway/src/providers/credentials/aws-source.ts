import { readFile } from "node:fs/promises";
import type { AwsCredentials } from "@tollgate/domain/network/aws-request-signer.ts";
import { type LibrarySource, librarySource } from "./credential-source.ts";
import { loadLibrary } from "./libraries.ts";

/** Name of the session if the settings have none. It appears in AWS CloudTrail. */
const DEFAULT_SESSION_NAME = "tollgate";
/** Lifetime of keys that don't expire. They are read again after this time, in case they were rotated. */
const DEFAULT_LIFETIME_MS = 60 * 60_000;
/** Prefix of a web identity token that is read from a file at each renewal (same as LiteLLM). */
const FROM_FILE = "oidc/file/";

/** The settings that select AWS credentials. If all are null, the library's default chain applies. */
interface AwsSettings {
  readonly role: string | null;
  readonly sessionName: string | null;
  readonly webIdentityToken: string | null;
  readonly profile: string | null;
  /** Keys that may assume the role. */
  readonly keys: AwsCredentials | null;
  /** The region whose security token service is used. */
  readonly region: string;
}

interface LibraryCredentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string | undefined;
  readonly expiration?: Date | undefined;
}

type LibraryProvider = () => Promise<LibraryCredentials>;

/** The part of `@aws-sdk/credential-providers` that is used here. */
interface AwsLibrary {
  fromNodeProviderChain(init: {
    readonly profile?: string;
    readonly clientConfig: { readonly region: string };
  }): LibraryProvider;
  fromTemporaryCredentials(init: {
    readonly params: { readonly RoleArn: string; readonly RoleSessionName: string };
    readonly masterCredentials: LibraryProvider | LibraryCredentials;
    readonly clientConfig: { readonly region: string };
  }): LibraryProvider;
  fromWebToken(init: {
    readonly roleArn: string;
    readonly roleSessionName: string;
    readonly webIdentityToken: string;
    readonly clientConfig: { readonly region: string };
  }): LibraryProvider;
}

/** Returns AWS keys from Amazon's library. `build` converts them to the value that requests need. */
export function awsSource<Value>(settings: AwsSettings, build: (keys: AwsCredentials) => Value): LibrarySource<Value> {
  const { role, sessionName, webIdentityToken, profile, keys, region } = settings;
  const identity = [role, sessionName, webIdentityToken, profile, JSON.stringify(keys), region];
  return librarySource("aws", identity, async () => {
    // A new provider for each renewal, because the library's providers cache credentials themselves.
    const provider = await providerOf(loadLibrary<AwsLibrary>("aws"), settings);
    const { accessKeyId, secretAccessKey, sessionToken, expiration } = await provider();
    return {
      value: build({ accessKeyId, secretAccessKey, sessionToken: sessionToken ?? null }),
      lifetimeMs: expiration === undefined ? DEFAULT_LIFETIME_MS : expiration.getTime() - Date.now(),
    };
  });
}

async function providerOf(library: AwsLibrary, settings: AwsSettings): Promise<LibraryProvider> {
  const { role, webIdentityToken, profile, keys } = settings;
  const clientConfig = { region: settings.region };
  const chain = () => library.fromNodeProviderChain({ ...(profile !== null && { profile }), clientConfig });
  if (role === null) return chain();
  const session = settings.sessionName ?? DEFAULT_SESSION_NAME;
  if (webIdentityToken !== null) {
    const token = await readToken(webIdentityToken);
    return library.fromWebToken({ roleArn: role, roleSessionName: session, webIdentityToken: token, clientConfig });
  }
  return library.fromTemporaryCredentials({
    params: { RoleArn: role, RoleSessionName: session },
    masterCredentials:
      keys === null || profile !== null ? chain() : { ...keys, sessionToken: keys.sessionToken ?? undefined },
    clientConfig,
  });
}

async function readToken(written: string): Promise<string> {
  if (!written.startsWith(FROM_FILE)) return written;
  return (await readFile(written.slice(FROM_FILE.length), "utf8")).trim();
}
