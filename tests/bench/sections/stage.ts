import type { Contestant, StartContestant } from "../contestants/contestant.ts";
import type { Generator } from "../load/start-generator.ts";
import { takeFreePort } from "../processes/free-port.ts";
import type { Upstream } from "../upstream/start-upstream.ts";
import { checkContestant } from "./check-contestant.ts";

/** Connections of a load that saturates a contestant. */
export const connections = 64;

/** Context shared by all sections. */
export interface Stage {
  readonly upstream: Upstream;
  readonly generator: Generator;
  readonly directory: string;
  readonly isQuick: boolean;
  readonly rounds: number;
  readonly showProgress: (text: string) => void;
  /** Reasons why optional contestants are absent. */
  readonly absent: Map<string, string>;
  readonly versions: Map<string, string>;
}

/** Starts a contestant and verifies its responses. */
export async function bringOn(stage: Stage, start: StartContestant): Promise<Contestant> {
  const contestant = await start({ own: await takeFreePort(), upstream: stage.upstream.port }, stage.directory);
  try {
    await checkContestant(contestant, stage.upstream);
  } catch (error) {
    await contestant.stop();
    throw error;
  }
  stage.versions.set(contestant.name, contestant.version);
  return contestant;
}

/** Like `bringOn`, but for an optional contestant: records why the contestant is absent instead of failing. */
export async function bringOnIfPossible(
  stage: Stage,
  name: string,
  start: StartContestant,
): Promise<Contestant | null> {
  if (stage.absent.has(name)) return null;
  try {
    return await bringOn(stage, start);
  } catch (error) {
    stage.absent.set(name, error instanceof Error ? error.message : String(error));
    return null;
  }
}
