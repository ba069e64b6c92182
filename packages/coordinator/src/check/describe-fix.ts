import type { CheckedParticipant } from "./check-participant.ts";

/** What to do about a refusal, for whoever runs the plan. */
export function describeFix(code: string, what: string, { tokenEnv, logFile }: CheckedParticipant): string {
  const log = logFile === null ? "look at the participant's own log" : `see what it wrote: ${logFile}`;
  switch (code) {
    case "UNREACHABLE":
      return logFile === null ? "start the participant, and check address, port and firewall" : `it has ended; ${log}`;
    case "UNAUTHORIZED":
      return tokenEnv === null
        ? "name the variable with its token: tokenEnv in the plan, or PARTICIPANT_TOKEN for a single address"
        : `set ${tokenEnv} to the participant's token`;
    case "NOT_REGISTERED":
      return `register a function for ${what} at the participant, or take ${what} from its roles`;
    case "NOT_FOUND":
      return "register a dataset of that name at the participant, or name another in the plan";
    case "BUSY":
      return "wait until its job is done, or give it a queue (maxQueue)";
    case "PAYLOAD_TOO_LARGE":
      return "raise the participant's limits, or use an SDK that speaks frames";
    case "INVALID_RESULT":
      return `return what ${what} promises: bytes for train and aggregate, a finite number for evaluate`;
    case "INCOMPATIBLE_PARAMETERS":
      return `let ${what} take what train returned`;
    case "HANDLER_TIMEOUT":
    case "TIMEOUT":
      return "give it more time with --timeout";
    case "HANDLER_ERROR":
      return `its function for ${what} failed; ${log}`;
    default:
      return log;
  }
}
