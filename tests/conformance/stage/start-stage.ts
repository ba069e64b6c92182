import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type FakeUpstream, startFakeUpstream } from "@tollgate/testkit/fake-upstream.ts";
import { playScenarios } from "../differential/play-scenarios.ts";
import { type RunningTollgate, startTollgate } from "./start-tollgate.ts";

/** The group that is served by the scripted upstream, and that upstream's own name for it. */
export const SCRIPTED_GROUP = "scripted";
export const SCRIPTED_MODEL = "scripted-upstream";
export const UPSTREAM_KEY = "upstream-credential-canary";

/** Everything the suites talk to. */
export interface Stage {
  readonly tollgate: RunningTollgate;
  /** An upstream of the OpenAI wire whose answers are scripted. */
  readonly upstream: FakeUpstream;
  stop(): Promise<void>;
}

/** Starts a scripted upstream and an instance with a fresh data folder that knows it as a group. */
export async function startStage(): Promise<Stage> {
  const folder = await mkdtemp(join(tmpdir(), "tollgate-conformance-"));
  const upstream = await startFakeUpstream();
  const clean = async () => {
    await upstream.close();
    await rm(folder, { recursive: true, force: true });
  };
  try {
    upstream.behaves(playScenarios);
    const configFile = join(folder, "conformance.yaml");
    await writeFile(configFile, describeSettings(upstream.origin));
    const tollgate = await startTollgate(join(folder, "data"), configFile);
    const stop = async () => {
      await tollgate.stop();
      await clean();
    };
    return { tollgate, upstream, stop };
  } catch (error) {
    await clean();
    throw error;
  }
}

function describeSettings(origin: string): string {
  return JSON.stringify({
    model_list: [
      {
        model_name: SCRIPTED_GROUP,
        litellm_params: {
          model: `openai_compatible/${SCRIPTED_MODEL}`,
          api_base: `${origin}/v1`,
          api_key: UPSTREAM_KEY,
          // Credit is counted in development too, and a model without a price is refused.
          input_cost_per_token: 1e-7,
          output_cost_per_token: 4e-7,
        },
      },
    ],
  });
}
