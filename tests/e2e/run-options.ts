import type { Theme } from "./stage/open-console.ts";

/** Widths and themes to visit each page in. */
interface Views {
  readonly widths: readonly number[];
  readonly themes: readonly Theme[];
}

/** Environment variables in which `run.ts` passes its options to the tests. */
export const QUICK = "TOLLGATE_E2E_QUICK";
export const JSON_LINE = "TOLLGATE_E2E_JSON";
/** Folder of the built console. If it is not set, the global setup builds the console and sets it. */
export const CONSOLE_FOLDER = "TOLLGATE_E2E_CONSOLE";

export const isQuick = process.env[QUICK] === "1";
export const printsJson = process.env[JSON_LINE] === "1";

export const views: Views = isQuick
  ? { widths: [1440], themes: ["light"] }
  : { widths: [360, 768, 1440], themes: ["light", "dark"] };

/**
 * Time limits for a page's first paint, and for a finished call to appear in a live list. The limits of a quick run only
 * catch extreme times, because CI runs it on a busy machine.
 */
export const limitsMs = isQuick ? { paint: 10_000, live: 20_000 } : { paint: 1_000, live: 2_000 };

/** Number of payloads to plant in a quick run. A whole run plants all of them. */
export const QUICK_PAYLOADS = 20;
