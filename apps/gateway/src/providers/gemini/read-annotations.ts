import type { GroundingMetadata } from "./gemini-wire.ts";

/**
 * Converts grounding metadata to annotations with positions in `text`. Gemini counts bytes, and chat completions count
 * characters.
 */
export function readAnnotations(metadata: GroundingMetadata, text: string): readonly object[] {
  const bytes = Buffer.from(text, "utf8");
  const toCharacters = (offset: number | undefined): number => bytes.toString("utf8", 0, offset ?? 0).length;
  const supports = Array.isArray(metadata.groundingSupports)
    ? (metadata.groundingSupports as NonNullable<GroundingMetadata["groundingSupports"]>)
    : [];
  return supports.flatMap(({ segment, groundingChunkIndices }) =>
    (groundingChunkIndices ?? []).flatMap((index) => {
      const web = metadata.groundingChunks?.[index]?.web;
      if (typeof web?.uri !== "string") return [];
      const citation = {
        start_index: toCharacters(segment?.startIndex),
        end_index: toCharacters(segment?.endIndex),
        title: web.title ?? "",
        url: web.uri,
      };
      return [{ type: "url_citation", url_citation: citation }];
    }),
  );
}
