import type { Place } from "./source-tree.ts";

/** Something wrong in the settings: what, where, and when we know it, the way out. */
export interface SettingsProblem extends Place {
  readonly message: string;
  readonly suggestion?: string;
}

/** Something to know about settings that can be used: a setting without effect, an unknown one, or advice. */
export interface SettingsWarning extends SettingsProblem {
  readonly kind: "without-effect" | "unknown" | "advice";
}

/** Collects everything found, so that a person fixes a file in one round and not in one per restart. */
export class Findings {
  readonly problems: SettingsProblem[] = [];
  readonly warnings: SettingsWarning[] = [];

  refuse(place: Place, message: string, suggestion?: string): void {
    this.problems.push(describe(place, message, suggestion));
  }

  warn(kind: SettingsWarning["kind"], place: Place, message: string, suggestion?: string): void {
    this.warnings.push({ ...describe(place, message, suggestion), kind });
  }
}

function describe({ file, line, column, path }: Place, message: string, suggestion?: string): SettingsProblem {
  // Some messages are the name of what they are about, and a name can be empty.
  const said = message === "" ? '""' : message;
  return { file, line, column, path, message: said, ...(suggestion === undefined ? {} : { suggestion }) };
}
