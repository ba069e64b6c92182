import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type FakeUpstream, startFakeUpstream } from "@tollgate/testkit/fake-upstream.ts";
import { playScenarios } from "../differential/play-scenarios.ts";
import { playConversation } from "./play-conversation.ts";
import { operationAt } from "./play-operations.ts";
import { describeSettings } from "./served-groups.ts";
import { type RunningTollgate, startTollgate } from "./start-tollgate.ts";

/** Everything that the suites connect to. */
export interface Stage {
  readonly tollgate: RunningTollgate;
  /** OpenAI-compatible upstream with scripted responses. */
  readonly upstream: FakeUpstream;
  /** Upstream with all APIs, whose responses depend on the request. */
  readonly wires: FakeUpstream;
  stop(): Promise<void>;
}

/** Starts scripted upstreams and an instance with a new data folder and model groups for these upstreams. */
export async function startStage(): Promise<Stage> {
  const folder = await mkdtemp(join(tmpdir(), "tollgate-conformance-"));
  const [upstream, wires] = await Promise.all([startFakeUpstream(), startFakeUpstream()]);
  const clean = async () => {
    await Promise.all([upstream.close(), wires.close()]);
    await rm(folder, { recursive: true, force: true });
  };
  try {
    upstream.behaves((exchange) => (operationAt(exchange.request.path) ?? playScenarios)(exchange));
    wires.behaves(playConversation);
    const configFile = join(folder, "conformance.yaml");
    await writeFile(configFile, describeSettings(upstream.origin, wires.origin));
    const tollgate = await startTollgate(join(folder, "data"), configFile);
    const stop = async () => {
      await tollgate.stop();
      await clean();
    };
    return { tollgate, upstream, wires, stop };
  } catch (error) {
    await clean();
    throw error;
  }
}
