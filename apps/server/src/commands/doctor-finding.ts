import type { Settings } from "@tollgate/runtime/settings/settings.ts";
import type { DatabaseProbeResult } from "./doctor-database.ts";

/** One line of the report. A fix says what to do; only what passed has none. */
export interface Finding {
  readonly name: string;
  readonly state: "passed" | "warning" | "failed";
  readonly text: string;
  readonly fix: string | null;
}

/** What the checks look at. It is gathered once and read only. */
export interface DoctorContext {
  readonly env: NodeJS.ProcessEnv;
  readonly cwd: string;
  /** The folder of the embedded database, where that is the one in use. */
  readonly dataDir: string | null;
  /** The settings files by name, for the report. */
  readonly files: readonly string[];
  readonly settings: Settings | null;
  /** Why there are no settings. */
  readonly settingsProblem: string | null;
  /** Looks at the database on first use; the checks share what was seen. */
  database(): Promise<DatabaseProbeResult>;
}

export const passed = (name: string, text: string): Finding => ({ name, state: "passed", text, fix: null });
export const warned = (name: string, text: string, fix: string): Finding => ({ name, state: "warning", text, fix });
export const failed = (name: string, text: string, fix: string): Finding => ({ name, state: "failed", text, fix });
