import type { Secret } from "@tollgate/domain/secret.ts";

/** Keys of an account at an S3-compatible store. */
export interface S3Credentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: Secret;
  readonly sessionToken: Secret | null;
}

/** A source of credentials that may expire. */
export interface S3CredentialSource {
  get(): Promise<S3Credentials>;
  /** Discards credentials that the store refused. */
  discard(credentials: S3Credentials): void;
}

/** Returns a source with credentials that don't expire. */
export function fixedCredentials(credentials: S3Credentials): S3CredentialSource {
  return { get: async () => credentials, discard: () => {} };
}
