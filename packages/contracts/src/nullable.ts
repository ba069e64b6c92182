import Type, { type TNull, type TOptional, type TSchema, type TUnion } from "typebox";

/** An optional field that may also be sent as null, which means absent. */
export function Nullable<Schema extends TSchema>(schema: Schema): TOptional<TUnion<[Schema, TNull]>> {
  return Type.Optional(Type.Union([schema, Type.Null()]));
}
