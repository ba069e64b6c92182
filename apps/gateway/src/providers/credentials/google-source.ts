import { type LibrarySource, librarySource } from "./credential-source.ts";
import { loadLibrary } from "./libraries.ts";

const SCOPE = "https://www.googleapis.com/auth/cloud-platform";
/** Lifetime of a token whose source doesn't state one. */
const DEFAULT_LIFETIME_MS = 10 * 60_000;

/** An access token and the project that it belongs to. */
export interface GoogleToken {
  readonly token: string;
  /** The project's ID, or an empty string if the settings or the document contain it. */
  readonly project: string;
}

/** The part of `google-auth-library` that is used here. */
interface GoogleLibrary {
  readonly GoogleAuth: new (options: {
    readonly scopes: readonly string[];
    readonly credentials?: object;
  }) => {
    getClient(): Promise<{
      getAccessToken(): Promise<{ readonly token?: string | null }>;
      readonly credentials: { readonly expiry_date?: number | null };
    }>;
    getProjectId(): Promise<string>;
  };
}

/**
 * Returns access tokens from Google's library. `credentials` is a JSON document of a kind that only the library
 * supports; null for the application default credentials, which include the metadata server. `needsProject` is true if
 * neither the settings nor the document contains the project.
 */
export function googleSource(credentials: string | null, needsProject: boolean): LibrarySource<GoogleToken> {
  return librarySource("google", [credentials, String(needsProject)], async () => {
    const { GoogleAuth } = loadLibrary<GoogleLibrary>("google");
    // A new client for each renewal, because the library's clients cache tokens themselves.
    const auth = new GoogleAuth({
      scopes: [SCOPE],
      ...(credentials !== null && { credentials: JSON.parse(credentials) as object }),
    });
    const client = await auth.getClient();
    const { token } = await client.getAccessToken();
    if (typeof token !== "string" || !/^[\x21-\x7e]+$/.test(token)) throw new Error("the source returned no token");
    const endsAtMs = client.credentials.expiry_date ?? Date.now() + DEFAULT_LIFETIME_MS;
    const project = needsProject ? encodeURIComponent(await auth.getProjectId()) : "";
    return { value: { token, project }, lifetimeMs: endsAtMs - Date.now() };
  });
}
