import { Secret } from "@tollgate/domain/secret.ts";
import { describe, expect, test } from "vitest";
import type { TargetSettings } from "../../call/provider.ts";
import { providers } from "../registry.ts";

const federated = new Secret(JSON.stringify({ type: "external_account", credential_source: { file: "/etc/passwd" } }));
const account = new Secret(JSON.stringify({ type: "service_account", project_id: "acme" }));

/** Reports whether a deployment gets its credentials from a vendor's library. */
function usesLibrary(provider: string, target: Partial<TargetSettings>): boolean {
  const settings = { upstreamModel: "x", apiBase: "https://x.example", apiKey: null, apiVersion: null, options: {} };
  return (providers.get(provider)?.credentialSourceOf?.({ ...settings, ...target }) ?? null) !== null;
}

describe("a deployment from a settings file", () => {
  const inFile = { fileModelName: "cloud" };

  test.for(["bedrock", "vertex_ai", "azure"])(
    "of %s uses the library if the settings contain no credential",
    (name) => {
      expect(usesLibrary(name, inFile)).toBe(true);
      expect(usesLibrary(name, { ...inFile, apiKey: new Secret("key-0123456789") })).toBe(false);
    },
  );

  test.for<[string, TargetSettings["options"], boolean]>([
    ["bedrock", { aws_access_key_id: "id", aws_secret_access_key: new Secret("secret") }, false],
    ["bedrock", { aws_access_key_id: "id" }, false],
    ["bedrock", { aws_access_key_id: "id", aws_secret_access_key: new Secret("s"), aws_role_name: "role" }, true],
    ["bedrock", { aws_profile_name: "billing" }, true],
    ["vertex_ai", { vertex_credentials: account }, false],
    ["vertex_ai", { vertex_credentials: "/no/such/file" }, false],
    ["vertex_ai", { vertex_credentials: federated }, true],
    ["azure", { azure_ad_token: new Secret("token") }, false],
    ["azure", { tenant_id: "t", client_id: "c", client_secret: new Secret("s") }, true],
  ])(
    "of %s with the options %j uses the library only if the gateway can't use them itself: %s",
    ([name, options, expected]) => {
      expect(usesLibrary(name, { ...inFile, options })).toBe(expected);
    },
  );
});

describe("a deployment from the database", () => {
  test.for(["bedrock", "vertex_ai", "azure"])("of %s never uses the identity of the machine", (name) => {
    expect(usesLibrary(name, { fileModelName: null })).toBe(false);
  });

  test.for<[string, TargetSettings["options"]]>([
    ["bedrock", { aws_role_name: "role" }],
    ["bedrock", { aws_profile_name: "billing" }],
    ["bedrock", { aws_role_name: "role", aws_web_identity_token: new Secret("token") }],
    ["bedrock", { aws_role_name: "role", aws_web_identity_token: new Secret("oidc/file/etc/token") }],
    ["bedrock", { aws_access_key_id: "id", aws_secret_access_key: new Secret("s"), aws_role_name: "role" }],
    ["bedrock", { aws_access_key_id: "id", aws_secret_access_key: new Secret("s"), aws_profile_name: "billing" }],
    ["azure", { client_id: "c" }],
    ["azure", { tenant_id: "t", client_id: "c", client_secret: new Secret("s") }],
    ["vertex_ai", { vertex_credentials: federated }],
  ])("of %s with the options %j never uses the identity of the machine", ([name, options]) => {
    expect(usesLibrary(name, { fileModelName: null, options })).toBe(false);
    expect(usesLibrary(name, { options })).toBe(false);
  });

  test("never passes a document to Google's library, because the document can name files", () => {
    expect(usesLibrary("vertex_ai", { fileModelName: null, apiKey: federated })).toBe(false);
  });
});
