import { type DestinationStream, type Logger as PinoLogger, pino } from "pino";
import { cleanMessage, type LogFields, pickLogFields } from "./log-fields.ts";

export interface Logger {
  /** Minimum level that is written. Not every logger has a minimum level. */
  readonly level?: string;
  info(message: string, fields?: LogFields): void;
  warn(message: string, fields?: LogFields): void;
  error(message: string, fields?: LogFields): void;
}

/** Creates a logger that writes JSON lines to standard error with a fixed schema: declared fields and a message. */
export function createLogger(
  name: string,
  level: string,
  destination: DestinationStream = pino.destination(2),
): Logger {
  const log: PinoLogger = pino({ name, level, base: { name } }, destination);
  const write =
    (method: "info" | "warn" | "error") =>
    (message: string, fields: LogFields = {}) => {
      if (log.isLevelEnabled(method)) log[method](pickLogFields(fields), cleanMessage(message));
    };
  return { level, info: write("info"), warn: write("warn"), error: write("error") };
}
