import { type LibrarySource, librarySource } from "./credential-source.ts";
import { loadLibrary } from "./libraries.ts";

/** The settings that select an Entra identity. If all are null, the library's default chain applies. */
interface EntraSettings {
  readonly tenantId: string | null;
  readonly clientId: string | null;
  readonly clientSecret: string | null;
  /** The service that the token is for, as in `https://cognitiveservices.azure.com/.default`. */
  readonly scope: string;
  /** The URL of the Entra service if `AZURE_AUTHORITY_HOST` isn't set; null for the library's default. */
  readonly authorityHost: string | null;
}

interface TokenCredential {
  getToken(scope: string): Promise<{ readonly token: string; readonly expiresOnTimestamp: number } | null>;
}

/** The part of `@azure/identity` that is used here. */
interface AzureLibrary {
  readonly ClientSecretCredential: new (
    tenantId: string,
    clientId: string,
    clientSecret: string,
    options: { readonly authorityHost?: string },
  ) => TokenCredential;
  readonly DefaultAzureCredential: new (options: {
    readonly tenantId?: string;
    readonly managedIdentityClientId?: string;
    readonly workloadIdentityClientId?: string;
    readonly authorityHost?: string;
  }) => TokenCredential;
}

/** Returns Microsoft Entra access tokens from Microsoft's library. */
export function azureSource(settings: EntraSettings): LibrarySource<string> {
  const { tenantId, clientId, clientSecret, scope } = settings;
  return librarySource("azure", [tenantId, clientId, clientSecret, scope], async () => {
    // A new credential for each renewal, because the library's credentials cache tokens themselves. This doesn't help
    // with managed identities, whose tokens the library caches for the whole process: a token that was rejected before
    // its expiry may be returned again until it expires.
    const credential = credentialOf(loadLibrary<AzureLibrary>("azure"), settings);
    const obtained = await credential.getToken(scope);
    if (obtained === null) throw new Error("the source returned no token");
    return { value: obtained.token, lifetimeMs: obtained.expiresOnTimestamp - Date.now() };
  });
}

function credentialOf(library: AzureLibrary, settings: EntraSettings): TokenCredential {
  const { tenantId, clientId, clientSecret, authorityHost } = settings;
  // The library prefers the option to the variable.
  const authority = authorityHost !== null && !process.env.AZURE_AUTHORITY_HOST ? { authorityHost } : {};
  if (tenantId !== null && clientId !== null && clientSecret !== null)
    return new library.ClientSecretCredential(tenantId, clientId, clientSecret, authority);
  return new library.DefaultAzureCredential({
    ...authority,
    ...(tenantId !== null && { tenantId }),
    ...(clientId !== null && { managedIdentityClientId: clientId, workloadIdentityClientId: clientId }),
  });
}
