import { execFileSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { cloneDatabase } from "@tollgate/testkit/database.ts";
import { addTenant } from "@tollgate/testkit/tenants.ts";
import manifest from "../../../package.json" with { type: "json" };
import { undoAtEnd } from "../processes/clean-up.ts";
import { cores } from "../processes/cores.ts";
import { startPinned } from "../processes/start-pinned.ts";
import { groupModel, heldSuffix, upstreamModel } from "../wire/chat-request.ts";
import { type StartContestant, waitUntilReady } from "./contestant.ts";

const root = join(import.meta.dirname, "../../..");

/** Starts Tollgate as its users do, on a database of its own with a real key, as one process. */
export const startTollgate: StartContestant = startTollgateWith("");

/** The same with options for its runtime, such as a profiler. */
export function startTollgateWith(nodeOptions: string): StartContestant {
  return async (ports, directory) => {
    execFileSync(join(root, "scripts/engines"), ["up", "--quiet"]);
    const database = await cloneDatabase();
    const dropDatabase = undoAtEnd(database.drop);
    const tenant = await addTenant(database.connect("tollgate_platform"));

    const home = join(directory, `tollgate-${ports.own}`);
    mkdirSync(home);
    const settings = join(home, "tollgate.yaml");
    writeFileSync(settings, writeSettings(ports.upstream));
    const program = startPinned({
      name: "tollgate",
      core: cores.contestant,
      command: join(root, "bin/tollgate"),
      args: ["serve", "--config", settings, "--processes", "1"],
      directory: home,
      env: {
        PORT: String(ports.own),
        DATABASE_URL: database.connectionString,
        TOLLGATE_BASE_URL: `http://127.0.0.1:${ports.own}`,
        TOLLGATE_SECRET_KEY: randomBytes(32).toString("hex"),
        ...(nodeOptions === "" ? {} : { NODE_OPTIONS: nodeOptions }),
      },
    });
    const url = `http://127.0.0.1:${ports.own}`;
    await waitUntilReady("tollgate", program, () => isHealthy(url));
    return {
      name: "tollgate",
      version: manifest.version,
      url,
      headers: { authorization: `Bearer ${tenant.apiKey}` },
      rewritesModel: true,
      pids: program.pids,
      async stop() {
        await program.stop();
        await dropDatabase();
      },
    };
  };
}

async function isHealthy(url: string): Promise<boolean> {
  try {
    return (await fetch(new URL("/health/readiness", url))).status === 200;
  } catch {
    return false;
  }
}

/** Two groups at the fake upstream, with prices, so that every call is priced too. */
function writeSettings(upstreamPort: number): string {
  const deployments = ["", heldSuffix].map((suffix) => ({
    model_name: groupModel + suffix,
    litellm_params: {
      model: `openai/${upstreamModel}${suffix}`,
      api_base: `http://127.0.0.1:${upstreamPort}/v1`,
      api_key: "sk-upstream",
      input_cost_per_token: 2.5e-6,
      output_cost_per_token: 1e-5,
    },
  }));
  // JSON is YAML too.
  return JSON.stringify({ model_list: deployments }, null, 2);
}
