import type { TSchema } from "typebox";
import { Compile } from "typebox/compile";

/** Compiles a fast validity check for a schema. `listProblems` explains a failed check. */
export function compileCheck(schema: TSchema): (value: unknown) => boolean {
  const validator = Compile(schema);
  // The validator's own function, because a wrapper would run for every call.
  return validator.Check.bind(validator);
}
