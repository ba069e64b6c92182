import type { FindTexts } from "../../call/output-counter.ts";
import { findTranscriptTexts } from "../../wire/delta-texts.ts";

/** Finds the text in a response's events. Only deltas are read, so no text is found twice. */
export const findResponseTexts: FindTexts = findTranscriptTexts;
