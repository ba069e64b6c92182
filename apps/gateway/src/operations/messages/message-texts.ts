import { findTexts } from "../../wire/delta-texts.ts";

/** Members that can contain response text in an event. */
const NAMES = ['"text":', '"partial_json":', '"thinking":'];

/** Finds the text in Messages API events without parsing the JSON. The text is still escaped. */
export function findMessageTexts(frames: string, found: (escaped: string) => void): void {
  findTexts(NAMES, frames, found);
}
