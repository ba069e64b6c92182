import type { TSchema } from "typebox";
import { Compile } from "typebox/compile";

/** Compiles a fast validity check for a schema. `listProblems` explains a failed check. */
export function compileCheck(schema: TSchema): (value: unknown) => boolean {
  const validator = Compile(schema);
  return (value) => validator.Check(value);
}
