import type { Place } from "./source-tree.ts";

/** A problem in the settings, with its location and, if known, a fix. */
export interface SettingsProblem extends Place {
  readonly message: string;
  readonly suggestion?: string;
}

/** A warning about valid settings: a setting without effect, an unknown setting, or advice. */
export interface SettingsWarning extends SettingsProblem {
  readonly kind: "without-effect" | "unknown" | "advice";
}

/** Collects all findings, so that a file can be fixed in one pass, without a restart for each problem. */
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
  // The message can be a setting's name, and the name can be empty.
  const said = message === "" ? '""' : message;
  return { file, line, column, path, message: said, ...(suggestion === undefined ? {} : { suggestion }) };
}
