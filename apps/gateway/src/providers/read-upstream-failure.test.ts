import { Secret } from "@tollgate/domain/secret.ts";
import { expect, test } from "vitest";
import { providers } from "./registry.ts";
import { readUpstreamFailure } from "./read-upstream-failure.ts";

const secret = "Plain and simple, of no known shape";
const error = { message: `Not with '${secret}' (${encodeURIComponent(secret)}), nor other-secret.`, type: "x" };

test("an upstream that repeats the credential it was sent does not tell it to the caller, whatever its shape", () => {
  for (const provider of providers.values()) {
    const settings = {
      upstreamModel: "model",
      apiBase: "http://127.0.0.1:1",
      apiKey: new Secret(secret),
      apiVersion: null,
      options: { organization: "acme", other: new Secret("other-secret") },
    };
    const target = { ...settings, provider, prepared: provider.prepare(settings) };
    const failure = readUpstreamFailure(target, 400, {}, JSON.stringify({ error }));
    expect(JSON.stringify([failure.message, failure.facts]), provider.name).not.toMatch(/Plain|other-secret/);
  }
});
