import { runInOrganization } from "@tollgate/db/tenancy.ts";
import type { CallFilter } from "@tollgate/db/usage/call-filter.ts";
import { findContents, type SealedContent } from "@tollgate/db/usage/find-call.ts";
import { listCallsBefore } from "@tollgate/db/usage/list-calls.ts";
import { type CallPosition, type CallRow, timeOfId } from "@tollgate/db/usage/read-calls.ts";
import { hasText, searchable } from "@tollgate/domain/contents/find-text.ts";
import type { SecretBox } from "@tollgate/runtime/secret-box.ts";
import type { Caller } from "../caller.ts";
import type { Services } from "../services.ts";
import { CONTENT_PURPOSE } from "./content-retention.ts";
import { runReport } from "./report-scope.ts";

/** Limits of one search. A search that reaches one of them can be continued. */
export interface SearchBudget {
  /** Maximum number of requests to look at, with and without content. */
  readonly calls: number;
  /** Maximum size of the contents to decrypt, in characters of their ciphertexts. */
  readonly characters: number;
  readonly ms: number;
}

/** Half of the time is for other work, so that a search decrypts for at most a second. */
export const SEARCH_BUDGET: SearchBudget = { calls: 20_000, characters: 96_000_000, ms: 2_000 };
/** Number of calls per list, and of contents per statement, which has at most 9 MB: 64 KiB twice, encrypted, in base64. */
const CALLS_AT_ONCE = 1_000;
const CONTENTS_AT_ONCE = 50;
/** Maximum duration of a turn. Other work of the process waits for it. */
const TURN_MS = 5;

interface SearchRequest {
  readonly caller: Caller;
  readonly services: Services;
  readonly filter: CallFilter;
  readonly text: string;
  readonly after: CallPosition | null;
  /** Maximum number of requests to find. */
  readonly limit: number;
  readonly signal: AbortSignal;
  readonly budget?: SearchBudget;
}

/** The requests that a search found, and how far it searched. */
interface ContentSearch {
  readonly rows: readonly CallRow[];
  /** Number of requests with stored content that were searched. */
  readonly searched: number;
  /** Number of contents that can't be decrypted, because they were encrypted with a key that is no longer configured. */
  readonly unreadable: number;
  /** Time of the earliest request that was searched. */
  readonly until: Date;
  /** Position to continue from; null if the whole time range was searched. */
  readonly next: CallPosition | null;
}

/** Searches the stored contents of the matching calls for a text, latest first, until the budget is used up. */
export async function searchContents(request: SearchRequest): Promise<ContentSearch> {
  const { caller, services, filter, limit, signal, budget = SEARCH_BUDGET } = request;
  const search = new ContentSearcher(searchable(request.text), services.secrets, limit);
  const deadlineMs = performance.now() + budget.ms;
  let { after } = request;
  let looked = 0;
  const isOver = () =>
    looked >= budget.calls ||
    search.characters >= budget.characters ||
    performance.now() >= deadlineMs ||
    search.isFull ||
    signal.aborted;
  const ended = (next: CallPosition | null): ContentSearch => ({
    ...search.result,
    until: next === null ? filter.from : new Date(timeOfId(next.id)),
    next,
  });
  do {
    const place = { after, limit: Math.min(CALLS_AT_ONCE, budget.calls - looked) };
    const listed = await runReport(caller, services, (transaction) => listCallsBefore(transaction, filter, place));
    for (let start = 0; start < listed.rows.length; start += CONTENTS_AT_ONCE) {
      const calls = listed.rows.slice(start, start + CONTENTS_AT_ONCE);
      search.add(calls, await readContents(request, calls));
      do {
        after = (await services.searchTurns.take(() => search.takeTurn())) ?? after;
      } while (search.hasMore && !isOver());
      looked += calls.length;
      const isLast = listed.next === null && start + CONTENTS_AT_ONCE >= listed.rows.length && !search.hasMore;
      if (isLast) return ended(null);
      if (isOver()) return ended(after);
    }
    if (listed.next === null) return ended(null);
    after = listed.next;
  } while (!isOver());
  return ended(after);
}

/** Reads the contents of calls that the caller may see. Requests without a usage event never have content. */
async function readContents(
  { caller, services: { reportDb, now }, filter }: SearchRequest,
  calls: readonly CallRow[],
): Promise<ReadonlyMap<string, SealedContent>> {
  const ids = calls.filter(({ state }) => state !== null).map(({ id }) => id);
  const organizationId = filter.organizationId as string;
  if (ids.length === 0) return new Map();
  return runInOrganization(
    reportDb,
    organizationId,
    (transaction) => findContents(transaction, organizationId, ids, now()),
    caller.userId,
  );
}

/** Decrypts contents and searches them, one turn at a time. */
class ContentSearcher {
  characters = 0;
  readonly #text: string;
  readonly #secrets: SecretBox;
  readonly #limit: number;
  readonly #rows: CallRow[] = [];
  #searched = 0;
  #unreadable = 0;
  #calls: readonly CallRow[] = [];
  #contents: ReadonlyMap<string, SealedContent> = new Map();
  #at = 0;

  constructor(text: string, secrets: SecretBox, limit: number) {
    this.#text = text;
    this.#secrets = secrets;
    this.#limit = limit;
  }

  get isFull(): boolean {
    return this.#rows.length >= this.#limit;
  }

  /** True if not all added calls have been searched. */
  get hasMore(): boolean {
    return this.#at < this.#calls.length;
  }

  get result(): Pick<ContentSearch, "rows" | "searched" | "unreadable"> {
    return { rows: this.#rows, searched: this.#searched, unreadable: this.#unreadable };
  }

  /** Sets the calls to search next, after all earlier ones have been searched. */
  add(calls: readonly CallRow[], contents: ReadonlyMap<string, SealedContent>): void {
    this.#calls = calls;
    this.#contents = contents;
    this.#at = 0;
  }

  /** Searches at least one call, and further ones for a few milliseconds. Returns the position after the last one. */
  takeTurn(): CallPosition | null {
    const endMs = performance.now() + TURN_MS;
    let last: CallRow | undefined;
    do {
      last = this.#calls[this.#at];
      if (last === undefined) return null;
      this.#at += 1;
      const sealed = this.#contents.get(last.id);
      if (sealed !== undefined && this.#isMatch(sealed)) this.#rows.push(last);
    } while (this.hasMore && !this.isFull && performance.now() < endMs);
    return { id: last.id, value: 0n };
  }

  #isMatch(sealed: SealedContent): boolean {
    this.characters += sealed.request.length + sealed.answer.length;
    const content = this.#open(sealed);
    if (content === null) {
      this.#unreadable += 1;
      return false;
    }
    this.#searched += 1;
    return hasText(content, this.#text);
  }

  /** Returns null if the content can't be decrypted, so that one such content does not prevent the search of others. */
  #open({ request, answer }: SealedContent): { readonly request: string; readonly answer: string } | null {
    try {
      return {
        request: this.#secrets.open(request, CONTENT_PURPOSE),
        answer: this.#secrets.open(answer, CONTENT_PURPOSE),
      };
    } catch {
      return null;
    }
  }
}
