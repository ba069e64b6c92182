import { generateKeyPairSync } from "node:crypto";
import { Secret } from "@tollgate/domain/secret.ts";
import { test as base } from "@tollgate/testkit/test.ts";
import { hang, reply } from "@tollgate/testkit/upstream-behaviors.ts";
import { waitFor } from "@tollgate/testkit/wait-for.ts";
import { expect } from "vitest";
import { UpstreamClients } from "../../adapters/upstream-clients.ts";
import { type GoogleCredentials, readGoogleCredentials } from "./google-credentials.ts";
import { googleTokens } from "./google-tokens.ts";

const HOUR_MS = 3_600_000;
const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
const token = (name: string) => reply(200, { access_token: name, expires_in: 3_600 });

/**
 * Creates an account's token cache, with the fake upstream as its token endpoint and a clock that the test controls.
 */
const test = base.extend("account", async ({ upstreams }, { onCleanup }) => {
  const clock = { nowMs: 1_000_000 };
  const connections = new UpstreamClients(upstreams.alpha.origin);
  onCleanup(() => connections.close());
  const json = JSON.stringify({
    client_email: "a@b",
    private_key: privateKey.export({ type: "pkcs8", format: "pem" }),
    token_uri: `${upstreams.alpha.origin}/token`,
  });
  const credentials = readGoogleCredentials({ apiKey: null, options: { vertex_credentials: new Secret(json) } });
  return { clock, tokens: googleTokens(credentials as GoogleCredentials, connections, () => clock.nowMs) };
});

test("shares one token request between callers and renews the token before it expires", async ({
  account,
  upstreams,
}) => {
  const { tokens, clock } = account;
  expect(tokens.current()).toBeNull();
  upstreams.alpha.behaves(token("first"));
  expect(await Promise.all([tokens.next(), tokens.next(), tokens.next()])).toEqual(["first", "first", "first"]);
  clock.nowMs += HOUR_MS - 301_000;
  expect(tokens.current()).toBe("first");
  expect(upstreams.alpha.requests).toHaveLength(1);

  upstreams.alpha.behaves(token("second"));
  clock.nowMs += 2_000;
  expect([tokens.current(), tokens.current()]).toEqual(["first", "first"]);
  await waitFor("the next token", () => tokens.current() === "second");
  expect(upstreams.alpha.requests).toHaveLength(2);
});

test("continues to use the current token if its renewal fails, and retries the renewal later", async ({
  account,
  upstreams,
}) => {
  const { tokens, clock } = account;
  upstreams.alpha.behaves(token("first"));
  await tokens.next();
  clock.nowMs += HOUR_MS - 200_000;
  upstreams.alpha.behaves(reply(500, "no"));
  expect(tokens.current()).toBe("first");
  await upstreams.alpha.ended(1);
  expect(tokens.current()).toBe("first");
  expect(upstreams.alpha.requests).toHaveLength(2);

  upstreams.alpha.behaves(token("second"));
  clock.nowMs += 11_000;
  await waitFor("the next token", () => tokens.current() === "second");
});

test("doesn't return a token that is about to expire", async ({ account, upstreams }) => {
  const { tokens, clock } = account;
  upstreams.alpha.behaves(token("first"), hang());
  await tokens.next();
  clock.nowMs += HOUR_MS - 9_000;
  expect(tokens.current()).toBeNull();
});
