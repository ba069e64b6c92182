import Type, { type TNull, type TOptional, type TSchema, type TSchemaOptions, type TUnion } from "typebox";

/** Returns a query parameter that may be omitted or empty, which means null. */
export function NullableParameter<Schema extends TSchema>(
  schema: Schema,
  options: TSchemaOptions,
): TOptional<TUnion<[Schema, TNull]>> {
  return Type.Optional(Type.Union([schema, Type.Null()], options));
}
