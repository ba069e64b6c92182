import { type Stage, startStage } from "../../chaos/stage/stage.ts";
import { writeSettings } from "../models.ts";
import { HostileUpstream } from "../upstream/upstream.ts";

/** The chaos suite's stage, with a hostile upstream. */
export interface AdversaryStage extends Stage {
  readonly hostile: HostileUpstream;
}

/** Starts engines, gateways, and workers in their own folder. */
export async function startAdversaryStage(isKept: boolean): Promise<AdversaryStage> {
  const hostile = await HostileUpstream.start();
  const stage = await startStage(isKept, { settings: { fileText: writeSettings(hostile.url) }, organizations: 0 });
  return Object.assign(stage, { hostile });
}
