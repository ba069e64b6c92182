import { setTimeout as pause } from "node:timers/promises";
import { ApiError } from "@tollgate/sdk/http/api-error.ts";
import type { CallInput } from "@tollgate/sdk/platform/platform-client.ts";
import { CliError } from "../../../cli-error.ts";
import type { CommandContext } from "../../../context.ts";
import { EXIT } from "../../../exit-codes.ts";
import { type Call, formatCallLine, formatCallTsv } from "./call-text.ts";

const FIRST_PAUSE_MS = 500;
const MAX_TRIES = 6;
const REMEMBERED = 1000;
const MAX_LISTED = 100;
/**
 * How far before the start of the tail to list missed requests. Lists are ordered by start time, and a request may have
 * started long before it finished.
 */
const OVERLAP_MS = 10 * 60_000;

type Filter = NonNullable<CallInput<"streamLogs">["query"]>;

interface TailOptions {
  /** Number of earlier requests to show first. */
  readonly last: number;
  /** Number of requests to print before the tail ends. */
  readonly limit: number;
}

/**
 * Prints requests as they finish, until the user stops the command. If a stream ends or breaks, reconnects and lists
 * the requests that it missed. Never prints a request twice.
 */
export async function tailCalls(context: CommandContext, filter: Filter, options: TailOptions): Promise<void> {
  const { platform, output } = context;
  const startedMs = Date.now();
  const printer = new CallPrinter(context, options.limit);
  if (options.last > 0) printer.show(await list({ pageSize: Math.min(options.last, MAX_LISTED) }));
  for (let tries = 0; printer.hasRoom; tries += 1) {
    try {
      if (await watch(tries > 0)) tries = 0;
    } catch (error) {
      if (!canPass(error) || tries === MAX_TRIES) throw toFailure(error);
      output.note(`Stream interrupted. Reconnecting (${tries + 1} of ${MAX_TRIES})…`);
    }
    if (printer.hasRoom) await pause(FIRST_PAUSE_MS * 2 ** tries);
  }

  /** Prints the events of one stream. Returns true if the stream sent an event. */
  async function watch(isAgain: boolean): Promise<boolean> {
    if (isAgain) await showMissed();
    let events = 0;
    for await (const { event, data } of platform.events("streamLogs", { query: filter })) {
      events += 1;
      // Print requests that finished after the list was read and before the first event of this stream.
      if ((isAgain || options.last > 0) && events === 1) await showMissed();
      if (event === "call") printer.show([data as Call]);
      if (event === "skipped") output.note(`… ${(data as { count: number }).count} more requests`);
      if (event === "end" || !printer.hasRoom) break;
    }
    return events > 0;
  }

  async function showMissed(): Promise<void> {
    const startDate = new Date(startedMs - OVERLAP_MS).toISOString();
    const calls = await list({ startDate, pageSize: MAX_LISTED });
    printer.show(calls.filter(({ createdAt, latencyMs }) => Date.parse(createdAt) + latencyMs >= startedMs));
  }

  /** Returns requests, oldest first. */
  async function list(query: { readonly startDate?: string; readonly pageSize: number }): Promise<readonly Call[]> {
    return (await platform.call("listLogs", { query: { ...filter, ...query } })).data.toReversed();
  }
}

/** Prints each request once. */
class CallPrinter {
  readonly #context: CommandContext;
  readonly #seen = new Set<string>();
  #left: number;

  constructor(context: CommandContext, limit: number) {
    this.#context = context;
    this.#left = limit;
  }

  get hasRoom(): boolean {
    return this.#left > 0;
  }

  show(calls: readonly Call[]): void {
    const { output } = this.#context;
    for (const call of calls) {
      if (this.#seen.has(call.id) || !this.hasRoom) continue;
      this.#remember(call.id);
      this.#left -= 1;
      output.streamed(call, (styles) =>
        output.isTerminal ? formatCallLine(call, output.width, styles) : formatCallTsv(call),
      );
    }
  }

  #remember(id: string): void {
    this.#seen.add(id);
    const [oldest] = this.#seen;
    if (this.#seen.size > REMEMBERED && oldest !== undefined) this.#seen.delete(oldest);
  }
}

/** Reports whether a retry may succeed: the connection broke, or the platform is temporarily unavailable. */
function canPass(error: unknown): boolean {
  return error instanceof ApiError ? error.retryable && error.status !== 429 : error instanceof TypeError;
}

function toFailure(error: unknown): unknown {
  if (error instanceof ApiError || !(error instanceof TypeError)) return error;
  return new CliError(EXIT.temporary, "STREAM_LOST", "The log stream was interrupted.", "tollgate logs tail");
}
