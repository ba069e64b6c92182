import type { CommandContext } from "../../../context.ts";

const MAX_PAGES = 10;

/** Returns the names of teams and keys by ID, for reports that contain only IDs. Unknown IDs are shown unchanged. */
export async function groupNames(
  { platform }: CommandContext,
  groupings: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const names = new Map<string, string>();
  const query = { pageSize: 100 };
  if (groupings.includes("team")) await collect(platform.pages("listTeams", { query }), names);
  if (groupings.includes("apiKey")) {
    await collect(platform.pages("listApiKeys", { query: { ...query, status: ["all"] } }), names);
  }
  return names;
}

interface NamedPage {
  readonly data: readonly { readonly id: string; readonly name: string }[];
}

async function collect(pages: AsyncIterable<NamedPage>, names: Map<string, string>): Promise<void> {
  let read = 0;
  for await (const { data } of pages) {
    for (const { id, name } of data) names.set(id, name);
    read += 1;
    if (read === MAX_PAGES) return;
  }
}
