import type { DatasetSource } from "../datasets/dataset-source.ts";
import type { Logger, Operation } from "../handlers.ts";
import type { SlotCounts } from "../jobs/job-slots.ts";

/** PEM text, as `readFileSync` gives it. With `clientCa` only callers with a certificate it signed are let in. */
export interface TlsOptions {
  readonly cert: string | Buffer;
  readonly key: string | Buffer;
  readonly clientCa?: string | Buffer;
}

export interface ParticipantLimits {
  /** Of a JSON body, after inflating. 256 MiB. */
  readonly maxJsonBytes: number;
  /** Of a frames body, after inflating. 8 GiB. */
  readonly maxFrameBytes: number;
  /** Entries of `parameters_list`. 1000. */
  readonly maxEntries: number;
  /** Parameters of one body or result above this wait in the spool folder instead of in memory. 64 MiB. */
  readonly memoryBytes: number;
  /** Of all results that wait to be fetched. 16 GiB. */
  readonly maxStoredBytes: number;
}

/** Everything has a default; what is given here wins over the environment. */
export interface ParticipantOptions {
  /** Environment HOST, else 127.0.0.1. Any other address needs a token. */
  readonly host?: string;
  /** Environment PORT, else 5000. 0 takes a free one. */
  readonly port?: number;
  /** Environment PARTICIPANT_TOKEN, several separated by commas while they are rotated. At least 16 characters each. */
  readonly token?: string | readonly string[];
  /** Says that an open participant on the network is meant. */
  readonly insecure?: boolean;
  /** The participant's own data, used when a request brings none. Environment DATASET_PATH. */
  readonly dataset?: DatasetSource;
  /** Data that requests may ask for by name. */
  readonly datasets?: Readonly<Record<string, DatasetSource>>;
  readonly limits?: Partial<ParticipantLimits>;
  /** One job at a time over all operations, unless told otherwise. */
  readonly slots?: Partial<SlotCounts>;
  /** Jobs that may wait for a slot. 0: a caller that comes second is told so at once. */
  readonly maxQueue?: number;
  /** The longest a job may take: 86 400 for train, 3600 for the others. A number holds for all three. */
  readonly maxSeconds?: number | Partial<Record<Operation, number>>;
  /** How long a function may take to end once its signal fired. 10. */
  readonly graceSeconds?: number;
  /** How long running jobs may take to end after SIGTERM. 30. */
  readonly drainSeconds?: number;
  /** How long a result can be fetched again. 3600. */
  readonly retentionSeconds?: number;
  /** Ends the process when a function does not stop after its time and the grace, so that a supervisor starts it anew. */
  readonly forceExit?: boolean;
  /** Shows callers the stack of a function that threw. For development. */
  readonly exposeErrors?: boolean;
  readonly tls?: TlsOptions;
  /** `call` serves `POST /call` with a `method` field besides the three paths. */
  readonly compat?: { readonly call?: boolean };
  /** Where the start block and the line of each call go: standard error, unless told otherwise. */
  readonly logger?: Logger;
  /** Runs the functions of `module` in a worker thread, so that long calculations block nothing and can be ended. */
  readonly workers?: boolean;
  /** A module that exports `train`, `evaluate` or `aggregate`; with `workers` only. */
  readonly module?: string | URL;
  /** Where large parameters wait: the system's folder for temporary files, which on some systems is memory. */
  readonly spoolFolder?: string;
}
