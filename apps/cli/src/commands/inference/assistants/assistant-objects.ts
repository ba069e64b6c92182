import { notFoundError, usageError } from "../../../cli-error.ts";
import type { CommandContext } from "../../../context.ts";
import { resolveName } from "../../../resolve-name.ts";

export interface Assistant {
  readonly id: string;
  readonly created_at: number;
  readonly name: string | null;
  readonly description: string | null;
  readonly model: string;
  readonly instructions: string | null;
  readonly tools: readonly { readonly type: string }[];
}

export interface Thread {
  readonly id: string;
  readonly created_at: number;
  readonly metadata: Readonly<Record<string, string>> | null;
}

export interface Message {
  readonly id: string;
  readonly created_at: number;
  readonly role: "user" | "assistant";
  readonly content: readonly { readonly type: string; readonly text?: { readonly value: string } }[];
  readonly run_id: string | null;
  readonly assistant_id: string | null;
}

export const assistantFields = [
  "id",
  "object",
  "created_at",
  "name",
  "description",
  "model",
  "instructions",
  "tools",
  "metadata",
  "temperature",
  "top_p",
  "response_format",
] as const;

export const messageFields = [
  "id",
  "object",
  "created_at",
  "thread_id",
  "role",
  "content",
  "assistant_id",
  "run_id",
  "status",
  "attachments",
  "metadata",
] as const;

/** Returns the text of a message; other content is shown as its type in brackets. */
export function textOf({ content }: Message): string {
  return content.map(({ type, text }) => text?.value ?? `[${type}]`).join("\n");
}

/** Converts a Unix time in seconds to ISO 8601. */
export function timeOf(seconds: number): string {
  return new Date(seconds * 1000).toISOString();
}

const PAGE = 100;
const DEFAULT_ROWS = 20;

interface GatewayPage<Row> {
  readonly data: readonly Row[];
  readonly has_more: boolean;
  readonly last_id: string | null;
}

/** Returns the rows that the paging flags select. Gateway lists have no page numbers. */
export async function fetchGatewayList<Row>(
  context: CommandContext,
  path: string,
  query: Readonly<Record<string, string>> = {},
): Promise<{ readonly rows: readonly Row[]; readonly meta: { readonly hasMore: boolean } }> {
  const { all, limit, page, "page-size": pageSize } = context.listFlags;
  if (page !== undefined) throw usageError("This list does not support --page.", "Use --limit ROWS or --all.");
  const wanted = all ? Infinity : (limit ?? pageSize ?? DEFAULT_ROWS);
  const rows: Row[] = [];
  let after: string | null = null;
  for (;;) {
    const size = Math.min(PAGE, pageSize ?? PAGE, wanted - rows.length);
    const search = new URLSearchParams({ ...query, limit: String(size), ...(after !== null && { after }) });
    const { data } = await context.gateway.request<GatewayPage<Row>>("GET", `${path}?${search}`);
    rows.push(...data.data);
    after = data.last_id;
    if (!data.has_more || rows.length >= wanted) return { rows, meta: { hasMore: data.has_more } };
  }
}

/** Finds an assistant by ID or name. */
export async function findAssistant(context: CommandContext, wanted: string): Promise<Assistant> {
  if (/^asst_\w+$/.test(wanted)) {
    return (await context.gateway.request<Assistant>("GET", `/v1/assistants/${wanted}`)).data;
  }
  const { data } = await context.gateway.request<GatewayPage<Assistant>>("GET", `/v1/assistants?limit=${PAGE}`);
  return resolveName("assistant", wanted, data.data);
}

/** Returns the URL path of a thread. Rejects invalid IDs. */
export function threadPath(id: string): string {
  if (!/^thread_\w+$/.test(id)) throw notFoundError(`Invalid thread ID '${id}'.`, "Thread IDs start with thread_.");
  return `/v1/threads/${id}`;
}
