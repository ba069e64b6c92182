import { findTranscriptTexts } from "../../providers/openai/delta-texts.ts";
import type { FindTexts } from "../../tokens/output-meter.ts";

/** Finds the text in a response's events. Only deltas are read, so no text is found twice. */
export const findResponseTexts: FindTexts = findTranscriptTexts;
