import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startTestGateway, type TestGateway } from "@tollgate/gateway/test-gateway.fixture.ts";
import { test as base } from "@tollgate/testkit/test.ts";

/** Names of variables that the vendors' libraries read. */
const vendorVariable = /^(?:AWS_|AZURE_|GOOGLE_|GCE_|GCLOUD|IDENTITY_|MSI_|METADATA_|VERTEX)/;

/** The tests' machine: an empty home, none of the developer's credentials, and no metadata service. */
export interface Machine {
  readonly home: string;
  /** Sets environment variables for the rest of the test. */
  set(variables: Readonly<Record<string, string>>): void;
  /** Moves to a directory without the vendors' libraries. */
  uninstallLibraries(): void;
}

/**
 * Extends `test` with a machine whose working directory contains the vendors' libraries, as an operator would install
 * them, and with a function that starts a gateway there.
 */
export const test = base
  // biome-ignore lint/correctness/noEmptyPattern: the runner parses the pattern for dependencies; there are none.
  .extend("machine", { auto: true }, async ({}, { onCleanup }): Promise<Machine> => {
    const before = { ...process.env };
    const cwd = process.cwd();
    const home = mkdtempSync(join(tmpdir(), "tollgate-cloud-"));
    for (const name of Object.keys(process.env)) if (vendorVariable.test(name)) delete process.env[name];
    Object.assign(process.env, {
      HOME: home,
      AWS_EC2_METADATA_DISABLED: "true",
      // Without this, Google's library looks for a metadata server on the network.
      METADATA_SERVER_DETECTION: "none",
      AZURE_TOKEN_CREDENTIALS: "prod",
    });
    process.chdir(import.meta.dirname);
    onCleanup(() => {
      for (const name of Object.keys(process.env)) delete process.env[name];
      Object.assign(process.env, before);
      process.chdir(cwd);
      rmSync(home, { recursive: true });
    });
    return {
      home,
      set: (variables) => void Object.assign(process.env, variables),
      uninstallLibraries: () => process.chdir(home),
    };
  })
  // biome-ignore lint/correctness/noEmptyPattern: the runner parses the pattern for dependencies; there are none.
  .extend("start", async ({}, { onCleanup }) => {
    const started: TestGateway[] = [];
    onCleanup(async () => {
      for (const gateway of started) await gateway.close();
    });
    return async (params: string): Promise<TestGateway> => {
      const gateway = await startTestGateway({
        yaml: `
model_list:
  - { model_name: cloud, litellm_params: { ${params}, input_cost_per_token: 0.000001, output_cost_per_token: 0.000004 } }
router_settings: { num_retries: 0, disable_cooldowns: true }
`,
      });
      started.push(gateway);
      return gateway;
    };
  });
