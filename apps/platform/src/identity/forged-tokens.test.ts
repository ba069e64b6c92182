import { createHmac, createPrivateKey, generateKeyPairSync, type KeyObject, sign } from "node:crypto";
import { listSigningKeys } from "@tollgate/db/accounts/signing-keys.ts";
import { test } from "@tollgate/testkit/test.ts";
import { expect } from "vitest";
import { signingKeyPurpose } from "../adapters/database-signing-keys.ts";
import type { TestPlatform } from "../platform.fixture.ts";
import { signUpUser, startIdentity, whoAmI } from "./identity.fixture.ts";

type Json = Readonly<Record<string, unknown>>;

/** A decoded valid token, its signing key, and functions to build tokens from changed parts. */
interface Workshop {
  readonly platform: TestPlatform;
  readonly token: string;
  readonly header: Json;
  readonly claims: Json;
  readonly publicJwk: Json;
  readonly privateKey: KeyObject;
  /** Signs a token with these parts changed. A value of undefined removes the field. */
  make(header?: Json, claims?: Json, key?: KeyObject): string;
}

const encode = (value: unknown): string =>
  Buffer.from(typeof value === "string" ? value : JSON.stringify(value)).toString("base64url");
const other = generateKeyPairSync("ed25519");
const now = () => Math.floor(Date.now() / 1_000);

const forgeries: Readonly<Record<string, (workshop: Workshop) => string | Promise<string>>> = {
  // Tokens with a different algorithm.
  ...Object.fromEntries(
    ["none", "None", "NONE", "nOnE"].flatMap(
      (alg) =>
        [
          [
            `alg ${alg} without a signature`,
            ({ header, claims }) => `${encode({ ...header, alg })}.${encode(claims)}.`,
          ],
          [
            `alg ${alg} with the good signature`,
            ({ header, claims, token }) => `${encode({ ...header, alg })}.${encode(claims)}.${token.split(".")[2]}`,
          ],
        ] as [string, (workshop: Workshop) => string][],
    ),
  ),
  ...Object.fromEntries(
    ["HS256", "HS384", "HS512"].flatMap((alg) =>
      ["x", "jwk"].map((form): [string, (workshop: Workshop) => string] => [
        `${alg} with the public key (${form}) as the secret`,
        ({ header, claims, publicJwk }) => {
          const secret = form === "x" ? Buffer.from(String(publicJwk.x), "base64url") : JSON.stringify(publicJwk);
          const text = `${encode({ ...header, alg })}.${encode(claims)}`;
          return `${text}.${createHmac(`sha${alg.slice(2)}`, secret)
            .update(text)
            .digest("base64url")}`;
        },
      ]),
    ),
  ),
  ...Object.fromEntries(
    ["RS256", "PS256", "ES256", "ES512", "Ed448", "EdDSA ", "eddsa", "dir", "RSA-OAEP", "", null, 7, ["EdDSA"]].map(
      (alg): [string, (workshop: Workshop) => string] => [`alg ${JSON.stringify(alg)}`, ({ make }) => make({ alg })],
    ),
  ),
  "no alg": ({ make }) => make({ alg: undefined }),
  // Tokens with a different type, a different key, or other changed header fields.
  ...Object.fromEntries(
    ["internal+jwt", "at+jwt", "JOSE", "jwt2", "", null, 7].map((typ): [string, (workshop: Workshop) => string] => [
      `typ ${JSON.stringify(typ)}`,
      ({ make }) => make({ typ }),
    ]),
  ),
  "no typ": ({ make }) => make({ typ: undefined }),
  "no kid": ({ make }) => make({ kid: undefined }),
  "an unknown kid": ({ make }) => make({ kid: "00000000-0000-4000-8000-000000000000" }),
  "a kid that is a path": ({ make }) => make({ kid: "../../../../dev/null" }),
  "a kid that is SQL": ({ make }) => make({ kid: "' or true --" }),
  "a kid that is a number": ({ make }) => make({ kid: 7 }),
  "a kid that is a list": ({ make, header }) => make({ kid: [header.kid] }),
  "our kid with another instance's key": ({ make }) => make({}, {}, other.privateKey),
  "its own key in jwk": ({ make }) => make({ jwk: other.publicKey.export({ format: "jwk" }) }, {}, other.privateKey),
  "its own key at jku": ({ make }) => make({ jku: "http://127.0.0.1:1/keys" }, {}, other.privateKey),
  "its own key in x5c": ({ make }) => make({ x5c: ["AAAA"] }, {}, other.privateKey),
  "an unknown critical extension": ({ make }) => make({ crit: ["exp-2"], "exp-2": 1 }),
  "an unencoded payload": ({ make }) => make({ crit: ["b64"], b64: false }),
  // Tokens with missing claims, wrong claims, or claims of the wrong type.
  ...Object.fromEntries(
    ["iss", "aud", "sub", "sid", "jti", "role", "iat", "exp"].flatMap((claim) =>
      [undefined, null, {}, []].map((value): [string, (workshop: Workshop) => string] => [
        `${claim} ${value === undefined ? "missing" : JSON.stringify(value)}`,
        ({ make }) => make({}, { [claim]: value }),
      ]),
    ),
  ),
  "another issuer": ({ make }) => make({}, { iss: "someone-else" }),
  "another audience": ({ make }) => make({}, { aud: "gateway" }),
  "a list of audiences with ours": ({ make }) => make({}, { aud: ["management"] }),
  "a list of two audiences": ({ make }) => make({}, { aud: ["management", "gateway"] }),
  "a subject that is a number": ({ make, claims }) => make({}, { sub: Number(claims.sub) }),
  "a subject with a fraction": ({ make, claims }) => make({}, { sub: `${claims.sub}.0` }),
  "a subject in hexadecimal": ({ make, claims }) => make({}, { sub: `0x${Number(claims.sub).toString(16)}` }),
  "a subject with a space": ({ make, claims }) => make({}, { sub: ` ${claims.sub}` }),
  "another user's subject": ({ make }) => make({}, { sub: "999999" }),
  "an unknown session": ({ make }) => make({}, { sid: "ses_00000000000000000000000000" }),
  "a session that is SQL": ({ make }) => make({}, { sid: "' or true --" }),
  "a jti that was never issued": ({ make }) => make({}, { jti: "00000000-0000-4000-8000-000000000000" }),
  "an expiry that is a string": ({ make, claims }) => make({}, { exp: String(claims.exp) }),
  "an expiry in the past": ({ make }) => make({}, { iat: now() - 100, exp: now() - 10 }),
  "an expiry of zero": ({ make }) => make({}, { exp: 0 }),
  "a lifetime of ten years": ({ make }) => make({}, { exp: now() + 10 * 365 * 86_400 }),
  "issued tomorrow": ({ make }) => make({}, { iat: now() + 86_400, exp: now() + 2 * 86_400 }),
  "not valid before tomorrow": ({ make }) => make({}, { nbf: now() + 86_400 }),
  // Tampered and malformed tokens.
  "another subject with the original signature": ({ token, claims }) =>
    replace(token, 1, encode({ ...claims, sub: "1" })),
  "a higher role with the original signature": ({ token, claims }) =>
    replace(token, 1, encode({ ...claims, role: "admin", x: 1 })),
  "a header with an extra space": ({ token, header }) => replace(token, 0, encode(`${JSON.stringify(header)} `)),
  "a signature with one bit flipped": ({ token }) => {
    const bytes = Buffer.from(token.split(".")[2] as string, "base64url");
    bytes[0] = (bytes[0] as number) ^ 1;
    return replace(token, 2, bytes.toString("base64url"));
  },
  "a signature whose last character differs in its unused bits": ({ token }) =>
    token.slice(0, -1) + sameBitsAs(token.slice(-1)),
  "a signature with padding": ({ token }) => `${token}==`,
  "a signature with a line break": ({ token }) => `${token.slice(0, -5)}\t${token.slice(-5)}`,
  "a truncated signature": ({ token }) => token.slice(0, -4),
  "no signature": ({ token }) => `${token.split(".").slice(0, 2).join(".")}.`,
  "two parts": ({ token }) => token.split(".").slice(0, 2).join("."),
  "four parts": ({ token }) => `${token}.AAAA`,
  "five parts, as if it were encrypted": ({ token }) => `${token}.AAAA.AAAA`,
  "a payload that is a list": ({ header, privateKey }) => signText(`${encode(header)}.${encode([])}`, privateKey),
  "a payload that is not JSON": ({ header, privateKey }) => signText(`${encode(header)}.${encode("{")}`, privateKey),
  "a token in JSON form": ({ token }) => {
    const [protectedHeader, payload, signature] = token.split(".");
    return JSON.stringify({ protected: protectedHeader, payload, signature });
  },
  "an internal token for the gateway": ({ platform }) =>
    platform.services.tokens.issueInternal({ audience: "gateway", keyId: "key_x", purpose: "platform.messages" }),
  "an API key": () => `sk-tg-${"A".repeat(48)}`,
};

test("accepts an unmodified token and a token with different valid times", async ({ database }) => {
  const workshop = await openWorkshop(database);
  expect((await whoAmI(workshop.platform, workshop.make())).status).toBe(200);
  const later = workshop.make({}, { iat: now() - 5, exp: now() + 60 });
  expect((await whoAmI(workshop.platform, later)).status).toBe(200);
});

test(`rejects each of ${Object.keys(forgeries).length} forged tokens, for access and for refresh, and keeps the session`, async ({
  database,
}) => {
  const workshop = await openWorkshop(database);
  const { platform } = workshop;
  const taken: string[] = [];
  // Skip the refresh for these authentic tokens: a refresh accepts an expired token, and an unknown jti ends the
  // session.
  const entersOnly = new Set(["an expiry in the past", "a jti that was never issued"]);
  for (const [name, forge] of Object.entries(forgeries)) {
    const token = await forge(workshop);
    const answer = await whoAmI(platform, token);
    if (answer.status !== 401 || answer.body.code !== "UNAUTHORIZED") taken.push(`${name}: ${answer.status}`);
    if (entersOnly.has(name)) continue;
    const refreshed = await platform.api("POST", "/api/auth/token/refresh", { token });
    if (refreshed.status !== 401) taken.push(`${name}, refreshed: ${refreshed.status}`);
  }
  expect(taken).toEqual([]);
  expect(Object.keys(forgeries).length).toBeGreaterThan(80);
  expect((await whoAmI(platform, workshop.token)).status).toBe(200);
});

async function openWorkshop(database: Parameters<typeof startIdentity>[0]): Promise<Workshop> {
  const platform = await startIdentity(database);
  const { token } = await signUpUser(platform);
  const [header, claims] = token
    .split(".")
    .slice(0, 2)
    .map((part: string) => JSON.parse(Buffer.from(part, "base64url").toString()));
  const [stored] = await listSigningKeys(platform.services.db);
  if (stored === undefined) throw new Error("no signing key");
  const jwk = JSON.parse(platform.services.secrets.open(stored.privateKey, signingKeyPurpose(stored.kid)));
  const privateKey = createPrivateKey({ key: jwk, format: "jwk" });
  return {
    platform,
    token,
    header,
    claims,
    publicJwk: stored.publicKey,
    privateKey,
    make: (headerChange = {}, claimChange = {}, key = privateKey) =>
      signText(`${encode({ ...header, ...headerChange })}.${encode({ ...claims, ...claimChange })}`, key),
  };
}

/**
 * Returns a different base64url character with the same first two bits. Decoders that ignore the remaining bits read
 * the same byte.
 */
function sameBitsAs(last: string): string {
  const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
  return alphabet[alphabet.indexOf(last) ^ 1] ?? "";
}

function signText(text: string, key: KeyObject): string {
  return `${text}.${sign(null, Buffer.from(text), key).toString("base64url")}`;
}

function replace(token: string, index: number, part: string): string {
  return token
    .split(".")
    .map((old, at) => (at === index ? part : old))
    .join(".");
}
