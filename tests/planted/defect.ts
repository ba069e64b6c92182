import type { NamedEdits } from "../adversary/apply-edits.ts";

/** A small mistake that a developer could make, and the tests that must notice it. */
export interface Defect {
  readonly name: string;
  /** Product file, relative to the root of the repository. */
  readonly file: string;
  /** Text that occurs exactly once in the file. */
  readonly search: string;
  /** Text with the mistake. */
  readonly replace: string;
  /** Test files or folders of the area, relative to the root of the repository. */
  readonly tests: readonly string[];
}

/** Returns a defect as edits to the sources. */
export function toEdits({ name, file, search, replace }: Defect): NamedEdits {
  return { name, edits: [{ file, before: search, after: replace }] };
}
