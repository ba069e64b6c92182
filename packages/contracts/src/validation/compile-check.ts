import type { TSchema } from "typebox";
import { Compile } from "typebox/compile";

/**
 * Creates a check that is compiled when it is first used, in one to three milliseconds. Most of the several hundred
 * operations of a server are never called, and their checks would take memory for as long as it runs.
 */
export function compileOnUse(schema: TSchema): (value: unknown) => boolean {
  let check: ((value: unknown) => boolean) | null = null;
  return (value) => {
    check ??= compileCheck(schema);
    return check(value);
  };
}

/** Compiles a fast validity check for a schema. `listProblems` explains a failed check. */
export function compileCheck(schema: TSchema): (value: unknown) => boolean {
  const validator = Compile(schema);
  // The validator's own function, because a wrapper would run for every call.
  return validator.Check.bind(validator);
}
