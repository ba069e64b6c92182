import { unknownObject } from "@tollgate/contracts/management/failure.ts";

/** Parses a user ID from a path. An invalid ID is reported as not found. */
export function readUserId(text: string): number {
  const id = /^[1-9][0-9]{0,9}$/.test(text) ? Number(text) : 0;
  if (id < 1 || id > 2_147_483_647) throw unknownObject("user");
  return id;
}
