import type { RowOf } from "@tollgate/sdk/platform/platform-client.ts";
import type { CommandContext } from "./context.ts";
import { resolveName } from "./resolve-name.ts";

const PAGE = 100;

/** List operations whose rows have an ID and a name, each with the singular noun for a row. */
const kinds = { listApiKeys: "key", listTeams: "team", listOrganizations: "organization" } as const;
type NamedList = keyof typeof kinds;

/** Finds a key, team, or organization by ID or name. */
export async function resolveListed<Id extends NamedList>(
  context: CommandContext,
  id: Id,
  wanted: string,
): Promise<RowOf<Id>> {
  const kind = kinds[id];
  const isId = /^(?:key|team|org)_[0-9a-z]{26}$/i.test(wanted);
  // The platform searches only names, and an ID may not be on the first page.
  const query = isId ? { pageSize: PAGE } : { pageSize: PAGE, search: wanted };
  const found = await rowsOf(context, id, query, isId ? wanted : null);
  const rows = found.length > 0 || isId ? found : await rowsOf(context, id, { pageSize: PAGE }, null);
  return resolveName(kind, wanted, rows) as RowOf<Id>;
}

/** Returns the rows of the first page, or of all pages up to the page that contains the requested row. */
async function rowsOf(
  context: CommandContext,
  id: NamedList,
  query: { readonly pageSize: number; readonly search?: string },
  until: string | null,
): Promise<RowOf<NamedList>[]> {
  const rows: RowOf<NamedList>[] = [];
  for await (const page of context.platform.pages<NamedList>(id, { query })) {
    rows.push(...page.data);
    if (until === null || page.data.some((row) => row.id === until)) break;
  }
  return rows;
}
