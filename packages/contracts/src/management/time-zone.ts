import { isTimeZone } from "@tollgate/domain/local-time.ts";
import Type from "typebox";
import { invalidField } from "./failure.ts";

/** An IANA time zone name. */
export const TimeZone = Type.String({ pattern: "^[A-Za-z][A-Za-z0-9_+/-]{0,63}$" });

/** Returns the name if the time zone exists; otherwise throws. */
export function readTimeZone(field: string, name: string): string {
  if (isTimeZone(name)) return name;
  throw invalidField(field, "must be a time zone such as Europe/Prague or UTC");
}
