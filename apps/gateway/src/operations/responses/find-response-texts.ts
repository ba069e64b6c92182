import { findTranscriptTexts } from "../../providers/openai/delta-texts.ts";
import type { FindTexts } from "../../tokens/output-meter.ts";

/** Finds the texts in a response's events. Output, reasoning, and tool input arrive as deltas, each text once. */
export const findResponseTexts: FindTexts = findTranscriptTexts;
