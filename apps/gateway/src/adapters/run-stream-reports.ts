import type { OpenRunStreams } from "@tollgate/db/assistants/run-streams.ts";

type List = () => readonly OpenRunStreams[];

interface ReportOptions {
  readonly write: (open: readonly OpenRunStreams[]) => Promise<void>;
  /** Called when a report failed. The next one follows in any case. */
  readonly onFailed: (error: unknown) => void;
  readonly delayMs?: number;
}

/** Time after a change until it is reported, so that many changes need one report. */
const DELAY_MS = 1_000;
/** Time after which open streams are reported again. Reports that are older than 90 seconds don't count. */
const REPEAT_MS = 30_000;

/** Reports this process's open streams of run events to the database, where the platform reads them. */
export class RunStreamReports {
  readonly #options: ReportOptions;
  #list: List = () => [];
  #timer: NodeJS.Timeout | null = null;
  #isDue = false;
  #running: Promise<void> = Promise.resolve();

  constructor(options: ReportOptions) {
    this.#options = options;
  }

  /** Reports the streams soon. */
  readonly notify = (list: List): void => {
    this.#list = list;
    if (this.#isDue) return;
    this.#isDue = true;
    this.#schedule(this.#options.delayMs ?? DELAY_MS);
  };

  /** Withdraws the report, because the streams of a process that stops are closed. */
  async close(): Promise<void> {
    if (this.#timer === null) return;
    clearTimeout(this.#timer);
    this.#timer = null;
    await this.#running;
    await this.#options.write([]).catch(this.#options.onFailed);
  }

  #schedule(delayMs: number): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      this.#running = this.#report();
    }, delayMs);
    this.#timer.unref();
  }

  async #report(): Promise<void> {
    this.#isDue = false;
    const open = this.#list();
    await this.#options.write(open).catch(this.#options.onFailed);
    // A failed report is repeated, too. Without open streams, the timer ends with the last successful report.
    if (open.length > 0 && !this.#isDue) this.#schedule(REPEAT_MS);
  }
}
