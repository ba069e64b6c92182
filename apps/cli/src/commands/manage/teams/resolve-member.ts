import { notFoundError } from "../../../cli-error.ts";
import { closestTo } from "../../../closest-to.ts";

interface Member {
  readonly memberId: number;
  readonly userId: number;
  readonly email: string;
  readonly name: string;
}

/** Finds a member by email address, which is unique, or by ID. */
export function resolveMember<Row extends Member>(wanted: string, members: readonly Row[], where: string): Row {
  const found = members.find(
    ({ email, memberId }) => email.toLowerCase() === wanted.toLowerCase() || String(memberId) === wanted,
  );
  if (found !== undefined) return found;
  const close = closestTo(
    wanted,
    members.map(({ email }) => email),
  );
  throw notFoundError(`Unknown member '${wanted}' in ${where}.`, close === null ? null : `Did you mean '${close}'?`);
}
