import { Secret } from "@tollgate/domain/secret.ts";

interface RedisParts {
  readonly url: Secret | null;
  readonly host: string | null;
  readonly port: number | null;
  readonly password: Secret | null;
  readonly db: number | null;
}

const DEFAULT_PORT = 6379;

/** Builds one URL from the Redis settings, or returns null if no Redis settings exist. */
export function redisUrl({ url, host, port, password, db }: RedisParts): Secret | null {
  if (url !== null) return url;
  if (host === null) return null;
  const userInfo = password === null ? "" : `:${encodeURIComponent(password.reveal())}@`;
  return new Secret(`redis://${userInfo}${host}:${port ?? DEFAULT_PORT}${db === null ? "" : `/${db}`}`);
}
