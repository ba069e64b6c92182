import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type FakeUpstream, startFakeUpstream } from "@tollgate/testkit/fake-upstream.ts";
import { type DevInstance, startDev } from "@tollgate/testkit/processes/start-instance.ts";
import { playScenarios } from "../differential/play-scenarios.ts";
import { playConversation } from "./play-conversation.ts";
import { operationAt } from "./play-operations.ts";
import { describeSettings } from "./served-groups.ts";

/** Everything that the suites connect to. */
export interface Stage {
  readonly tollgate: DevInstance;
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
    const settings = describeSettings(upstream.origin, wires.origin);
    const tollgate = await startDev({ folder, settings, env: { TOLLGATE_LOG_LEVEL: "warn" } });
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
