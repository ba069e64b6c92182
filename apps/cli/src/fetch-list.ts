import { formatCount } from "@tollgate/domain/figures/size-text.ts";
import type { CallInput, ListId, PlatformClient, RowOf } from "@tollgate/sdk/platform/platform-client.ts";
import type { CommandContext } from "./context.ts";

export interface FetchedList<Row> {
  readonly rows: readonly Row[];
  readonly meta: Readonly<Record<string, unknown>> & { readonly total?: number };
}

const MAX_PAGE_SIZE = 100;
const DEFAULT_ROWS = 20;

/** Returns the list rows that the paging flags request: one page, a number of rows, or all rows. */
export async function fetchList<Id extends ListId>(
  context: CommandContext,
  id: Id,
  input: CallInput<Id> = {} as CallInput<Id>,
  platform: PlatformClient = context.platform,
): Promise<FetchedList<RowOf<Id>>> {
  const flags = context.listFlags;
  const wanted = flags.all ? Infinity : (flags.limit ?? flags["page-size"] ?? DEFAULT_ROWS);
  const pageSize = flags["page-size"] ?? Math.min(wanted, MAX_PAGE_SIZE);
  const given = (input as { query?: object }).query ?? {};
  const query = { ...given, pageSize, ...(flags.page !== undefined && { page: flags.page }) };
  const rows: RowOf<Id>[] = [];
  let meta: FetchedList<RowOf<Id>>["meta"] = {};
  for await (const answer of platform.pages(id, { ...input, query } as CallInput<Id>)) {
    const page = answer as unknown as { data: readonly RowOf<Id>[]; meta?: object };
    rows.push(...page.data);
    meta = { ...meta, ...page.meta };
    if (rows.length >= wanted) break;
  }
  const shown = rows.slice(0, wanted);
  return { rows: shown, meta };
}

/** Returns the rows that the flags request from a complete list. Without paging flags, these are all rows. */
export function sliceList<Row>(context: CommandContext, rows: readonly Row[]): readonly Row[] {
  const { limit, page, "page-size": pageSize, all } = context.listFlags;
  const wanted = all ? Infinity : (limit ?? pageSize ?? (page === undefined ? Infinity : DEFAULT_ROWS));
  if (wanted === Infinity) return rows;
  const from = ((page ?? 1) - 1) * (pageSize ?? wanted);
  return rows.slice(from, from + wanted);
}

/**
 * Below an incomplete list, prints how many rows are shown and the command that lists all rows. `counted` has the same
 * two numbers in another unit, for rows that stand for several things each.
 */
export function printMoreHint(
  context: CommandContext,
  { rows, meta }: FetchedList<unknown>,
  what: string,
  command: string,
  counted?: { readonly shown: number; readonly total: number },
): void {
  const { total } = meta;
  if (total === undefined || total <= rows.length || !context.output.isTerminal) return;
  const figures = counted ?? { shown: rows.length, total };
  const bound = meta.totalIsMinimum === true ? "over " : "";
  const counts = `${formatCount(figures.shown)} of ${bound}${formatCount(figures.total)} ${what}`;
  context.output.note(context.output.noteStyles.dim(`${counts} · ${command} --all`));
}
