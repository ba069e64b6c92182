import { findTexts } from "../../providers/openai/delta-texts.ts";

/** Members that can contain response text in an event. */
const NAMES = ['"text":', '"partial_json":', '"thinking":'];

/** Finds the texts in Messages API events, still escaped, without parsing the JSON. */
export function findMessageTexts(frames: string, found: (escaped: string) => void): void {
  findTexts(NAMES, frames, found);
}
