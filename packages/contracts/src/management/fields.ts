import Type, { type TSchema } from "typebox";

export const nullable = <Schema extends TSchema>(schema: Schema) => Type.Union([schema, Type.Null()]);

export const Name = Type.String({ minLength: 1, maxLength: 100, pattern: "^[^\\x00-\\x1f\\x7f-\\x9f]*$" });
export const Email = Type.String({ minLength: 3, maxLength: 254, pattern: "^\\s*[^@\\s]+@[^@\\s]+\\s*$" });
/** RFC 3339 in UTC with milliseconds. Handlers return a Date. */
export const Time = Type.Unsafe<Date>({ type: "string", format: "date-time" });
export const NullableTime = Type.Unsafe<Date | null>({
  anyOf: [{ type: "string", format: "date-time" }, { type: "null" }],
});
/** A time in a request. */
export const TimeInput = Type.String({ minLength: 10, maxLength: 40 });
export const Search = Type.String({ maxLength: 200 });

/** Returns the schema of a prefixed ID, such as `team_01J…`. */
export const idOf = (prefix: string) => Type.String({ pattern: `^${prefix}_[0-9A-HJKMNP-TV-Z]{26}$` });
/** A record ID in a path. Any text is accepted. An invalid ID matches no record. */
export const PathId = Type.String({ minLength: 1, maxLength: 300 });
