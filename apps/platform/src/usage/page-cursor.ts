import { invalidField } from "@tollgate/contracts/management/failure.ts";
import type { CallPosition } from "@tollgate/db/usage/read-calls.ts";

const SHAPE = /^(-?[A-Za-z]+) (\d{1,19}) ([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/;

/** Encodes the end of a page as an opaque cursor, bound to its sort order. */
export function writeCursor(sort: string, { value, id }: CallPosition): string {
  return Buffer.from(`${sort} ${value} ${id}`).toString("base64url");
}

export function readCursor(cursor: string, sort: string): CallPosition {
  const [, madeFor, value, id] = SHAPE.exec(Buffer.from(cursor, "base64url").toString("latin1")) ?? [];
  if (value === undefined || id === undefined || BigInt(value) >= 2n ** 63n) {
    throw invalidField("cursor", "is not a cursor from this list");
  }
  if (madeFor !== sort) throw invalidField("cursor", `was created for sort=${madeFor}; send the same sort`);
  return { value: BigInt(value), id };
}
