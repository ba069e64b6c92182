import { notFoundError, usageError } from "./cli-error.ts";
import { closestTo } from "./closest-to.ts";

/** An object with a name and an ID. */
interface Named {
  readonly id: string | number;
  readonly name: string | null;
}

/**
 * Finds the row with this ID or name. Throws if no row matches or if several rows match. In the latter case, the error
 * lists the matches.
 */
export function resolveName<Row extends Named>(kind: string, wanted: string, rows: readonly Row[]): Row {
  const byId = rows.find((row) => String(row.id) === wanted);
  if (byId !== undefined) return byId;
  const named = rows.filter((row) => row.name?.toLowerCase() === wanted.toLowerCase());
  const exact = named.filter((row) => row.name === wanted);
  const found = exact.length > 0 ? exact : named;
  if (found.length === 1) return found[0] as Row;
  if (found.length > 1) {
    const listed = found.map((row) => `${row.id} (${row.name})`).join(", ");
    throw usageError(`'${wanted}' matches several ${kind}s: ${listed}.`, "Use the ID.");
  }
  const close = closestTo(
    wanted,
    rows.flatMap(({ name }) => (name === null ? [] : [name])),
  );
  throw notFoundError(`Unknown ${kind} '${wanted}'.`, close === null ? null : `Did you mean '${close}'?`);
}
