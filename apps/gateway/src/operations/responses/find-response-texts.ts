import { findTranscriptTexts } from "../../providers/openai/delta-texts.ts";
import type { FindTexts } from "../../tokens/output-meter.ts";

/** The texts in the events of a response: what is said, thought or given to a tool comes in deltas, each text once. */
export const findResponseTexts: FindTexts = findTranscriptTexts;
