import { randomUUID } from "node:crypto";
import { decodeBase64url } from "@tollgate/domain/identity/base64url.ts";
import { errors, importJWK, type JWK, type JWTPayload, jwtVerify, SignJWT } from "jose";
import type { InternalClaims, IssuedToken, ReadToken, SessionClaims, TokenIssuer } from "../identity/token-issuer.ts";

/** A key pair for signing tokens. */
export interface SigningKey {
  readonly kid: string;
  readonly publicKey: JWK;
  readonly privateKey: JWK;
}

/** The current signing key and all verification keys. */
export interface SigningKeys {
  current(): Promise<SigningKey>;
  find(kid: string): Promise<Pick<SigningKey, "kid" | "publicKey"> | null>;
}

const ALGORITHM = "EdDSA";
const ISSUER = "tollgate";
const MANAGEMENT = "management";
const INTERNAL_TTL_SECONDS = 60;
/** Maximum lifetime of a valid token. `auth.tokenTtl` can't be set higher. */
const MAX_LIFE_SECONDS = 7 * 24 * 3_600;
const CLOCK_SKEW_SECONDS = 5;

/** Signs tokens with Ed25519. Algorithm, type, issuer, and audience are fixed here and never taken from a token. */
export function createTokenIssuer(keys: SigningKeys, ttlSeconds: () => number, now: () => Date): TokenIssuer {
  const sign = async (payload: JWTPayload, audience: string, type: string, expiresAt: Date): Promise<string> => {
    const key = await keys.current();
    return new SignJWT(payload)
      .setProtectedHeader({ alg: ALGORITHM, kid: key.kid, typ: type })
      .setIssuer(ISSUER)
      .setAudience(audience)
      .setIssuedAt(toSeconds(now()))
      .setExpirationTime(toSeconds(expiresAt))
      .sign(await importKey(key.privateKey));
  };
  return {
    issue: async (claims: SessionClaims): Promise<IssuedToken> => {
      const expiresAt = new Date((toSeconds(now()) + ttlSeconds()) * 1_000);
      const payload = { sub: String(claims.userId), sid: claims.sessionId, jti: claims.jti, role: claims.role };
      return { token: await sign(payload, MANAGEMENT, "JWT", expiresAt), expiresAt };
    },
    read: async (token: string): Promise<ReadToken> => {
      if (!token.split(".").every((part) => decodeBase64url(part) !== null)) return { kind: "invalid" };
      try {
        const { payload } = await jwtVerify(token, async ({ kid }) => publicKeyOf(keys, kid), {
          algorithms: [ALGORITHM],
          typ: "JWT",
          issuer: ISSUER,
          audience: MANAGEMENT,
          currentDate: now(),
          requiredClaims: ["sub", "sid", "jti", "role", "iat", "exp"],
        });
        return toRead("valid", payload, now());
      } catch (error) {
        // The signature is checked before the expiry, so an expired token is known to be authentic.
        if (error instanceof errors.JWTExpired) return toRead("expired", error.payload, now());
        if (error instanceof errors.JOSEError || error instanceof UnknownKey || error instanceof TypeError) {
          return { kind: "invalid" };
        }
        throw error;
      }
    },
    issueInternal: (claims: InternalClaims): Promise<string> => {
      const expiresAt = new Date(now().getTime() + INTERNAL_TTL_SECONDS * 1_000);
      const payload = { sub: claims.keyId, purpose: claims.purpose, jti: randomUUID() };
      return sign(payload, claims.audience, "internal+jwt", expiresAt);
    },
  };
}

class UnknownKey extends Error {}

async function publicKeyOf(keys: SigningKeys, kid: string | undefined) {
  const key = kid === undefined ? null : await keys.find(kid);
  if (key === null) throw new UnknownKey("unknown signing key");
  return importKey(key.publicKey);
}

const imported = new WeakMap<JWK, ReturnType<typeof importJWK>>();

/** Imports a key for signing or verifying. Imported keys are cached until the keys are reloaded. */
function importKey(key: JWK): ReturnType<typeof importJWK> {
  const known = imported.get(key) ?? importJWK(key, ALGORITHM);
  imported.set(key, known);
  return known;
}

function toRead(kind: "valid" | "expired", payload: JWTPayload, now: Date): ReadToken {
  const { sub, sid, jti, role, exp, iat, aud } = payload;
  if (typeof sub !== "string" || !/^[1-9]\d{0,9}$/.test(sub)) return { kind: "invalid" };
  if (typeof sid !== "string" || typeof jti !== "string" || typeof role !== "string") return { kind: "invalid" };
  if (typeof exp !== "number" || typeof iat !== "number") return { kind: "invalid" };
  if (iat > toSeconds(now) + CLOCK_SKEW_SECONDS || exp - iat > MAX_LIFE_SECONDS) return { kind: "invalid" };
  // Reject a token with a list of audiences, because it would also be valid for other services.
  if (aud !== MANAGEMENT) return { kind: "invalid" };
  return { kind, claims: { userId: Number(sub), sessionId: sid, jti, role }, expiresAt: new Date(exp * 1_000) };
}

const toSeconds = (at: Date): number => Math.floor(at.getTime() / 1_000);
