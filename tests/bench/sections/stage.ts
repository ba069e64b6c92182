import type { Contestant, StartContestant } from "../contestants/contestant.ts";
import type { Generator } from "../load/start-generator.ts";
import { takeFreePort } from "../processes/free-port.ts";
import type { Upstream } from "../upstream/start-upstream.ts";
import { checkContestant } from "./check-contestant.ts";

/** What every section works with. */
export interface Stage {
  readonly upstream: Upstream;
  readonly generator: Generator;
  readonly directory: string;
  readonly isQuick: boolean;
  readonly rounds: number;
  readonly showProgress: (text: string) => void;
  /** Why a contestant that may be missing is missing. */
  readonly absent: Map<string, string>;
  readonly versions: Map<string, string>;
}

/** Starts a contestant and makes sure that it answers rightly. */
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

/** The same for a contestant the run can do without: says why it is missing instead of failing. */
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
