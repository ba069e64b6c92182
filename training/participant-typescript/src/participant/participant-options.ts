import type { DatasetSource } from "../datasets/dataset-source.ts";
import type { Logger, Operation } from "../handlers.ts";
import type { SlotCounts } from "../jobs/job-slots.ts";

/** PEM text, as returned by `readFileSync`. With `clientCa`, callers must present a certificate signed by that CA. */
export interface TlsOptions {
  readonly cert: string | Buffer;
  readonly key: string | Buffer;
  readonly clientCa?: string | Buffer;
}

export interface ParticipantLimits {
  /** Maximum size of a JSON body after decompression. Default: 256 MiB. */
  readonly maxJsonBytes: number;
  /** Maximum size of a frames body after decompression. Default: 8 GiB. */
  readonly maxFrameBytes: number;
  /** Maximum number of `parameters_list` entries. Default: 1000. */
  readonly maxEntries: number;
  /** Maximum parameter size in memory per body or result; larger parameters go to the spool folder. Default: 64 MiB. */
  readonly memoryBytes: number;
  /** Maximum total size of results waiting to be fetched. Default: 16 GiB. */
  readonly maxStoredBytes: number;
}

/** Participant options. All are optional and override the environment. */
export interface ParticipantOptions {
  /** Default: the HOST environment variable, or else 127.0.0.1. Any other address requires a token. */
  readonly host?: string;
  /** Default: the PORT environment variable, or else 5000. 0 picks a free port. */
  readonly port?: number;
  /**
   * At least 16 characters each. Default: the PARTICIPANT_TOKEN environment variable, comma-separated during rotation.
   */
  readonly token?: string | readonly string[];
  /** Allows a participant without a token to listen on the network. */
  readonly insecure?: boolean;
  /** The participant's own data, used if a request has no dataset. Default: the DATASET_PATH environment variable. */
  readonly dataset?: DatasetSource;
  /** Datasets that requests can select by name. */
  readonly datasets?: Readonly<Record<string, DatasetSource>>;
  readonly limits?: Partial<ParticipantLimits>;
  /** Concurrent jobs. Default: one job at a time across all operations. */
  readonly slots?: Partial<SlotCounts>;
  /** Maximum number of jobs waiting for a slot. If 0, a second caller is refused immediately. */
  readonly maxQueue?: number;
  /**
   * Maximum job duration. Default: 86,400 for train, 3,600 for the other operations. A number applies to all three
   * operations.
   */
  readonly maxSeconds?: number | Partial<Record<Operation, number>>;
  /** Grace period for a function to stop after its signal fires. Default: 10. */
  readonly graceSeconds?: number;
  /** Time for running jobs to finish after SIGTERM. Default: 30. */
  readonly drainSeconds?: number;
  /** Time for which a result can be fetched again. Default: 3600. */
  readonly retentionSeconds?: number;
  /**
   * Exits the process if a function does not stop after its time limit and grace period, so that a supervisor restarts
   * the process.
   */
  readonly forceExit?: boolean;
  /** Includes a failing function's stack in responses. For development. */
  readonly exposeErrors?: boolean;
  readonly tls?: TlsOptions;
  /** `call` also serves `POST /call` with a `method` field. */
  readonly compat?: { readonly call?: boolean };
  /** Receives the startup message and one line per call. Default: standard error. */
  readonly logger?: Logger;
  /** Runs the functions of `module` in worker threads, so that long computations don't block and can be terminated. */
  readonly workers?: boolean;
  /** Module that exports `train`, `evaluate`, or `aggregate`. Only with `workers`. */
  readonly module?: string | URL;
  /** Folder for large parameters. Default: the system's temporary folder, which on some systems is in memory. */
  readonly spoolFolder?: string;
}
