import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describeLibraries } from "@tollgate/gateway/providers/credentials/libraries.ts";
import { doctor } from "@tollgate/operate/doctor/doctor.ts";
import { knownProviders } from "@tollgate/server/known-providers.ts";
import { apps } from "@tollgate/server/operate-apps.ts";
import { describe, expect } from "vitest";
import { containerCredentials } from "./fake-sources.ts";
import { type Machine, test } from "./machine.fixture.ts";

const keyless = {
  AWS: "model: bedrock/amazon.nova-lite-v1:0",
  "Google Cloud": "model: vertex_ai/gemini-2.5-flash",
  "Microsoft Entra": "model: azure/gpt, api_base: https://acme.openai.azure.com",
} as const;

/** Runs `tollgate doctor --only cloud-credentials` with these deployments. */
async function diagnose(machine: Machine, ...params: readonly string[]) {
  const file = join(machine.home, "tollgate.yaml");
  const models = params.map((param, index) => `  - { model_name: cloud-${index}, litellm_params: { ${param} } }`);
  writeFileSync(file, `model_list:\n${models.join("\n")}\n`);
  let out = "";
  const stream = { write: (text: string) => (out += text) };
  const args = ["--json", "--only", "cloud-credentials", "--config", file];
  const code = await doctor(args, { stdout: stream, stderr: stream, env: process.env, cwd: process.cwd(), apps });
  return { code, checks: (JSON.parse(out) as { checks: Record<string, string>[] }).checks };
}

test("the page contains the commands that doctor prints", () => {
  const page = readFileSync(join(import.meta.dirname, "../../docs/providers/cloud-credentials.md"), "utf8");
  for (const { installCommand } of describeLibraries()) expect(page).toContain(`\n${installCommand}\n`);
});

test("the tested versions are the ones that these tests install", () => {
  const { devDependencies } = JSON.parse(readFileSync(join(import.meta.dirname, "package.json"), "utf8"));
  const tested = describeLibraries().map(({ package: name, testedVersion }) => [name, testedVersion]);
  expect(Object.fromEntries(tested)).toEqual(devDependencies);
  expect(describeLibraries().map(({ installedVersion }) => installedVersion)).toEqual(
    describeLibraries().map(({ testedVersion }) => testedVersion),
  );
});

describe("without the libraries", () => {
  test.for(Object.entries(keyless))(
    "a call to a deployment that needs %s fails with 503 and the command that installs the library",
    async ([vendor, params], { machine, start }) => {
      machine.uninstallLibraries();
      const gateway = await start(params);
      const answer = await gateway.chat({ model: "cloud" });
      const library = describeLibraries().find((one) => one.vendor === vendor);
      expect(answer.status).toBe(503);
      const { error } = (await answer.json()) as { error: { code: string; message: string } };
      expect(error.code).toBe("credentials_unavailable");
      expect(error.message).toContain(
        `Model 'cloud' needs ${vendor} credentials, but the package ${library?.package} is not installed on this server.`,
      );
      expect(JSON.stringify(error)).toContain(
        `npm install --ignore-scripts ${library?.package}@${library?.testedVersion}`,
      );
    },
  );

  test("doctor names the packages, the models, and the commands", async ({ machine }) => {
    machine.uninstallLibraries();
    const { code, checks } = await diagnose(machine, ...Object.values(keyless));
    expect(code).toBe(1);
    expect(checks.map(({ name, state, text }) => [name, state, text])).toEqual([
      [
        "AWS credentials",
        "failed",
        "model 'cloud-0' needs the package @aws-sdk/credential-providers, which is not installed",
      ],
      [
        "Google Cloud credentials",
        "failed",
        "model 'cloud-1' needs the package google-auth-library, which is not installed",
      ],
      [
        "Microsoft Entra credentials",
        "failed",
        "model 'cloud-2' needs the package @azure/identity, which is not installed",
      ],
    ]);
    expect(checks[0]?.fix).toMatch(/^Run 'npm install --ignore-scripts @aws-sdk\/credential-providers@3\.\d+\.\d+' /);
  });

  test("doctor considers an API key that contains a federated identity", async ({ machine }) => {
    machine.uninstallLibraries();
    const key = JSON.stringify({ type: "external_account" });
    const { checks } = await diagnose(machine, `model: vertex_ai/gemini-2.5-flash, api_key: '${key}'`);
    expect(checks.map(({ name, state }) => [name, state])).toEqual([["Google Cloud credentials", "failed"]]);
  });

  test("the settings check warns about the deployment", ({ machine }) => {
    machine.uninstallLibraries();
    const deployment = {
      modelName: "a",
      provider: "bedrock",
      upstreamModel: "x",
      apiBase: null,
      apiKey: null,
      options: {},
    };
    expect(knownProviders.findCredentialProblem?.(deployment)).toMatch(/run 'npm install --ignore-scripts @aws-sdk/);
    expect(knownProviders.findCredentialProblem?.({ ...deployment, provider: "openai" })).toBeUndefined();
  });

  test("doctor reports nothing to do if no deployment needs a library", async ({ machine }) => {
    machine.uninstallLibraries();
    const { code, checks } = await diagnose(machine, "model: sim/echo");
    expect(code).toBe(0);
    expect(checks).toMatchObject([{ state: "passed", text: "no deployment needs an optional library" }]);
  });
});

describe("with the libraries", () => {
  test("doctor gets a credential and lists unused libraries with their versions", async ({ machine, upstreams }) => {
    upstreams.alpha.behaves(containerCredentials("ECS"));
    machine.set({ AWS_CONTAINER_CREDENTIALS_FULL_URI: `${upstreams.alpha.origin}/credentials` });
    const { code, checks } = await diagnose(machine, keyless.AWS);
    expect(code).toBe(0);
    expect(checks.map(({ text }) => text)).toEqual([
      expect.stringMatching(
        /^@aws-sdk\/credential-providers [\d.]+; model 'cloud-0' has a credential for (?:59|60) minutes$/,
      ),
      expect.stringMatching(/^google-auth-library [\d.]+ is installed; no deployment uses it$/),
      expect.stringMatching(/^@azure\/identity [\d.]+ is installed; no deployment uses it$/),
    ]);
    expect(JSON.stringify(checks)).not.toMatch(/secret-ECS|session-ECS|AKIDECS/);
  });

  test("doctor reports the reason if the source has no credential", async ({ machine }) => {
    const { code, checks } = await diagnose(machine, keyless.AWS);
    expect(code).toBe(1);
    expect(checks[0]).toMatchObject({ name: "AWS credentials", state: "failed" });
    expect(checks[0]?.text).toContain("no credential for model 'cloud-0': CredentialsProviderError");
    expect(checks[0]?.fix).toContain("tollgate.yaml:2");
  });

  test("the settings check has no warning", () => {
    const deployment = {
      modelName: "a",
      provider: "bedrock",
      upstreamModel: "x",
      apiBase: null,
      apiKey: null,
      options: {},
    };
    expect(knownProviders.findCredentialProblem?.(deployment)).toBeNull();
  });
});
