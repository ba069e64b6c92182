import { type Logger as PinoLogger, pino } from "pino";

/** What a log line may say. Free-form fields are not accepted, so that no body, header or key can end up in one. */
export interface LogFields {
  readonly callId?: string;
  readonly port?: number;
  readonly pid?: number;
  readonly child?: number;
  readonly signal?: string;
  readonly code?: string | number;
  readonly durationMs?: number;
  readonly count?: number;
  readonly error?: unknown;
}

export interface Logger {
  info(message: string, fields?: LogFields): void;
  warn(message: string, fields?: LogFields): void;
  error(message: string, fields?: LogFields): void;
}

/** JSON lines on standard error, one schema. */
export function createLogger(name: string, level: string): Logger {
  const log = pino({ name, level, base: { name }, serializers: { error: describeError } }, pino.destination(2));
  const write =
    (method: "info" | "warn" | "error") =>
    (message: string, fields: LogFields = {}) =>
      (log as PinoLogger)[method](fields, message);
  return { info: write("info"), warn: write("warn"), error: write("error") };
}

function describeError(error: unknown): { message: string; stack?: string; code?: unknown } {
  if (!(error instanceof Error)) return { message: String(error) };
  const code = (error as NodeJS.ErrnoException).code;
  return { message: error.message, ...(error.stack && { stack: error.stack }), ...(code !== undefined && { code }) };
}
