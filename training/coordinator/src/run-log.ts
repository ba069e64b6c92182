import { HistoryFold } from "./history-fold.ts";
import { Journal, type JournalWatcher } from "./journal/journal.ts";
import type { JournalEntry, JournalFact } from "./journal/journal-entry.ts";
import type { RunEvent } from "./run-events.ts";
import type { RunState } from "./run-state.ts";

/** An event without its timestamp. */
type NewRunEvent = RunEvent extends infer Event ? (Event extends RunEvent ? Omit<Event, "at"> : never) : never;

interface RunLogOptions {
  readonly now: () => Date;
  readonly watch?: JournalWatcher;
  readonly onEvent: (event: RunEvent) => void;
  /** Called for every journal entry in order, including existing entries. */
  readonly onEntry: (entry: JournalEntry) => void;
}

/** Records a run's steps. State changes only through journal entries. */
export class RunLog {
  readonly #journal: Journal;
  readonly #options: RunLogOptions;
  readonly history = new HistoryFold();

  private constructor(journal: Journal, entries: readonly JournalEntry[], options: RunLogOptions) {
    this.#journal = journal;
    this.#options = options;
    for (const entry of entries) this.#apply(entry);
  }

  static async open(dir: string, options: RunLogOptions): Promise<RunLog> {
    const { journal, entries } = await Journal.open(dir, options);
    return new RunLog(journal, entries, options);
  }

  get state(): RunState {
    return this.history.state;
  }

  /** Resolves once the step is durable. */
  async record(fact: JournalFact): Promise<void> {
    this.#apply(await this.#journal.append(fact));
  }

  emit(news: NewRunEvent): void {
    this.#options.onEvent({ at: this.#options.now().toISOString(), ...news } as RunEvent);
  }

  close(): Promise<void> {
    return this.#journal.close();
  }

  #apply(entry: JournalEntry): void {
    this.history.apply(entry);
    this.#options.onEntry(entry);
  }
}
