import Type, { type TNull, type TOptional, type TSchema, type TSchemaOptions, type TUnion } from "typebox";

/** A query parameter that may be left out, or sent empty, which means null. */
export function NullableParameter<Schema extends TSchema>(
  schema: Schema,
  options: TSchemaOptions,
): TOptional<TUnion<[Schema, TNull]>> {
  return Type.Optional(Type.Union([schema, Type.Null()], options));
}
