import { findTopLevelString } from "@tollgate/domain/json-text.ts";
import type { Usage } from "@tollgate/domain/pricing/usage.ts";
import type { BodyPieces } from "../../call/body-pieces.ts";
import { PiecedAnswer } from "../../call/pieced-answer.ts";
import type { TranslatedCall } from "../../call/provider.ts";
import { findUsage, isObjectAround, namesTier, pricedTiersOf, withServedTier } from "./read-answer.ts";

/** Number of bytes at both ends of a large response in which its model and its usage are expected. */
export const END_BYTES = 4 * 1024;

/**
 * Reads a large chat response by its ends, which are all that the gateway needs of it. The result is the one of
 * `readChatAnswer`. Returns null if the ends are not enough.
 */
export function readChatPieces(call: TranslatedCall, pieces: BodyPieces): PiecedAnswer | null {
  const beginning = pieces.beginning(END_BYTES);
  const ending = pieces.ending(END_BYTES);
  const model = findTopLevelString(beginning, "model");
  const found = findUsage(ending);
  if (model === null || found?.usage == null || !isObjectAround(beginning, ending, found.end)) return null;
  const tiers = pricedTiersOf(call);
  if (tiers !== "none" && !namesTier(ending)) return null;
  return replaceModel(call, pieces, withServedTier(found.usage, ending, tiers), beginning, model, 0);
}

interface TextRange {
  readonly start: number;
  readonly end: number;
}

/** Replaces the model name, which is in a text that begins at this position of the response. */
export function replaceModel(
  call: TranslatedCall,
  pieces: BodyPieces,
  usage: Usage,
  text: string,
  { start, end }: TextRange,
  textAt: number,
): PiecedAnswer {
  const changed = pieces.replace(textAt + start, textAt + end, Buffer.from(call.model.shownJson, "latin1"));
  return new PiecedAnswer(changed, usage, `"model":${text.slice(start, end)}`);
}
