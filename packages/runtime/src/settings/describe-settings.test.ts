import { generateKeyPairSync } from "node:crypto";
import { expect, test } from "vitest";
import type { ShownSetting } from "./describe-settings.ts";
import { loadValid } from "./load-for-test.ts";
import type { FieldSchema } from "./schema/fields.ts";
import { SettingsFile } from "./schema/settings-file.ts";

const CANARY = "canary-0123456789-0123456789-0123456789";

function find(text: string, section: string, name: string, env: Record<string, string> = {}): ShownSetting | undefined {
  const { shown } = loadValid(text, env).settings;
  return shown.find(({ title }) => title === section)?.settings.find((setting) => setting.name === name);
}

test("each setting shows its value and its location", () => {
  const text = "platform:\n  publicUrl: os.environ/PUBLIC\nauth:\n  passwordMinLength: 14\n";
  const env = { PUBLIC: "https://gw.example.com" };
  expect(find(text, "auth", "passwordMinLength", env)).toEqual({
    name: "passwordMinLength",
    value: 14,
    source: "file",
    file: "tollgate.yaml",
    line: 4,
    variable: null,
    needsRestart: false,
    description: "Min password length",
  });
  expect(find(text, "platform", "publicUrl", env)).toMatchObject({
    value: "https://gw.example.com",
    source: "environment",
    variable: "PUBLIC",
    line: 2,
  });
  expect(find(text, "auth", "tokenTtl", env)).toMatchObject({
    value: 86_400,
    source: "default",
    file: null,
    line: null,
  });
});

test("finds alternative spellings, and names nested settings with a dot", () => {
  expect(find("litellm_settings: {drop_params: true}", "gw_settings", "drop_params")).toMatchObject({
    value: true,
    source: "file",
  });
  expect(find("billing: {stripe: {secretKey: x}}", "billing", "stripe.secretKey")?.value).toBe("set");
  expect(find("{}", "billing", "stripe.secretKey")?.value).toBe("not set");
});

test("settings that are read only at startup are marked as needing a restart", () => {
  expect(find("{}", "general_settings", "server_root_path")?.needsRestart).toBe(true);
  expect(find("{}", "general_settings", "allowed_hosts")?.needsRestart).toBe(false);
});

test("shows no secret from any field that can contain one", () => {
  const fields = seed(SettingsFile as FieldSchema);
  const seeded = {
    ...fields,
    platform: { publicUrl: "https://gw.example.com" },
    checkpoints: { ...(fields.checkpoints as object), folder: "checkpoints" },
  };
  const count = JSON.stringify(seeded).split(CANARY).length - 1;
  // The test is meaningful only if the canary reaches several fields.
  expect(count).toBeGreaterThan(8);
  const { shown } = loadValid(JSON.stringify(seeded), {}).settings;
  expect(JSON.stringify(shown)).not.toContain(CANARY);
  expect(JSON.stringify(shown)).toContain('"value":"set"');
});

test("omits user name and password from URLs, and hides text that looks like a key", () => {
  const text = `platform: {publicUrl: "https://gw.example.com"}\nemail: {from: sk-${CANARY}}`;
  expect(find(text, "email", "from")?.value).toBe("set");
  const withUser = `general_settings: {moderation_model: "https://who:${CANARY}@x.example/v1"}`;
  expect(find(withUser, "general_settings", "moderation_model")?.value).toBe("https://x.example/v1");
});

/** Puts the canary into every field that is read as a secret or stored as written. */
function seed(schema: FieldSchema, section = ""): Record<string, unknown> {
  const fields = Object.entries(schema.properties ?? {}).flatMap(([name, field]): [string, unknown][] => {
    if (field.properties !== undefined) return [[name, seed(field, name)]];
    if (field["x-secret"]) return [[name, secretFor(section, name)]];
    if (field.items?.["x-secret"]) return [[name, [`whsec_${CANARY}`]]];
    if (name === "litellm_params")
      return [[name, { model: "openai/x", api_key: CANARY, extra_headers: { a: CANARY } }]];
    return [];
  });
  return Object.fromEntries(fields.filter(([, value]) => Object.keys(value as object).length > 0));
}

const makeSigningKey = () => generateKeyPairSync("ed25519").privateKey.export({ format: "pem", type: "pkcs8" });

/** Returns a value that passes its field's checks. */
function secretFor(section: string, name: string): string {
  if (name === "master_key") return `sk-${CANARY}`;
  // Text before the key is ignored.
  if (name === "signingKey") return `${CANARY}\n${makeSigningKey()}`;
  if (name === "database_url") return `postgres://who:${CANARY}@db/x`;
  if (section === "email") return `smtp://who:${CANARY}@mail.example:587`;
  if (name === "url") return `redis://:${CANARY}@cache:6379`;
  return name.endsWith("url") ? `redis://:${CANARY}@cache:6379` : CANARY;
}
