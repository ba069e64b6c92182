import { createHmac, generateKeyPairSync, randomUUID, sign } from "node:crypto";
import { insertSigningKey } from "@tollgate/db/accounts/signing-keys.ts";
import { Secret } from "@tollgate/domain/secret.ts";
import { createDatabaseSigningKeys } from "@tollgate/platform/adapters/database-signing-keys.ts";
import { createTokenIssuer } from "@tollgate/platform/adapters/jose-token-issuer.ts";
import { createSecretBox } from "@tollgate/runtime/secret-box.ts";
import type { TestDatabase } from "@tollgate/testkit/database.ts";
import { expect } from "vitest";
import { type HostedPlatform, SECRET_KEY, test } from "./hosted-platform.fixture.ts";

const encode = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString("base64url");

/** Adds a signing key that the test controls. */
async function addSigner(database: TestDatabase) {
  const { publicKey, privateKey } = generateKeyPairSync("ed25519");
  const kid = randomUUID();
  const secrets = createSecretBox([new Secret(SECRET_KEY)]);
  const sealed = secrets.seal(JSON.stringify(privateKey.export({ format: "jwk" })), `signing-key:${kid}`);
  const stored = { kid, publicKey: { ...publicKey.export({ format: "jwk" }) }, privateKey: sealed };
  await insertSigningKey(database.connect("tollgate_platform"), stored, false);
  return {
    kid,
    publicKey,
    sign: (header: object, claims: object) => {
      const text = `${encode(header)}.${encode(claims)}`;
      return `${text}.${sign(null, Buffer.from(text), privateKey).toString("base64url")}`;
    },
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

function chat(hosted: HostedPlatform, headers: Record<string, string>) {
  return hosted.api("POST", "/v1/chat/completions", {
    headers,
    body: { model: "sim/echo", messages: [{ role: "user", content: "hello" }] },
  });
}

test("an internal token from the platform authenticates as its key and takes precedence over an API key", async ({
  hosted,
  database,
}) => {
  const person = await hosted.signUp();
  const key = await hosted.createKey(person);
  const db = database.connect("tollgate_platform");
  const keys = createDatabaseSigningKeys(db, createSecretBox([new Secret(SECRET_KEY)]), () => performance.now());
  const tokens = createTokenIssuer(
    keys,
    () => 60,
    () => new Date(),
  );
  const pass = await tokens.issueInternal({ audience: "gateway", keyId: key.id, purpose: "platform.messages" });
  expect((await chat(hosted, { "x-gw-internal": pass })).status).toBe(200);
  expect((await chat(hosted, { "x-gw-internal": pass, "x-gw-api-key": "sk-unknown" })).status).toBe(200);
  const expired = createTokenIssuer(
    keys,
    () => 60,
    () => new Date(Date.now() - 90_000),
  );
  const old = await expired.issueInternal({ audience: "gateway", keyId: key.id, purpose: "platform.messages" });
  expect((await chat(hosted, { "x-gw-internal": old })).status).toBe(401);
});

test("an invalid internal token is rejected even if the request also has a valid API key", async ({
  hosted,
  database,
}) => {
  const person = await hosted.signUp();
  const key = await hosted.createKey(person);
  const signer = await addSigner(database);
  const now = Math.floor(Date.now() / 1_000);
  const header = { alg: "EdDSA", kid: signer.kid, typ: "internal+jwt" };
  const claims = {
    iss: "tollgate",
    aud: "gateway",
    sub: key.id,
    purpose: "platform.messages",
    iat: now,
    exp: now + 60,
    jti: randomUUID(),
  };
  const good = signer.sign(header, claims);
  expect((await chat(hosted, { "x-gw-internal": good })).status).toBe(200);

  const [head = "", body = "", signature = ""] = good.split(".");
  const hmac = (text: string) =>
    createHmac("sha256", signer.publicKey.export({ format: "pem", type: "spki" }))
      .update(text)
      .digest("base64url");
  const { privateKey: strange } = generateKeyPairSync("ed25519");
  const symmetric = `${encode({ ...header, alg: "HS256" })}.${body}`;
  const forged: Record<string, string> = {
    "a blank token": " ",
    "no signature": `${head}.${body}.`,
    "no algorithm": `${encode({ ...header, alg: "none" })}.${body}.`,
    "a symmetric algorithm": `${symmetric}.${hmac(symmetric)}`,
    "another signer's key": `${head}.${body}.${sign(null, Buffer.from(`${head}.${body}`), strange).toString("base64url")}`,
    "a changed claim": `${head}.${encode({ ...claims, sub: "key_other" })}.${signature}`,
    "an extra part": `${good}.x`,
    "a signature whose last character differs in its unused bits": good.slice(0, -1) + sameBitsAs(good.slice(-1)),
    "a signature with padding": `${good}==`,
    "an unknown signing key": signer.sign({ ...header, kid: randomUUID() }, claims),
    "no signing key": signer.sign({ alg: "EdDSA", typ: "internal+jwt" }, claims),
    "the type of a session token": signer.sign({ ...header, typ: "JWT" }, claims),
    "another issuer": signer.sign(header, { ...claims, iss: "elsewhere" }),
    "the audience of a session token": signer.sign(header, { ...claims, aud: "management" }),
    "two audiences": signer.sign(header, { ...claims, aud: ["gateway", "management"] }),
    "another purpose": signer.sign(header, { ...claims, purpose: "anything" }),
    "no purpose": signer.sign(header, { ...claims, purpose: undefined }),
    "no key": signer.sign(header, { ...claims, sub: undefined }),
    "an unknown key": signer.sign(header, { ...claims, sub: "key_00000000000000000000000000" }),
    "an expired token": signer.sign(header, { ...claims, iat: now - 120, exp: now - 60 }),
    "a token issued in the future": signer.sign(header, { ...claims, iat: now + 60, exp: now + 120 }),
    "a lifetime that is too long": signer.sign(header, { ...claims, exp: now + 3_600 }),
    "no expiry": signer.sign(header, { ...claims, exp: undefined }),
    "an expiry that is a string": signer.sign(header, { ...claims, exp: String(now + 60) }),
    "a session token": person.token,
    "a token that is too long": `${head}.${"A".repeat(3_000)}.${signature}`,
  };
  for (const [name, pass] of Object.entries(forged)) {
    const answer = await chat(hosted, { "x-gw-internal": pass, "x-gw-api-key": key.token });
    expect({ name, status: answer.status, code: answer.body.error.code }).toEqual({
      name,
      status: 401,
      code: "invalid_api_key",
    });
  }
});

test("an internal token grants access only to inference", async ({ hosted, database }) => {
  const key = await hosted.createKey(await hosted.signUp());
  const signer = await addSigner(database);
  const now = Math.floor(Date.now() / 1_000);
  const claims = {
    iss: "tollgate",
    aud: "gateway",
    sub: key.id,
    purpose: "platform.messages",
    iat: now,
    exp: now + 60,
  };
  const pass = signer.sign({ alg: "EdDSA", kid: signer.kid, typ: "internal+jwt" }, claims);
  expect((await chat(hosted, { "x-gw-internal": pass })).status).toBe(200);
  expect((await hosted.api("GET", "/v1/models", { headers: { "x-gw-internal": pass } })).status).toBe(401);
  expect((await hosted.api("GET", "/api/auth/me", { token: pass })).status).toBe(401);
  expect((await chat(hosted, { "x-gw-api-key": pass })).status).toBe(401);
});
