import type { Usage } from "@tollgate/domain/pricing/usage.ts";
import type { BodyPieces } from "./body-pieces.ts";

/**
 * A large response that is relayed in the pieces in which it arrived. Its text is only made if something reads it, such
 * as a guardrail or a cache.
 */
export class PiecedAnswer {
  readonly pieces: BodyPieces;
  readonly usage: Usage;
  /** The member that names the model, as the upstream sent it: the text from which the served model is read. */
  readonly namedModel: string;
  #text: string | null = null;

  constructor(pieces: BodyPieces, usage: Usage, namedModel: string) {
    this.pieces = pieces;
    this.usage = usage;
    this.namedModel = namedModel;
  }

  get text(): string {
    this.#text ??= this.pieces.toString("latin1");
    return this.#text;
  }
}
