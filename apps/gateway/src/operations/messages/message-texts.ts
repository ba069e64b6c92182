import { findTexts } from "../../providers/openai/delta-texts.ts";

/** Where an answer's text may stand in an event of this wire. */
const NAMES = ['"text":', '"partial_json":', '"thinking":'];

/** The texts in events of this wire, as they are written there, without parsing them. */
export function findMessageTexts(frames: string, found: (escaped: string) => void): void {
  findTexts(NAMES, frames, found);
}
