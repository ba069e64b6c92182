import type { TSchema } from "typebox";
import { Compile } from "typebox/compile";

/** A fast yes or no for one schema, compiled once. `listProblems` explains a no. */
export function compileCheck(schema: TSchema): (value: unknown) => boolean {
  const validator = Compile(schema);
  return (value) => validator.Check(value);
}
