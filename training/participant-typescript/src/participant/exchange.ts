import type { IncomingMessage, ServerResponse } from "node:http";
import type { JobBoard } from "../jobs/job-board.ts";
import type { FunctionHost } from "./function-host.ts";
import type { ParticipantSettings } from "./participant-settings.ts";

/** Components shared by all routes. */
export interface ParticipantParts {
  readonly settings: ParticipantSettings;
  readonly host: FunctionHost;
  readonly board: JobBoard;
  readonly spoolFolder: string;
  /** Number of large bodies being read. */
  readonly largeBodies: { count: number };
}

/** One request and its response. */
export interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** True if the caller waits for `100 Continue` before it sends the body. */
  readonly awaitsContinue: boolean;
  /** Job ID from the path. */
  readonly jobId: string;
}
