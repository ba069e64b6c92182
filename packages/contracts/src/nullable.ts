import Type, { type TNull, type TOptional, type TSchema, type TUnion } from "typebox";

/** Returns an optional field that may also be null, which means absent. */
export function Nullable<Schema extends TSchema>(schema: Schema): TOptional<TUnion<[Schema, TNull]>> {
  return Type.Optional(Type.Union([schema, Type.Null()]));
}
