import { Failure } from "@tollgate/contracts/failures.ts";
import { Secret } from "@tollgate/domain/secret.ts";
import { expect, test } from "vitest";
import { readUpstreamFailure, withoutSecrets } from "./read-upstream-failure.ts";
import { providers } from "./registry.ts";

const secret = "Plain and simple, of no known shape";
const error = { message: `Not with '${secret}' (${encodeURIComponent(secret)}), nor other-secret.`, type: "x" };

test("removes credentials of any format from upstream errors before they reach the caller", () => {
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
    const inside = withoutSecrets(target, new Failure("invalid_request", error.message, { param: secret }));
    for (const { message, facts } of [failure, inside]) {
      expect(JSON.stringify([message, facts]), provider.name).not.toMatch(/Plain|other-secret/);
    }
    expect(withoutSecrets(target, failure), "no credential to remove").toBe(failure);
  }
});
