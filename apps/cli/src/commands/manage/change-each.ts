import { ApiError } from "@tollgate/sdk/http/api-error.ts";
import type { CommandContext } from "../../context.ts";
import { EXIT } from "../../exit-codes.ts";

interface EachResult {
  readonly id: string;
  readonly name: string;
  readonly ok: boolean;
  readonly error: string | null;
}

/**
 * Applies a change to each row in turn. If there is only one row and its change is refused, the command fails. If there
 * are several rows, refused changes are reported, all other changes are applied, and the exit code reports the failure.
 */
export async function changeEach<Row extends { readonly id: string; readonly name: string }>(
  context: CommandContext,
  rows: readonly Row[],
  done: string,
  change: (row: Row) => Promise<unknown>,
): Promise<number> {
  const { output } = context;
  const results: EachResult[] = [];
  for (const row of rows) {
    const error = rows.length === 1 ? await change(row).then(() => null) : await tryChange(() => change(row));
    results.push({ id: row.id, name: row.name, ok: error === null, error });
    if (error === null) output.done(`${done} ${row.name}`);
    else output.warn(`${row.name} (${row.id}): ${error}`);
  }
  const failed = results.filter(({ ok }) => !ok).length;
  if (output.isJson) output.list({ rows: results, columns: [], meta: { total: results.length, failed } });
  return failed === 0 ? EXIT.ok : EXIT.someFailed;
}

/** Returns the platform's refusal message; null on success. Other errors end the command. */
async function tryChange(change: () => Promise<unknown>): Promise<string | null> {
  try {
    await change();
    return null;
  } catch (error) {
    if (error instanceof ApiError && error.status >= 400 && error.status < 500 && error.status !== 401)
      return error.message;
    throw error;
  }
}

export const eachFields = ["id", "name", "ok", "error"] as const;
