import type { CohereCitation } from "./cohere-wire.ts";

interface Source {
  readonly id?: unknown;
  readonly document?: Readonly<Record<string, unknown>> | null;
  readonly tool_output?: Readonly<Record<string, unknown>> | null;
}

/** Converts citations to annotations, one for each source with a URL. Chat completions can't express other sources. */
export function readAnnotations(citations: unknown): readonly object[] {
  if (!Array.isArray(citations)) return [];
  return (citations as readonly (CohereCitation | null)[]).flatMap((citation) => {
    const { start, end, sources } = citation ?? {};
    if (typeof start !== "number" || typeof end !== "number" || !Array.isArray(sources)) return [];
    return (sources as readonly (Source | null)[]).flatMap((source) => {
      const page = source?.document ?? source?.tool_output;
      if (typeof page?.url !== "string") return [];
      const title = typeof page.title === "string" ? page.title : "";
      return [{ type: "url_citation", url_citation: { start_index: start, end_index: end, title, url: page.url } }];
    });
  });
}
